// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

/**
 * The progress of sending the bytes lost with a broken link again through the kernel. The thread that sends them sets {@link #done}. A
 * writer, in its half, says how far it has written, and goes to the kernel itself once all of that is done.
 */
final class Replay {
    private static final long UNKNOWN = -1;

    private final long from;
    /** The cursor up to which bytes were sent again. Written by the one thread that sends them; read by writers. */
    private volatile long done;
    /**
     * The cursor up to which bytes must be sent again. Written in the writing half; read by the sending thread, together with all bytes
     * before it.
     */
    private volatile long limit = UNKNOWN;

    Replay(long from) {
        this.from = from;
        done = from;
    }

    /** As {@link Resumption#prepare}. */
    static void prepare() {}

    /** The number of bytes sent again. */
    long count() {
        return done - from;
    }

    long done() {
        return done;
    }

    /** Counts more bytes sent again. */
    void sent(int more) {
        long before = done;
        done = before + more;
    }

    /** The number of bytes known to be left. */
    long left() {
        return Math.max(0, limit - done);
    }

    /** Whether all known bytes were sent again, so that a writer must now say how far it has written. */
    boolean isAtLimit() {
        return done >= limit;
    }

    /** Whether everything that a writer has written was sent again. The writer says how far that is. In the writing half only. */
    boolean isComplete(long written) {
        limit = written;
        return done >= written;
    }
}
