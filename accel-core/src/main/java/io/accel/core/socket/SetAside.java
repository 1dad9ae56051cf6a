package io.accel.core.socket;

import java.nio.ByteBuffer;

/**
 * What was read from the kernel before it is the program's turn to have it: bytes that stand behind an announcement, and come after all
 * that comes over the link. Where the link has broken the peer's {@link ResumeRecord} stands before them. It is found here, and is not the
 * program's.
 *
 * <p>Under the lock of {@link Incoming}, but for what any thread may call, which says so.
 */
final class SetAside {
    /** Null if there are none. Written under the lock; any thread reads whether there are any, and how many. */
    private volatile ByteBuffer bytes;
    /** What the peer is to say of a link that broke, once it is known to have broken; before null. Written by {@link Resumption}. */
    private volatile ResumeRecord record;
    /** Whether what is here was not looked through for that. */
    private boolean unsifted;

    // ---- the bytes

    /** Whether there are none. Any thread. */
    boolean isEmpty() {
        return bytes == null;
    }

    /** How many bytes there are. Any thread, for a hint. */
    int size() {
        ByteBuffer all = bytes;
        return all == null ? 0 : all.remaining();
    }

    /** Sets bytes aside that begin with an announcement, which is dropped. */
    void addBehindAnnouncement(ByteBuffer more) {
        // A peer that could not tell of its switch says its record in the announcement's place.
        if (!awaitsRecord() || !ResumeRecord.mayBeginWith(more.get(more.position()))) {
            more.position(more.position() + 1);
        }
        add(more, true);
    }

    /**
     * Sets bytes aside behind those that are here, without the record.
     *
     * @param link whether the link comes before them, so that a record may be among them
     */
    void add(ByteBuffer more, boolean link) {
        ResumeRecord awaited = record;
        if (awaited == null) {
            addProgramBytes(more);
            unsifted |= link;
        } else {
            addProgramBytes(awaited.sift(more));
        }
    }

    private void addProgramBytes(ByteBuffer more) {
        if (more.hasRemaining()) {
            ByteBuffer before = bytes;
            ByteBuffer all = ByteBuffer.allocate(size() + more.remaining());
            if (before != null) {
                all.put(before.duplicate());
            }
            bytes = all.put(more).flip();
        }
    }

    /**
     * Takes bytes out.
     *
     * @param dst where to
     * @return how many
     */
    int read(ByteBuffer dst) {
        ByteBuffer all = bytes;
        if (all == null || !dst.hasRemaining()) {
            return 0;
        }
        int n = Math.min(all.remaining(), dst.remaining());
        dst.put(all.slice(all.position(), n));
        all.position(all.position() + n);
        if (!all.hasRemaining()) {
            bytes = null;
        }
        return n;
    }

    // ---- the word of a peer whose link has broken

    /** As {@link Incoming#await}. By {@link Resumption}, without the lock. */
    void await(ResumeRecord awaited) {
        record = awaited;
    }

    /** No record is to come. By the thread that {@linkplain #await awaits} it, without the lock. */
    void forgetRecord() {
        record = null;
    }

    /** Whether a record is to come. Any thread. */
    boolean awaitsRecord() {
        ResumeRecord awaited = record;
        return awaited != null && !awaited.isFound();
    }

    /** What was set aside before the record was awaited may have it in it. */
    void siftAgain(boolean link) {
        ByteBuffer all = bytes;
        if (unsifted && link && all != null) {
            bytes = null;
            add(all, true);
        }
        unsifted = false;
    }

    /** Looks for the record in bytes that are nothing to anybody. */
    void siftForNobody(ByteBuffer came) {
        ByteBuffer unused = record.sift(came);
    }

    /** What was held, because it might have been the record, is the program's. */
    void releaseHeld() {
        addProgramBytes(record.end());
    }
}
