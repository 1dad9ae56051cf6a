// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProcessLoadTest {
    /** The longest that a kernel has between two ticks. */
    private static final long TICK_NANOS = 10_000_000;

    private final ProcessLoad load = new ProcessLoad();

    /** Two programs on two processors leave none for the threads that ask, which is no reason to call them a crowd. */
    @Test
    void whoAsksIsNoneOfTheCrowd() {
        assertThat(ProcessLoad.isCrowd(-1)).isFalse();
        assertThat(ProcessLoad.isCrowd(0)).isFalse();
        assertThat(ProcessLoad.isCrowd(2)).isFalse();
        assertThat(ProcessLoad.isCrowd(3)).isTrue();
    }

    @Test
    void thisJvmHasCompiledAndRun() {
        assertThat(load.compilerNanos()).isPositive();
        assertThat(load.processNanos()).isPositive();
        assertThat(load.threadNanos()).isPositive();
    }

    /** The kernel's list begins with the sum of all processors. */
    @Test
    void processorsRest() throws IOException {
        long before = load.restedNanos();
        String[] all = Files.readAllLines(Path.of("/proc/stat")).get(0).split(" +", -1);
        long after = load.restedNanos();
        assertThat((Long.parseLong(all[4]) + Long.parseLong(all[5])) * TICK_NANOS)
                .isBetween(before, after);
        assertThat(before).isPositive();
    }

    @Test
    @Timeout(20)
    void theTimeOfAThreadGrowsWhileItComputes() {
        long before = load.threadNanos();
        long start = System.nanoTime();
        while (load.threadNanos() - before < TimeUnit.MILLISECONDS.toNanos(20)) {
            Thread.onSpinWait();
        }
        // The first reading may lack what the thread has used since the kernel's last tick.
        assertThat(load.threadNanos() - before).isLessThanOrEqualTo(System.nanoTime() - start + TICK_NANOS);
    }
}
