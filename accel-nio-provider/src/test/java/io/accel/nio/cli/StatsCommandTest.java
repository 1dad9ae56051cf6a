package io.accel.nio.cli;

import static io.accel.nio.cli.CommandLineRunner.accel;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatsCommandTest {
    @TempDir
    private Path dir;

    @Test
    void aDirectoryThatIsNotThereIsAMistakeInOneLine() {
        CommandLineRunner run = accel("stats", "--dir", dir.resolve("none").toString());

        assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(run.err())
                .contains("there is no directory " + dir.resolve("none"))
                .doesNotContain("Exception");
    }

    /** It would show nothing for ever. */
    @Test
    void itEndsWhereNoneOfThoseNamedIsThere() {
        CommandLineRunner run = accel("stats", "--dir", dir.toString(), "--interval", "0.01", "999999999");

        assertThat(run.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(run.err()).containsOnlyOnce("no accelerated JVM of this user with process id 999999999 in " + dir);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "999, 0us",
        "12345678, 12ms",
        "999999999, 999ms",
        "1000000000, 1.0s",
        "6399000000, 6.3s",
        "9999999999, 9.9s",
        "10000000000, 10s",
        "75000000000, 1m15s",
        "3660000000000, 1h1m"
    })
    void durationsReadLikeDurations(long nanos, String text) {
        assertThat(StatsTable.duration(nanos)).isEqualTo(text);
    }
}
