// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Shortage;
import java.util.concurrent.atomic.AtomicLong;

/** How much shared memory the connections of this process hold, and the most that they may. Any thread. */
final class MemoryCap {
    private static final AtomicLong HELD = new AtomicLong();

    private MemoryCap() {}

    /**
     * Takes memory for a connection's file; the owner of the memory gives it back, once.
     *
     * @param bytes the file's size
     * @param most how many bytes all files may have together; 0 for no limit
     * @throws FallbackException SHM_CAP if the limit would be exceeded, and nothing was taken
     */
    static void take(long bytes, long most) throws FallbackException {
        long held = HELD.addAndGet(bytes);
        if (most > 0 && held > most) {
            giveBack(bytes);
            throw Shortage.of(
                    FallbackReason.SHM_CAP,
                    "its rings take " + bytes + " bytes, the connections of this process hold " + (held - bytes)
                            + ", and may hold " + most
                            + " (shm.max, or else a quarter of the control group's limit)");
        }
    }

    static void giveBack(long bytes) {
        HELD.addAndGet(-bytes);
    }
}
