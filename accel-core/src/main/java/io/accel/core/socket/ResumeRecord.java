package io.accel.core.socket;

import java.nio.ByteBuffer;

/**
 * What an end of a connection says over the anchor when their link has broken: up to where it has received what came by the
 * link. What the anchor carries behind it are the peer's bytes from there on; before it may stand such as the peer has written since it
 * went back to the kernel. An end that closes says, whether or not the link is
 * broken, up to where it has sent: the link may break while the last of that is on its way.
 *
 * <pre>
 *   mark 8, the link's nonce 8, cursor 8
 * </pre>
 *
 * Big-endian, 24 bytes. A cursor that is less than {@link #LOST} is that of an end that has closed, as -2 less the cursor. Mark and nonce together are what no program sends. This also finds the record among the bytes that
 * come, some of which may be the program's: in a direction that never switched the record stands at any place. Not safe for use
 * by several threads.
 */
final class ResumeRecord {
    static final int SIZE = 24;
    /** For a cursor: bytes are lost, and the connection with them. */
    static final long LOST = -1;

    /** The cursor of an end that has closed and sent nothing. */
    private static final long CLOSING = -2;

    private static final long MARK = 0x8A_C0_4E_D1_1F_6B_9E_03L;
    private static final int KEY = 16;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final byte[] key;
    /** What came last and may be a part of the record. */
    private ByteBuffer held = NOTHING;

    private boolean found;
    private long received;
    private boolean isFirst = true;

    /** To be found. */
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
     * @param sent up to where it has sent over the link
     */
    static ByteBuffer ofClosing(long nonce, long sent) {
        return of(nonce, CLOSING - sent);
    }

    /** Whether the peer has closed, and will not say what it has received; once it is found. */
    boolean isOfClosing() {
        return received <= CLOSING;
    }

    /** Up to where a peer had sent that {@linkplain #isOfClosing has closed}. */
    long sent() {
        return CLOSING - received;
    }

    boolean isFound() {
        return found;
    }

    /** What the peer has received; once it is found. */
    long received() {
        return received;
    }

    /** Whether nothing came before it. */
    boolean isFirst() {
        return isFirst;
    }

    /** Whether anything came but the record. */
    boolean hasSeenMore() {
        return !isFirst || held.hasRemaining();
    }

    /** Whether that may be what begins with a byte; an announcement never is. */
    static boolean mayBeginWith(byte first) {
        return first == (byte) (MARK >>> 56);
    }

    /**
     * Takes the record out of what came.
     *
     * @param came the next bytes
     * @return those of them, and of the ones that were held before, that are the program's
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

    /** Nothing more comes: what was held is the program's. */
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
