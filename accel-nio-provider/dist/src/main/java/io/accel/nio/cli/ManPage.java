// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.BuildInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A command's manual page, in the language of {@code man}. It says the same as {@code --help}, from picocli's model of the command. It
 * has no date, so that equal sources make equal pages. Not safe for use by several threads.
 */
final class ManPage {
    private static final int SECTION = 1;

    private final CommandSpec spec;
    private final Help help;
    private final StringBuilder text = new StringBuilder();

    ManPage(CommandLine command) {
        this.spec = command.getCommandSpec();
        this.help = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF));
    }

    /** Returns the page's name, as {@code man} wants it: the page of {@code accel stats} is {@code accel-stats}. */
    String name() {
        return spec.qualifiedName("-");
    }

    String text() {
        text.setLength(0);
        text.append(".TH \"%s\" %d \"\" \"accel %s\" \"Accel\"\n"
                .formatted(escape(name().toUpperCase(Locale.ROOT)), SECTION, escape(BuildInfo.version())));
        String[] description = spec.usageMessage().description();
        section("NAME");
        paragraph(name() + " - " + withoutFullStop(summary(spec)));
        section("SYNOPSIS");
        paragraph(help.synopsis(0));
        section("DESCRIPTION");
        Arrays.stream(description).forEach(this::paragraph);
        commands();
        arguments();
        options();
        if (spec.usageMessage().footer().length > 0) {
            section("EXIT STATUS");
            Arrays.stream(spec.usageMessage().footer()).forEach(this::paragraph);
        }
        seeAlso();
        return text.toString();
    }

    private void commands() {
        if (spec.subcommands().isEmpty()) {
            return;
        }
        section("COMMANDS");
        spec.subcommands().forEach((name, command) -> item(name, summary(command.getCommandSpec())));
        if (spec.parent() == null) {
            paragraph("The script accel in Accel's sources has further commands: "
                    + String.join(", ", new TreeSet<>(UsageMistake.OF_THE_SCRIPT)) + ". './accel help' lists all.");
        }
    }

    /** Returns the summary of a command in the list of {@code --help}. */
    private static String summary(CommandSpec command) {
        String[] header = command.usageMessage().header();
        return header.length > 0 ? header[0] : command.usageMessage().description()[0];
    }

    private void arguments() {
        List<PositionalParamSpec> shown = spec.positionalParameters().stream()
                .filter(argument -> !argument.hidden())
                .toList();
        if (!shown.isEmpty()) {
            section("ARGUMENTS");
            shown.forEach(argument -> item(label(argument).strip(), argument.description()));
        }
    }

    private void options() {
        List<OptionSpec> shown =
                spec.options().stream().filter(option -> !option.hidden()).toList();
        if (!shown.isEmpty()) {
            section("OPTIONS");
            shown.forEach(option -> item(String.join(", ", option.names()) + label(option), option.description()));
        }
    }

    private String label(ArgSpec argument) {
        return help.parameterLabelRenderer()
                .renderParameterLabel(argument, Help.Ansi.OFF, List.of())
                .toString();
    }

    private void seeAlso() {
        List<String> pages = new ArrayList<>();
        if (spec.parent() != null) {
            pages.add(spec.parent().qualifiedName("-"));
        }
        spec.subcommands()
                .values()
                .forEach(command -> pages.add(command.getCommandSpec().qualifiedName("-")));
        section("SEE ALSO");
        paragraph(String.join(
                ", ", pages.stream().map(page -> page + "(" + SECTION + ")").toList()));
    }

    private void section(String title) {
        text.append(".SH ").append(title).append('\n');
    }

    private void paragraph(String words) {
        if (!words.isBlank()) {
            text.append(".PP\n").append(line(words)).append('\n');
        }
    }

    private void item(String term, String... description) {
        text.append(".TP\n\\fB").append(escape(term)).append("\\fR\n");
        text.append(line(String.join(" ", description))).append('\n');
    }

    private static String withoutFullStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    /** Returns one line of input, which man breaks where it likes. A line that begins with a dot or an apostrophe would be a request. */
    private static String line(String words) {
        // The words are a format, as in picocli.
        String line = escape(String.format(words).strip().replaceAll("\\s+", " "));
        return line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line;
    }

    private static String escape(String words) {
        return words.replace("\\", "\\e").replace("-", "\\-");
    }
}
