// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class KernelWatchTest {
    private static final long LONG_MILLIS = 20_000;

    /** The first time by the JDK's means; a pipe is opened for the others, and goes with the selector. */
    @Test
    void itIsWokenEachTime() throws IOException {
        long before = pipeEnds();
        KernelWatch watch = new KernelWatch();
        try {
            for (int i = 0; i < 3; i++) {
                watch.wakeup();
                assertThat(watch.select(LONG_MILLIS))
                        .as("channels that are ready")
                        .isZero();
                assertThat(watch.events().hasAny()).isFalse();
                assertThat(pipeEnds()).isEqualTo(before + 2);
            }
            assertThat(watch.select(0)).isZero();
        } finally {
            watch.close();
        }
        assertThat(pipeEnds()).isEqualTo(before);
    }

    private static long pipeEnds() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(KernelWatchTest::isPipe).count();
        }
    }

    private static boolean isPipe(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("pipe:");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
