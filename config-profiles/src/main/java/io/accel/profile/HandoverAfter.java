// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/**
 * Says when a connection is worth a faster path.
 *
 * @param when what decides
 * @param operations for {@link When#COUNTED} and {@link When#PRICED}: not before this many reads and writes of the end that connected
 * @param bytes or this many bytes, whichever comes first
 * @param unrest the changes that the connection undergoes all the time, for tests
 */
public record HandoverAfter(When when, int operations, long bytes, Unrest unrest) {
    /**
     * A connection that has done fewer operations, and carried less than {@link #LEAST_BYTES}, is never worth it by its price, which is what all
     * presets go by.
     */
    public static final int LEAST_OPERATIONS = 8;

    /** As {@link #LEAST_OPERATIONS}. */
    public static final long LEAST_BYTES = 64 << 10;

    /** What decides when a connection is worth a faster path. */
    public enum When {
        /** It is worth it at once; the connecting or accepting thread waits for the decision. */
        CONNECT,
        /** It is worth it at once. */
        AT_ONCE,
        /** It has done one of its first operations, no matter which. */
        SOON,
        /** It has done so many operations, or carried so many bytes. */
        COUNTED,
        /** It would have saved as much as a faster path costs in this process. */
        PRICED
    }

    /** The changes at random to connections that have a faster path. */
    public enum Unrest {
        NONE,
        /** The connections go back to the kernel, and come again. */
        RETURNS,
        /** Their links break, where a link can break without a loss. */
        BREAKS
    }

    /** Whether the connecting or accepting thread waits for the decision. */
    public boolean atConnect() {
        return when == When.CONNECT;
    }

    /** Whether the connection is worth it as soon as it exists. */
    public boolean isAtOnce() {
        return when == When.CONNECT || when == When.AT_ONCE;
    }

    /** Whether one of its first operations, no matter which, makes the connection worth it. */
    public boolean isSoon() {
        return when == When.SOON;
    }

    /** Whether prices decide. */
    public boolean isPriced() {
        return when == When.PRICED;
    }

    /**
     * Whether a connection that has carried this much is worth it, or may be by its price.
     *
     * @param done how many reads and writes
     * @param moved how many bytes
     */
    public boolean isReached(int done, long moved) {
        return done >= operations || moved >= bytes;
    }
}
