package io.accel.core.socket;

/**
 * How far what a broken link lost has been sent again through the kernel. The thread that sends it again sets {@link #done}; a writer, in its
 * half, says up to where it has written, and goes to the kernel itself once all of that is done.
 */
final class Replay {
    private static final long UNKNOWN = -1;

    private final long from;
    /** The cursor up to which it was sent again. Written by the one thread that does so; read by writers. */
    private volatile long done;
    /** The cursor up to which it has to be. Written in the writing half; read by that thread, with all bytes before it. */
    private volatile long limit = UNKNOWN;

    Replay(long from) {
        this.from = from;
        done = from;
    }

    /** As {@link Resumption#prepare}. */
    static void prepare() {}

    /** How many bytes were sent again. */
    long count() {
        return done - from;
    }

    long done() {
        return done;
    }

    /** More was sent again. */
    void sent(int more) {
        long before = done;
        done = before + more;
    }

    /** How many bytes are known to be left. */
    long left() {
        return Math.max(0, limit - done);
    }

    /** Whether it is for a writer to say how far it has come. */
    boolean isAtLimit() {
        return done >= limit;
    }

    /** Whether all is sent again that a writer has written. The writer says how far that is. In the writing half only. */
    boolean isComplete(long written) {
        limit = written;
        return done >= written;
    }
}
