// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import io.accel.FallbackReason;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether this process has lately lacked the room for a link: memory of {@code shm.dir}, {@code shm.max},
 * descriptors, mappings, or memory that it may register. A connection that got no link asks again, and idle links are given
 * back for it, in spite of {@code handover.idle}. Any thread.
 */
public final class Shortage {
    /** How long a shortage lasts: longer than it takes to find out which links are idle. */
    private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** When the shortage is over, as {@link System#nanoTime}. Two threads may both write it: either value is good. */
    private static volatile long overAt;
    /**
     * Whether there has been one. Written after {@link #overAt}, which says nothing before: a caller's time may be older than this class,
     * which is not loaded before it is asked.
     */
    private static volatile boolean hasBeen;

    private Shortage() {}

    /**
     * Notes a shortage.
     *
     * @param reason the resource that is lacking
     * @param detail how much of it is lacking, and its holder
     * @return the exception to throw: the same question may soon have another answer
     */
    public static FallbackException of(FallbackReason reason, String detail) {
        begin();
        return new FallbackException(reason, detail, true);
    }

    /** Notes a shortage that was found without a question for more. */
    public static void begin() {
        overAt = System.nanoTime() + LASTS_NANOS;
        hasBeen = true;
    }

    /**
     * Whether the shortage goes on.
     *
     * @param now the time, as {@link System#nanoTime}
     */
    public static boolean isOn(long now) {
        return hasBeen && now - overAt < 0;
    }
}
