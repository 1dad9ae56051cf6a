package io.accel.profile;

/**
 * When a connection is worth a faster path.
 *
 * @param atConnect at once, and whoever connects or accepts waits until that is decided
 * @param operations after so many reads and writes of the end that connected
 * @param bytes or after so many bytes, whichever comes first
 * @param atRandom whether it goes back to the kernel now and then, and comes again
 */
public record HandoverAfter(boolean atConnect, int operations, long bytes, boolean atRandom) {
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
