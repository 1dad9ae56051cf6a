package io.accel.core.fabric.rdma;

import java.util.function.Consumer;

/**
 * Parts of the stream whose bytes are not in the mirror but where the program has them, in the order of the stream. Each has an
 * owner who waits for the memory: it is told when the device is done, once. Not thread-safe.
 */
final class InPlaceRanges {
    private static final int MOST = 64;
    private static final int MASK = MOST - 1;

    private final long[] from = new long[MOST];
    private final long[] to = new long[MOST];
    private final long[] address = new long[MOST];
    private final int[] key = new int[MOST];
    private final Object[] owner = new Object[MOST];

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
    private final Consumer<Object>[] done = new Consumer[MOST];

    // Counted up for ever: oldest that is not done with, oldest that is not posted to its end, next to be added.
    private long oldest;
    private long current;
    private long next;

    /** Adds a range; false if there are too many. The address is that of the first byte. */
    boolean add(long begin, long end, long where, int lkey, Object who, Consumer<Object> whenDone) {
        if (next - oldest == MOST) {
            return false;
        }
        int i = (int) next++ & MASK;
        from[i] = begin;
        to[i] = end;
        address[i] = where;
        key[i] = lkey;
        owner[i] = who;
        done[i] = whenDone;
        return true;
    }

    /** Whether the byte at a cursor, of which all before are posted, lies in place. */
    boolean covers(long cursor) {
        return current != next && from[(int) current & MASK] <= cursor;
    }

    /** Up to where the bytes from a cursor on lie together: the end of its range, or the begin of the next one. */
    long limit(long cursor, long end) {
        if (current == next) {
            return end;
        }
        int i = (int) current & MASK;
        return Math.min(end, from[i] <= cursor ? to[i] : from[i]);
    }

    /** Where the byte at a cursor that {@link #covers} is. */
    long address(long cursor) {
        int i = (int) current & MASK;
        return address[i] + (cursor - from[i]);
    }

    /** The key to the memory of the range at hand. */
    int key() {
        return key[(int) current & MASK];
    }

    /** Whether the range at hand ends there. */
    boolean endsAt(long cursor) {
        return to[(int) current & MASK] == cursor;
    }

    /** All before a cursor was posted. */
    void posted(long cursor) {
        while (current != next && to[(int) current & MASK] <= cursor) {
            current++;
        }
    }

    /** The device is done with all before a cursor. */
    void completed(long cursor) {
        while (oldest != current && to[(int) oldest & MASK] <= cursor) {
            release();
        }
    }

    /** The device is done with everything, whether it was sent or not. */
    void releaseAll() {
        current = next;
        while (oldest != next) {
            release();
        }
    }

    private void release() {
        int i = (int) oldest++ & MASK;
        Object who = owner[i];
        owner[i] = null;
        done[i].accept(who);
    }
}
