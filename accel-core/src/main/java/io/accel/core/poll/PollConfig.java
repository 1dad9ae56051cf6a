package io.accel.core.poll;

/**
 * What a poller takes from a profile.
 *
 * @param spinNanos how long to go on looking after the last traffic before sleeping, {@code poll.spin}; 0 never, {@link
 *     Long#MAX_VALUE} for ever
 * @param kernelInterval turns between looks at the kernel's descriptors while spinning, {@code poll.kernel-interval}
 * @param hotMax how many links may be polled at once, {@code poll.hot-max}
 * @param moderation pauses between finding traffic and looking again, {@code poll.moderation}
 * @param yielding whether spinning gives way to other threads, {@code poll.yield}
 */
public record PollConfig(long spinNanos, int kernelInterval, int hotMax, int moderation, Yielding yielding) {
    /** Whether spinning gives way. */
    public enum Yielding {
        /** When it finds that other threads want the processor. */
        ADAPTIVE,
        /** At every opportunity. */
        ALWAYS,
        /** Not at all: a core of its own for every spinning thread is promised. */
        NEVER
    }

    /**
     * The same with another time to spin.
     *
     * @param nanos as {@link #spinNanos()}
     * @return the configuration
     */
    public PollConfig withSpin(long nanos) {
        return new PollConfig(nanos, kernelInterval, hotMax, moderation, yielding);
    }

    /**
     * The same with another moderation.
     *
     * @param pauses as {@link #moderation()}
     * @return the configuration
     */
    public PollConfig withModeration(int pauses) {
        return new PollConfig(spinNanos, kernelInterval, hotMax, pauses, yielding);
    }
}
