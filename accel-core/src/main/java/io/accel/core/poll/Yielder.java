package io.accel.core.poll;

/**
 * Gives the processor away while spinning, as far as somebody else wants it. A yield that nobody uses returns within a
 * microsecond; one that takes longer has let another thread run, perhaps the very peer that is waited for, and so is
 * repeated soon. One thread at a time.
 */
public final class Yielder {
    /** In checks, each of some microseconds of spinning. */
    private static final int CALM = 16;

    private static final int CROWDED_FOR = 256;
    private static final long USED_NANOS = 4_000;
    private static final boolean ALONE = Runtime.getRuntime().availableProcessors() < 2;

    private final PollConfig.Yielding mode;
    private int checks;
    private int crowded;

    /**
     * A yielder.
     *
     * @param mode when to give way
     */
    public Yielder(PollConfig.Yielding mode) {
        this.mode = ALONE ? PollConfig.Yielding.ALWAYS : mode;
    }

    /**
     * One opportunity to give way; to be called every few microseconds of a spin.
     *
     * @param now the time, {@link System#nanoTime()}
     */
    public void check(long now) {
        if (mode == PollConfig.Yielding.NEVER) {
            return;
        }
        if (mode == PollConfig.Yielding.ALWAYS) {
            Thread.yield();
            return;
        }
        if (crowded > 0) {
            crowded--;
        } else if (++checks < CALM) {
            return;
        }
        checks = 0;
        Thread.yield();
        if (System.nanoTime() - now > USED_NANOS) {
            crowded = CROWDED_FOR;
        }
    }
}
