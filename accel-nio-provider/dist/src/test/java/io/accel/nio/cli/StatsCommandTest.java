// SPDX-License-Identifier: Apache-2.0
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
        assertThat(run.err())
                .containsOnlyOnce("with process id 999999999 in " + dir)
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "999, 0 us",
        "12345678, 12.3 ms",
        "999999999, 999.9 ms",
        "6399000000, 6.3 s",
        "59999999999, 59.9 s",
        "75000000000, 1 min 15 s",
        "3600000000000, 1 h",
        "7500000000000, 2 h 5 min",
        "180000000000000, 2 d 2 h"
    })
    void durationsReadLikeDurations(long nanos, String text) {
        assertThat(Quantity.duration(nanos)).isEqualTo(text);
    }
}
