// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.Iterator;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The loop that every selector program has must make no garbage once it is compiled. */
class SelectedKeysAllocationTest {

    private static final int TURNS = 20_000;
    private static final Duration WARM_UP_LIMIT = Duration.ofSeconds(20);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SelectedKeys selected = new SelectedKeys();
    private final IndexedKey[] keys = new IndexedKey[8];

    @Test
    void theUsualLoopAllocatesNothing() {
        for (int i = 0; i < keys.length; i++) {
            keys[i] = new FakeKey(i);
        }
        long allocated = Long.MAX_VALUE;
        long start = System.nanoTime();
        while (allocated > 0 && System.nanoTime() - start < WARM_UP_LIMIT.toNanos()) {
            long before = threads.getCurrentThreadAllocatedBytes();
            int sum = 0;
            for (int turn = 0; turn < TURNS; turn++) {
                sum += turn();
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(sum).isEqualTo(TURNS * keys.length);
        }
        assertThat(allocated)
                .as("bytes allocated in %d turns, after warming up for %s", TURNS, WARM_UP_LIMIT)
                .isZero();
    }

    /** One turn of a program with its selector: the set is what the program sees of it. */
    private int turn() {
        for (IndexedKey key : keys) {
            selected.addKey(key);
        }
        return drain(selected);
    }

    private static int drain(Set<SelectionKey> selected) {
        int handled = 0;
        Iterator<SelectionKey> it = selected.iterator();
        while (it.hasNext()) {
            SelectionKey key = it.next();
            it.remove();
            if (key != null) {
                handled++;
            }
        }
        return handled;
    }
}
