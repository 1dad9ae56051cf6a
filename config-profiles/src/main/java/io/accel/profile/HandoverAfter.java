// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/**
 * Says when a connection is worth a faster path.
 *
 * @param atConnect at once; the connecting or accepting thread then waits for the decision
 * @param operations after this many reads and writes of the end that connected
 * @param bytes or after this many bytes, whichever comes first
 * @param unrest the changes that the connection undergoes all the time, for tests
 */
public record HandoverAfter(boolean atConnect, int operations, long bytes, Unrest unrest) {
    /** The changes at random to connections that have a faster path. */
    public enum Unrest {
        NONE,
        /** The connections go back to the kernel, and come again. */
        RETURNS,
        /** Their links break, where a link can break without a loss. */
        BREAKS
    }

    /** Whether the connection is worth it as soon as it exists. */
    public boolean isAtOnce() {
        return operations == 0;
    }

    /**
     * Whether a connection that has carried this much is worth it.
     *
     * @param done how many reads and writes
     * @param moved how many bytes
     */
    public boolean isReached(int done, long moved) {
        return done >= operations || moved >= bytes;
    }
}
