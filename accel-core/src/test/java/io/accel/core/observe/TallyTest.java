// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TallyTest {
    private static final int THREADS = 40;
    private static final int EACH = 10_000;

    /** More threads than cells, so that some share one. */
    @Test
    void losesNothingOfWhatThreadsAddAtATime() throws InterruptedException {
        Tally tally = new Tally();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                for (int n = 0; n < EACH; n++) {
                    tally.increment();
                    tally.add(2);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(tally.sum()).isEqualTo(3L * THREADS * EACH);
    }
}
