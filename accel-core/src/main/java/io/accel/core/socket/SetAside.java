// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.jdk.MappedCopy;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The bytes that were read from the kernel before it was their turn: they stand behind an announcement, and come after everything that
 * comes over the link. If the link has broken, the peer's {@link ResumeRecord} stands before them. It is found here, and is not the
 * program's. A program that has not read up to the announcement has earlier bytes here, too, which come before everything over the link.
 *
 * <p>Under the lock of {@link Incoming}, except for the methods that any thread may call, which say so.
 */
final class SetAside {
    /** The largest array is smaller than the largest number by no more than this. */
    private static final int ARRAY_HEADER = 8;

    /**
     * The bytes that come before everything over the link; null if there are none. Written under the lock; any thread reads whether there
     * are any, and how many.
     */
    private volatile ByteBuffer early;
    /** The other bytes set aside, as above. */
    private volatile ByteBuffer bytes;
    /** The record that the peer must send once the link is known to have broken; null before that. Written by {@link Resumption}. */
    private volatile ResumeRecord record;
    /** Whether the bytes here were not searched for the record yet. */
    private boolean unsifted;

    // ---- the bytes

    /** Whether there are none. Any thread. */
    boolean isEmpty() {
        return bytes == null && early == null; // in this order, as endBeforeLink writes them in the other
    }

    /** The number of bytes. Any thread, as a hint. */
    int size() {
        return size(early) + size(bytes);
    }

    private static int size(ByteBuffer all) {
        return all == null ? 0 : all.remaining();
    }

    /** Whether bytes that come before everything over the link are unread. */
    boolean hasEarly() {
        return early != null;
    }

    /** Takes note that everything over the link comes behind the bytes that are here now, and before those that are added later. */
    void endBeforeLink() {
        early = bytes;
        bytes = null;
    }

    /** Sets bytes aside that begin with an announcement, which is dropped. */
    void addBehindAnnouncement(ByteBuffer more) {
        // A peer that could not announce its switch sends its record in the announcement's place.
        if (!awaitsRecord() || !ResumeRecord.mayBeginWith(more.get(more.position()))) {
            more.position(more.position() + 1);
        }
        add(more, true);
    }

    /**
     * Sets bytes aside behind the bytes that are here, and takes the record out of them.
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

    /** Sets bytes aside among which is no record. */
    void addProgramBytes(ByteBuffer more) {
        if (!more.hasRemaining()) {
            return;
        }
        ByteBuffer all = bytes;
        int n = more.remaining();
        if (all == null || all.capacity() - all.limit() < n) {
            all = larger(all, n);
        }
        int end = all.limit();
        all.limit(end + n).put(end, more, more.position(), n);
        more.position(more.limit());
        bytes = all;
    }

    /** Copies the bytes into a buffer with as much room again, so that pieces that come one after the other are copied twice on average. */
    private static ByteBuffer larger(ByteBuffer all, int more) {
        int size = size(all);
        if (all == null) {
            return ByteBuffer.allocate(more).limit(0);
        }
        int room = (int) Math.min(Integer.MAX_VALUE - ARRAY_HEADER, Math.max((long) size + more, 2L * size));
        return ByteBuffer.allocate(room).put(all.duplicate()).flip();
    }

    /**
     * Takes bytes out, and none from both sides of the link's.
     *
     * @param dst the buffer to fill
     * @return the number of bytes
     * @throws IOException "Bad address" if the buffer's memory is not there
     */
    int read(ByteBuffer dst) throws IOException {
        ByteBuffer first = early;
        ByteBuffer all = first != null ? first : bytes;
        if (all == null || !dst.hasRemaining()) {
            return 0;
        }
        int n = Math.min(all.remaining(), dst.remaining());
        MappedCopy.put(all, all.position(), dst, n);
        all.position(all.position() + n);
        if (!all.hasRemaining()) {
            if (first != null) {
                early = null;
            } else {
                bytes = null;
            }
        }
        return n;
    }

    /** Drops all bytes, which are not the program's. */
    void drop() {
        early = null;
        bytes = null;
    }

    // ---- the record of a peer whose link has broken

    /** The number of bytes that are neither the program's nor the record's before more come. */
    int held() {
        ResumeRecord awaited = record;
        return awaited == null ? 0 : awaited.held();
    }

    /** As {@link Incoming#await}. By {@link Resumption}, without the lock. */
    void await(ResumeRecord awaited) {
        record = awaited;
    }

    /** Stops waiting for a record. By the thread that {@linkplain #await awaits} it, without the lock. */
    void forgetRecord() {
        record = null;
    }

    /** Whether a record is awaited. Any thread. */
    boolean awaitsRecord() {
        ResumeRecord awaited = record;
        return awaited != null && !awaited.isFound();
    }

    /** Searches the bytes that were set aside before the record was awaited, since they may contain it. */
    void siftAgain(boolean link) {
        ByteBuffer all = bytes;
        if (unsifted && link && all != null) {
            bytes = null;
            add(all, true);
        }
        unsifted = false;
    }

    /** Looks for the record in bytes that nobody wants. */
    void siftForNobody(ByteBuffer came) {
        ByteBuffer unused = record.sift(came);
    }

    /** Hands the program the bytes that were held because they might have been the record. */
    void releaseHeld() {
        addProgramBytes(record.end());
    }
}
