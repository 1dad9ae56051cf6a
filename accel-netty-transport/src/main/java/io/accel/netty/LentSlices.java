// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.LinkReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.io.IOException;

/**
 * The slices of one receive ring that handlers have, oldest first. Ring space goes back to the sender in order, so everything from the
 * oldest slice on is held. Whenever that is more than a {@linkplain #SHARE share} of the ring, the oldest slices are copied out. So no
 * handler can stall its connection by keeping a buffer. Space that was released, but is reported to the sender only at the next read,
 * cannot stall it either: a sender that lacks space has written something to read.
 *
 * <p>Event loop only; any thread may release slices.
 */
final class LentSlices {
    /** The divisor of the ring's capacity that gives the most bytes which slices may hold. */
    static final int SHARE = 4;
    /** The least bytes of a slice: fewer are copied faster than a slice is made. */
    static final int LEAST = 1024;

    private static final int MOST = 64;

    private final LinkReader reader;
    private final RingByteBuf[] lent = new RingByteBuf[MOST];
    private int first;
    private int count;

    /** The released slices, to be used again. */
    private final RingByteBuf[] spares = new RingByteBuf[MOST];

    private int spareCount;

    private final ByteBuf ring;
    private final int share;

    LentSlices(LinkReader reader, ByteBuf ring) {
        this.reader = reader;
        this.ring = ring;
        this.share = ring.capacity() / SHARE;
    }

    /**
     * Returns a slice of the bytes to read, or null at the end, which the handle then knows, and where there are few bytes. The caller
     * is in the reading half, as for all methods that are not said to enter it.
     */
    ByteBuf lend(RecvByteBufAllocator.ExtendedHandle handle, ByteBufAllocator allocator) throws IOException {
        long at = reader.position();
        int length = reader.lend(LEAST, share);
        handle.lastBytesRead(length);
        if (length <= 0) {
            return null;
        }
        int offset = (int) at & (ring.capacity() - 1);
        // Where the slice meets the end of the ring, more bytes may lie at its beginning.
        handle.attemptedBytesRead(offset + length == ring.capacity() ? length : share);
        handle.lastBytesRead(length);
        RingByteBuf slice = spareCount > 0 ? spares[--spareCount] : new RingByteBuf(ring);
        slice.lend(at, offset, length, allocator);
        add(slice);
        return LeakTracking.track(slice);
    }

    private void add(RingByteBuf slice) {
        if (count == MOST) {
            lent[first].copyOut();
            removeDone();
        }
        lent[(first + count++) % MOST] = slice;
    }

    /** Called after a read: copies out the slices beyond the share, and tells the link which bytes are still lent. */
    void settle() {
        removeDone();
        while (count > 0 && reader.position() - lent[first].cursor() > share) {
            lent[first].copyOut();
            removeDone();
        }
        keep();
    }

    /** Gives the released space to the sender; enters the reading half. */
    void giveBack() {
        if (count > 0 && lent[first].isDone()) {
            reader.lock();
            try {
                removeDone();
                keep();
            } finally {
                reader.unlock();
            }
        }
    }

    private void removeDone() {
        while (count > 0 && lent[first].isDone()) {
            RingByteBuf slice = lent[first];
            lent[first] = null;
            first = (first + 1) % MOST;
            count--;
            if (slice.isReusable() && spareCount < MOST) {
                spares[spareCount++] = slice;
            }
        }
    }

    private void keep() {
        reader.keep(count == 0 ? Long.MAX_VALUE : lent[first].cursor());
    }

    /** Whether a caller up the stack may be reading from the ring through a view of a slice. */
    boolean isViewed() {
        for (int i = 0; i < count; i++) {
            if (lent[(first + i) % MOST].isViewed()) {
                return true;
            }
        }
        return false;
    }

    /** Copies all slices out before the ring goes, or another thread becomes its owner. Enters the reading half. */
    void copyOutAll() {
        for (int i = 0; i < count; i++) {
            lent[(first + i) % MOST].copyOut();
        }
        giveBack();
        spareCount = 0; // each belongs to the thread that made it
    }
}
