// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is known of a process's descriptors. */
class OpenFilesTest {
    private static final int MANY = 200;

    @Test
    void theLimitIsTheOneInForce(@TempDir Path dir) throws Exception {
        Path limits = Files.writeString(dir.resolve("limits"), """
                Limit                     Soft Limit           Hard Limit           Units
                Max processes             95993                95993                processes
                Max open files            1024                 524288               files
                """);
        assertThat(OpenFiles.limit(limits)).isEqualTo(1024);
        Files.writeString(limits, "Max open files            unlimited            unlimited            files\n");
        assertThat(OpenFiles.limit(limits)).isZero();
        assertThat(OpenFiles.limit(dir.resolve("none"))).isZero();
    }

    @Test
    void eachOpenFileIsOneFewer() throws Exception {
        FileInputStream[] open = new FileInputStream[MANY];
        long before = OpenFiles.free();
        for (int i = 0; i < MANY; i++) {
            open[i] = new FileInputStream("/dev/null");
        }
        long after = OpenFiles.free();
        for (FileInputStream each : open) {
            each.close();
        }
        // Other threads of this process open and close files, too.
        assertThat(before - after).isBetween(MANY / 2L, MANY * 2L);
        assertThat(OpenFiles.canOpen()).isTrue();
        assertThat(OpenFiles.hasMoreThan(1)).isTrue();
    }
}
