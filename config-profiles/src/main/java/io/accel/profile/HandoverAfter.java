package io.accel.profile;

/**
 * When a connection is worth a faster path.
 *
 * @param atConnect at once, and whoever connects or accepts waits until that is decided
 * @param operations after so many reads and writes of the end that connected
 * @param bytes or after so many bytes, whichever comes first
 * @param unrest what happens to it all the time, for tests
 */
public record HandoverAfter(boolean atConnect, int operations, long bytes, Unrest unrest) {
    /** What is done at random to connections that have a faster path. */
    public enum Unrest {
        NONE,
        /** They go back to the kernel, and come again. */
        RETURNS,
        /** Their links break, where a link can break without a loss. */
        BREAKS
    }

    /** Whether it is worth it as soon as it is there. */
    public boolean isAtOnce() {
        return operations == 0;
    }

    /**
     * Whether a connection that has done so much is worth it.
     *
     * @param done reads and writes
     * @param moved bytes
     */
    public boolean isReached(int done, long moved) {
        return done >= operations || moved >= bytes;
    }
}
