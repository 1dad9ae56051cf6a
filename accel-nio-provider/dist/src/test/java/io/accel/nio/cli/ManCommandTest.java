// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static io.accel.nio.cli.CommandLineRunner.accel;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

class ManCommandTest {
    private static final Set<String> REQUESTS = Set.of(".TH", ".SH", ".PP", ".TP");

    @TempDir
    private Path dir;

    /** The names of each command there is, from the first after {@code accel} on. */
    static Stream<List<String>> commands() {
        List<List<String>> all = new ArrayList<>();
        collect(AccelMain.commandLine(), List.of(), all);
        return all.stream();
    }

    private static void collect(CommandLine command, List<String> names, List<List<String>> all) {
        all.add(names);
        command.getSubcommands().forEach((name, subcommand) -> {
            List<String> longer = new ArrayList<>(names);
            longer.add(name);
            collect(subcommand, longer, all);
        });
    }

    private static CommandSpec specOf(List<String> names) {
        CommandLine command = AccelMain.commandLine();
        for (String name : names) {
            command = command.getSubcommands().get(name);
        }
        return command.getCommandSpec();
    }

    private static CommandLineRunner man(List<String> names) {
        List<String> line = new ArrayList<>(List.of("man"));
        line.addAll(names);
        return accel(line.toArray(String[]::new));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void eachCommandHasAPageThatNamesItsOptions(List<String> names) {
        CommandLineRunner run = man(names);
        assertThat(run.status()).as(run.err()).isZero();
        String page = run.out().replace("\\-", "-");
        CommandSpec spec = specOf(names);
        assertThat(page)
                .startsWith(".TH \"ACCEL"
                        + String.join(
                                "",
                                names.stream()
                                        .map(name -> "-" + name.toUpperCase(java.util.Locale.ROOT))
                                        .toList())
                        + "\" 1 ")
                .contains("\n.SH NAME\n.PP\n" + spec.qualifiedName("-") + " - ", "\n.SH SYNOPSIS\n.PP\naccel");
        for (OptionSpec option : spec.options()) {
            assertThat(page).contains("\\fB" + String.join(", ", option.names()));
            assertThat(option.description()).as(option.toString()).isNotEmpty();
        }
        for (PositionalParamSpec argument : spec.positionalParameters()) {
            assertThat(page).contains(".SH ARGUMENTS\n", argument.paramLabel());
        }
        for (String subcommand : spec.subcommands().keySet()) {
            assertThat(page)
                    .contains(".TP\n\\fB" + subcommand + "\\fR\n", spec.qualifiedName("-") + "-" + subcommand + "(1)");
        }
        assertThat(page).doesNotContain("${", "%n");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aPageIsWhatManReads(List<String> names) {
        assertThat(man(names).out().lines()).isNotEmpty().allSatisfy(line -> {
            assertThat(line).isNotBlank();
            if (line.startsWith(".")) {
                assertThat(REQUESTS).contains(line.split(" ", 2)[0]);
            } else {
                assertThat(line).doesNotStartWith("'").doesNotContainPattern("(?<!\\\\)-");
            }
        });
    }

    @Test
    void allAreWritten() throws IOException {
        Path made = dir.resolve("share/man1");
        assertThat(accel("man", "--to", made.toString()).status()).isZero();
        List<String> expected =
                commands().map(names -> specOf(names).qualifiedName("-") + ".1").toList();
        try (Stream<Path> written = Files.list(made)) {
            assertThat(written.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
        assertThat(made.resolve("accel-profiles-show.1"))
                .hasContent(man(List.of("profiles", "show")).out());
    }

    @Test
    void whereTheyCannotBeWrittenIsSaidInALine() throws IOException {
        Path file = Files.createFile(dir.resolve("file"));
        CommandLineRunner run = accel("man", "--to", file.toString());
        assertThat(run.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(run.err()).hasLineCount(1).contains(file.toString());
    }
}
