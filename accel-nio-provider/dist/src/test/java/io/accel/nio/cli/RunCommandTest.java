// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static io.accel.nio.cli.CommandLineRunner.accel;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that {@code accel run} refuses before it starts anything; {@code DropInJarIT} tests the others. */
class RunCommandTest {
    @TempDir
    private Path dir;

    @Test
    void noCommandIsAnsweredWithAnExample() {
        CommandLineRunner run = accel("run", "--profile", "latency");
        assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(run.err()).contains("No command given").contains("accel run -- java -jar app.jar");
    }

    @Test
    void aCommandWithoutTheDashesIsAnsweredWithTheDashes() {
        CommandLineRunner run = accel("run", "java", "-jar", "app.jar");
        assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(run.err()).contains("Put '--' before the command: accel run -- java -jar app.jar");
    }

    @Test
    void anUnknownOptionIsAUsageError() {
        CommandLineRunner run = accel("run", "--profil", "latency", "--", "java");
        assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(run.err()).contains("--profil");
    }

    @Test
    void aCommandThatIsNotThereEndsWith127() {
        CommandLineRunner run = accel("run", "--", "no-such-command-here");
        assertThat(run.status()).isEqualTo(ExitStatus.NOT_FOUND);
        assertThat(run.err().strip()).isEqualTo("accel run: no-such-command-here: command not found");
        assertThat(accel("run", "--", dir.resolve("none").toString()).status()).isEqualTo(ExitStatus.NOT_FOUND);
    }

    @Test
    void aFileThatIsNotExecutableEndsWith126() throws IOException {
        Path file = Files.writeString(dir.resolve("notes"), "no program");
        CommandLineRunner run = accel("run", "--", file.toString());
        assertThat(run.status()).isEqualTo(ExitStatus.NOT_EXECUTABLE);
        assertThat(run.err()).contains(file + ": not an executable file");
        assertThat(accel("run", "--", dir.toString()).status()).isEqualTo(ExitStatus.NOT_EXECUTABLE);
    }

    @Test
    void outsideTheJarItSaysHowToStartIt() {
        CommandLineRunner run = accel("run", "--", "java", "-version");
        assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(run.err()).contains("java -jar accel.jar run");
    }

    @Test
    void theSearchGoesThroughAllDirectories() throws IOException {
        Path first = Files.createDirectory(dir.resolve("first"));
        Path second = Files.createDirectory(dir.resolve("second"));
        Files.writeString(first.resolve("tool"), "");
        Files.createDirectory(first.resolve("other"));
        ExecutableSearch search = new ExecutableSearch(first + ":" + second);
        assertThat(search.find("tool")).isEqualTo(ExecutableSearch.Outcome.NOT_EXECUTABLE);
        assertThat(search.find("other")).isEqualTo(ExecutableSearch.Outcome.NOT_FOUND);

        Files.writeString(second.resolve("tool"), "");
        assertThat(second.resolve("tool").toFile().setExecutable(true)).isTrue();
        assertThat(search.find("tool")).isEqualTo(ExecutableSearch.Outcome.FOUND);
        assertThat(new ExecutableSearch(null).find("tool")).isEqualTo(ExecutableSearch.Outcome.NOT_FOUND);
    }
}
