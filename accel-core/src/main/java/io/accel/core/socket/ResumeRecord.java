// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.nio.ByteBuffer;

/**
 * The record that an end of a connection sends over the anchor when the link has broken: the cursor up to which it has received bytes over
 * the link. The anchor carries the sender's bytes behind the record; before it may stand bytes that the sender has written since it went
 * back to the kernel. An end that closes says how far it has sent, whether or not the link is broken: the link may break while the last of
 * those bytes are on their way.
 *
 * <pre>
 *   mark 8, the link's nonce 8, cursor 8
 * </pre>
 *
 * Big-endian, 24 bytes. A value below {@link #LOST} comes from an end that has closed, and is -2 minus its cursor. No program sends mark
 * and nonce together. This class also finds the record among incoming bytes, some of which may be the program's: in a direction that never
 * switched, the record may stand at any place. Not safe for use by several threads.
 */
final class ResumeRecord {
    static final int SIZE = 24;
    /** The value in place of a cursor when bytes are lost, and the connection with them. */
    static final long LOST = -1;

    /** The cursor of an end that has closed and sent nothing. */
    private static final long CLOSING = -2;

    private static final long MARK = 0x8A_C0_4E_D1_1F_6B_9E_03L;
    private static final int KEY = 16;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final byte[] key;
    /** The last bytes that came, and that may be a part of the record. */
    private ByteBuffer held = NOTHING;

    private boolean found;
    private long received;
    private boolean isFirst = true;

    /** A record that is yet to be found. */
    ResumeRecord(long nonce) {
        key = ByteBuffer.allocate(KEY).putLong(MARK).putLong(nonce).array();
    }

    /** As {@link Resumption#prepare}. */
    static void prepare() {}

    /** The record as it is sent. */
    static ByteBuffer of(long nonce, long received) {
        return ByteBuffer.allocate(SIZE)
                .putLong(MARK)
                .putLong(nonce)
                .putLong(received)
                .flip();
    }

    /**
     * The record of an end that closes.
     *
     * @param sent the cursor up to which that end has sent over the link
     */
    static ByteBuffer ofClosing(long nonce, long sent) {
        return of(nonce, CLOSING - sent);
    }

    /** Whether the peer has closed, and will not say what it has received. Only once the record is found. */
    boolean isOfClosing() {
        return received <= CLOSING;
    }

    /** The cursor up to which a peer that {@linkplain #isOfClosing has closed} had sent. */
    long sent() {
        return CLOSING - received;
    }

    boolean isFound() {
        return found;
    }

    /** The cursor up to which the peer has received. Only once the record is found. */
    long received() {
        return received;
    }

    /** Whether nothing came before the record. */
    boolean isFirst() {
        return isFirst;
    }

    /** Whether anything came but the record. */
    boolean hasSeenMore() {
        return !isFirst || held.hasRemaining();
    }

    /** The number of bytes that may be a part of the record. */
    int held() {
        return held.remaining();
    }

    /** Whether a record may begin with a byte. An announcement never looks like one. */
    static boolean mayBeginWith(byte first) {
        return first == (byte) (MARK >>> 56);
    }

    /**
     * Takes the record out of incoming bytes.
     *
     * @param came the next bytes
     * @return the program's bytes among them and among the bytes held before
     */
    ByteBuffer sift(ByteBuffer came) {
        if (found) {
            return came;
        }
        ByteBuffer all = ByteBuffer.allocate(held.remaining() + came.remaining())
                .put(held)
                .put(came)
                .flip();
        int at = 0;
        while (at < all.limit() && !mayBegin(all, at)) {
            at++;
        }
        isFirst &= at == 0;
        if (all.limit() - at < SIZE) {
            held = all.slice(at, all.limit() - at);
            return all.limit(at);
        }
        found = true;
        held = NOTHING;
        received = all.getLong(at + KEY);
        ByteBuffer rest = ByteBuffer.allocate(all.limit() - SIZE);
        rest.put(0, all, 0, at).put(at, all, at + SIZE, all.limit() - at - SIZE);
        return rest;
    }

    /** Ends the search, since nothing more comes: the held bytes are the program's. */
    ByteBuffer end() {
        ByteBuffer last = held;
        held = NOTHING;
        return last;
    }

    private boolean mayBegin(ByteBuffer all, int at) {
        int length = Math.min(KEY, all.limit() - at);
        for (int i = 0; i < length; i++) {
            if (all.get(at + i) != key[i]) {
                return false;
            }
        }
        return true;
    }
}
