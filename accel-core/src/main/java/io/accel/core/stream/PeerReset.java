// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Records which half of a connection told the program of the peer's reset. As with TCP, an error is reported once, to
 * the half that asks first: after a read met the reset, reads go on to report it and writes find a broken pipe; after
 * a write met it, reads find the end. Nobody is told of a reset behind the end of the peer's bytes: reads find the
 * end, writes a broken pipe. A connection's two halves share this object, and may ask at the same time. Safe for use
 * by several threads.
 */
public final class PeerReset {
    private enum ToldTo {
        NOBODY,
        /** The end had been read before the reset. */
        NEITHER,
        /** The reader took this reset for the end. A write had heard of the reset but could not report it. */
        OWED_TO_WRITER,
        READER,
        WRITER
    }

    private static final VarHandle TOLD_TO;

    static {
        try {
            TOLD_TO = MethodHandles.lookup().findVarHandle(PeerReset.class, "toldTo", ToldTo.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Either half moves it from one constant to a later one, by compare-and-set. It guards no other memory. */
    private volatile ToldTo toldTo = ToldTo.NOBODY;

    PeerReset() {}

    /** Whether the reader reports the reset: it is the first to ask, or reported it before. */
    public boolean isReaders() {
        return TOLD_TO.compareAndSet(this, ToldTo.NOBODY, ToldTo.READER) || toldTo == ToldTo.READER;
    }

    /** Whether the writer is the first to ask. */
    public boolean isNewToWriter() {
        return TOLD_TO.compareAndSet(this, ToldTo.NOBODY, ToldTo.WRITER)
                || TOLD_TO.compareAndSet(this, ToldTo.OWED_TO_WRITER, ToldTo.WRITER);
    }

    /**
     * As {@link #isNewToWriter}, for a reset that another path has reported to a write. That path reports it once,
     * and never behind the end: if a reader met an end meanwhile, it was the same reset.
     */
    public boolean isWriters() {
        return isNewToWriter() || TOLD_TO.compareAndSet(this, ToldTo.NEITHER, ToldTo.WRITER);
    }

    /** As {@link #isWriters}, where the next write reports the reset. */
    public void isOwedToWriter() {
        boolean unused = TOLD_TO.compareAndSet(this, ToldTo.NEITHER, ToldTo.OWED_TO_WRITER);
    }

    /** The reader has met the end of the peer's bytes, on another path than the link's. */
    public void comesBehindEnd() {
        boolean unused = TOLD_TO.compareAndSet(this, ToldTo.NOBODY, ToldTo.NEITHER);
    }

    /** Whether the reader reported the reset. */
    public boolean wasRead() {
        return toldTo == ToldTo.READER;
    }
}
