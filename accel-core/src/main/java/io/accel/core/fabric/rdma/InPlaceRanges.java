// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import java.util.function.Consumer;

/**
 * Parts of the stream whose bytes are not in the mirror but in the program's own memory, in the order of the stream.
 * The owner of each waits for the memory, and is told once when the device is done. Not thread-safe.
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

    // These count up for ever: the oldest range still in use, the oldest not posted to its end, the next to be added.
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

    /** Whether the byte at a cursor lies in place. All bytes before the cursor are posted. */
    boolean covers(long cursor) {
        return current != next && from[(int) current & MASK] <= cursor;
    }

    /** The end of the contiguous bytes from a cursor on: the end of its range, or the begin of the next one. */
    long limit(long cursor, long end) {
        if (current == next) {
            return end;
        }
        int i = (int) current & MASK;
        return Math.min(end, from[i] <= cursor ? to[i] : from[i]);
    }

    /** The address of the byte at a cursor that {@link #covers} accepts. */
    long address(long cursor) {
        int i = (int) current & MASK;
        return address[i] + (cursor - from[i]);
    }

    /** The key to the memory of the range at hand. */
    int key() {
        return key[(int) current & MASK];
    }

    /** Whether the range at hand ends at a cursor. */
    boolean endsAt(long cursor) {
        return to[(int) current & MASK] == cursor;
    }

    /** All bytes before a cursor were posted. */
    void posted(long cursor) {
        while (current != next && to[(int) current & MASK] <= cursor) {
            current++;
        }
    }

    /** The device is done with all bytes before a cursor. */
    void completed(long cursor) {
        while (oldest != current && to[(int) oldest & MASK] <= cursor) {
            release();
        }
    }

    /** The device is done with all ranges, whether they were sent or not. */
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
