package io.accel.core.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which half of a connection told the program of the peer's reset. As with TCP, an error is reported once, to whoever asks
 * first: after a reset met by a read, reads go on to say so and writes find a broken pipe; after one met by a write, reads find the
 * end. A reset behind the end of what the peer sent is told to nobody: reads find the end, writes a broken pipe. Shared by a connection's two halves, which may ask at the same time. Safe for use by several threads.
 */
public final class PeerReset {
    private enum ToldTo {
        NOBODY,
        /** The end had been read before. */
        NEITHER,
        /** What a reader took for the end was this reset, of which a write had heard that could not tell. */
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

    /** Changed from each of these to one that stands behind it, by compare-and-set in either half. It guards no other memory. */
    private volatile ToldTo toldTo = ToldTo.NOBODY;

    PeerReset() {}

    /** Whether the reader reports it: it is the first to ask, or reported it before. */
    public boolean isReaders() {
        return TOLD_TO.compareAndSet(this, ToldTo.NOBODY, ToldTo.READER) || toldTo == ToldTo.READER;
    }

    /** Whether the writer is the first to ask. */
    public boolean isNewToWriter() {
        return TOLD_TO.compareAndSet(this, ToldTo.NOBODY, ToldTo.WRITER)
                || TOLD_TO.compareAndSet(this, ToldTo.OWED_TO_WRITER, ToldTo.WRITER);
    }

    /**
     * As {@link #isNewToWriter}, of a reset that another path has told a write of. It tells that once, and never behind the end: what a
     * reader took for the end meanwhile was the same reset.
     */
    public boolean isWriters() {
        return isNewToWriter() || TOLD_TO.compareAndSet(this, ToldTo.NEITHER, ToldTo.WRITER);
    }

    /** As {@link #isWriters}, where it is the next write that reports it. */
    public void isOwedToWriter() {
        boolean unused = TOLD_TO.compareAndSet(this, ToldTo.NEITHER, ToldTo.OWED_TO_WRITER);
    }

    /** The reader has met the end of what the peer sent, on another path than the link's. */
    public void comesBehindEnd() {
        boolean unused = TOLD_TO.compareAndSet(this, ToldTo.NOBODY, ToldTo.NEITHER);
    }

    /** Whether the reader reported it. */
    public boolean wasRead() {
        return toldTo == ToldTo.READER;
    }
}
