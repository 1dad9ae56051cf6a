// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Shortage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links take no descriptors that the program may need. */
class DescriptorShareTest {
    /** Connections that earlier tests have closed give their descriptors back a moment later, and count until then. */
    @BeforeEach
    void awaitNoneTaken() {
        await().atMost(20, TimeUnit.SECONDS).until(DescriptorShareTest::isNoneTaken);
    }

    private static boolean isNoneTaken() {
        try {
            DescriptorShare.take(8); // of which links get one
        } catch (FallbackException e) {
            return false;
        }
        DescriptorShare.giveBack();
        return true;
    }

    @Test
    void linksGetAnEighth() throws Exception {
        for (int i = 0; i < 10; i++) {
            DescriptorShare.take(80);
        }
        try {
            assertThatThrownBy(() -> DescriptorShare.take(80))
                    .isInstanceOfSatisfying(FallbackException.class, e -> {
                        assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES);
                        assertThat(e.isPassing()).isTrue();
                    })
                    .hasMessageContaining("10 of the 80 file descriptors")
                    .hasMessageContaining("ulimit -n");
            assertThat(Shortage.isOn(System.nanoTime())).isTrue();
            DescriptorShare.giveBack();
            assertThatCode(() -> DescriptorShare.take(80)).doesNotThrowAnyException();
        } finally {
            for (int i = 0; i < 10; i++) {
                DescriptorShare.giveBack();
            }
        }
    }

    @Test
    void withoutALimitTheyGetAnyNumber() throws Exception {
        DescriptorShare.take(0);
        DescriptorShare.giveBack();
    }

    @Test
    void theLimitIsTheOneInForce(@TempDir Path dir) throws Exception {
        Path limits = Files.writeString(dir.resolve("limits"), """
                Limit                     Soft Limit           Hard Limit           Units
                Max processes             95993                95993                processes
                Max open files            1024                 524288               files
                """);
        assertThat(DescriptorShare.limit(limits)).isEqualTo(1024);
        Files.writeString(limits, "Max open files            unlimited            unlimited            files\n");
        assertThat(DescriptorShare.limit(limits)).isZero();
        assertThat(DescriptorShare.limit(dir.resolve("none"))).isZero();
    }
}
