// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

/**
 * The settings that a poller takes from a profile.
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
        /** Spinning gives way when it finds that other threads want the processor. */
        ADAPTIVE,
        /** Spinning gives way at every opportunity. */
        ALWAYS,
        /** Spinning never gives way: every spinning thread is promised a core of its own. */
        NEVER
    }

    /**
     * Returns the same configuration with another time to spin.
     *
     * @param nanos as {@link #spinNanos()}
     * @return the configuration
     */
    public PollConfig withSpin(long nanos) {
        return new PollConfig(nanos, kernelInterval, hotMax, moderation, yielding);
    }

    /**
     * Returns the same configuration with another moderation.
     *
     * @param pauses as {@link #moderation()}
     * @return the configuration
     */
    public PollConfig withModeration(int pauses) {
        return new PollConfig(spinNanos, kernelInterval, hotMax, pauses, yielding);
    }
}
