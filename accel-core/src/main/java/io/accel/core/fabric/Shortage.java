package io.accel.core.fabric;

import java.util.concurrent.TimeUnit;

/**
 * Whether this process has lately lacked the room for a link: memory of {@code shm.dir}, {@code shm.max}, descriptors, memory that it
 * may register. A connection that got none asks again, and links by which nothing goes are given back for it, in spite of {@code
 * handover.idle}. Any thread.
 */
public final class Shortage {
    /** Longer than it takes to find out which links are idle. */
    private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** When it is over, as {@link System#nanoTime}. Two threads may both write it: the one or the other is as good. */
    private static volatile long overAt = System.nanoTime();

    private Shortage() {}

    /**
     * Notes it.
     *
     * @param reason what is lacked
     * @param detail how much of it, and who has it
     * @return what to throw: the same question may soon have another answer
     */
    public static FallbackException of(FallbackReason reason, String detail) {
        overAt = System.nanoTime() + LASTS_NANOS;
        return new FallbackException(reason, detail, true);
    }

    /**
     * Whether it goes on.
     *
     * @param now the time, as {@link System#nanoTime}
     */
    public static boolean isOn(long now) {
        return now - overAt < 0;
    }
}
