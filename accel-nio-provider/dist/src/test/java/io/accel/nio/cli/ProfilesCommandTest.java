// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static io.accel.nio.cli.CommandLineRunner.accel;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.profile.Keys;
import io.accel.profile.Profile;
import io.accel.profile.Profiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProfilesCommandTest {
    @TempDir
    private Path dir;

    static List<String> presets() {
        return Profiles.names();
    }

    @Test
    void listNamesEveryPresetAndTheDefault() {
        CommandLineRunner run = accel("profiles", "list");
        assertThat(run.status()).isZero();
        assertThat(run.out().lines())
                .hasSize(Profiles.names().size())
                .zipSatisfy(Profiles.names(), (line, name) -> assertThat(line).startsWith(name));
        assertThat(run.out()).containsOnlyOnce("(default)").contains(Profiles.defaultName() + " (default)");
        assertThat(accel("profiles").out()).isEqualTo(run.out());
    }

    @ParameterizedTest
    @MethodSource("presets")
    void whatIsShownIsAFileThatMeansTheSame(String preset) throws IOException {
        CommandLineRunner run = accel("profiles", "show", preset);
        assertThat(run.status()).isZero();
        Path copy = Files.writeString(dir.resolve("copy.properties"), run.out());

        Profile shown = Profile.load(copy.toString(), Map.of());

        List<String> expected = texts(Profile.load(preset, Map.of()));
        assertThat(expected).hasSameSizeAs(Keys.all());
        assertThat(texts(shown)).isEqualTo(expected);
    }

    @Test
    void showTellsWhereAValueComesFromAndKeepsRules() throws IOException {
        Path file = Files.writeString(
                dir.resolve("mine.properties"), "include=latency\npoll.spin=7us\nrule.2=kernel server *:22\n");
        CommandLineRunner run = accel("profiles", "show", file.toString());
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("Here: " + file + ":2" + System.lineSeparator() + "poll.spin=7us")
                .contains("Here: preset latency")
                .contains("Here: default")
                .contains("rule.2=kernel server *:22" + System.lineSeparator());
    }

    @Test
    void showWithoutANameShowsTheDefault() {
        assertThat(accel("profiles", "show").out())
                .isEqualTo(accel("profiles", "show", Profiles.defaultName()).out())
                .startsWith("# " + Profiles.defaultName());
    }

    @Test
    void showOfAnUnknownProfileNamesTheNearest() {
        CommandLineRunner run = accel("profiles", "show", "latncy");
        assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(run.err()).contains("'latncy'", "latency").doesNotContain("\tat ");
    }

    @Test
    void checkAcceptsAGoodFile() throws IOException {
        Path file = Files.writeString(dir.resolve("good.properties"), "include=throughput\nring.size=256KiB\n");
        CommandLineRunner run = accel("profiles", "check", file.toString());
        assertThat(run.status()).isZero();
        assertThat(run.out()).isEqualTo(file + ": OK" + System.lineSeparator());
    }

    @Test
    void checkTellsEveryMistakeWithFileAndLine() throws IOException {
        Path file = Files.writeString(
                dir.resolve("bad.properties"), "ring.sise=64KiB\npoll.spin=5 parsecs\nrule.1=kernl server *:22\n");
        CommandLineRunner run = accel("profiles", "check", file.toString());
        assertThat(run.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).hasSize(3);
        assertThat(run.err())
                .contains(file + ":1: ", "ring.size")
                .contains(file + ":2: ", "parsecs")
                .contains(file + ":3: ", "'kernl'", "kernel");
    }

    @Test
    void checkOfAFileThatIsNotThereSaysSo() {
        CommandLineRunner run =
                accel("profiles", "check", dir.resolve("absent.properties").toString());
        assertThat(run.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(run.err()).contains("absent.properties");
    }

    private static List<String> texts(Profile profile) {
        return profile.settings().stream()
                .map(setting -> setting.key().name() + "=" + setting.text())
                .toList();
    }
}
