// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static io.accel.nio.cli.CommandLineRunner.accel;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccelMainTest {
    @Test
    void withoutACommandItSaysWhichThereAre() {
        CommandLineRunner run = accel();
        assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(run.err()).contains("No command given", "run", "stats", "profiles", "version");
    }

    @Test
    void aMistypedCommandIsAnsweredWithTheNearest() {
        CommandLineRunner run = accel("profile");
        assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(run.err()).contains("profile").contains("Did you mean").contains("profiles");
    }

    @ParameterizedTest
    @ValueSource(strings = {"version", "--version", "-V"})
    void versionNamesAccelJavaAndTheSystem(String argument) {
        CommandLineRunner run = accel(argument);
        assertThat(run.status()).isZero();
        assertThat(run.out().strip())
                .startsWith("accel ")
                .contains("Java " + Runtime.version(), System.getProperty("os.arch"));
    }

    static Set<String> commands() {
        return AccelMain.commandLine().getSubcommands().keySet();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandExplainsItself(String command) {
        CommandLineRunner run = accel(command, "--help");
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("Usage: accel " + command);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "perf compare",
                "foo",
                "--foo",
                "help foo",
                "version x",
                "doctor --jsn",
                "doctor --profile nope",
                "profiles check",
                "profiles check /nonexistent",
                "profiles show nope",
                "completion tcsh",
                "man foo",
                "man --to /tmp stats",
                "run foo",
                "run",
                "stats x",
                "stats --interval abc",
                "stats --interval 0",
                "stats --sort size",
                "stats --width 3",
                "stats --dir /nonexistent"
            })
    void aMistakeIsToldInOneLine(String line) {
        CommandLineRunner run = accel(line.split(" "));
        assertThat(run.status()).isNotZero();
        assertThat(run.err()).hasLineCount(1).doesNotContain("Unmatched", "double");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aCommandOfTheScriptIsSaidToBeThere() {
        assertThat(accel("perf", "compare").err()).contains("run ./accel perf");
    }

    @Test
    void completionKnowsCommandsOptionsAndTheScript() {
        CommandLineRunner run = accel("completion", "bash");
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("complete -F", "--sort", "profiles", "soak", "contract", "rate");
    }
}
