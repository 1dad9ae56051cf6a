// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/**
 * The identifier of a work request ({@code wr_id}), which comes back with its completion. It names the link's place in the queue, and which
 * of the links it is that have had that place, since completions of a link that has closed may still come. Besides it says whether the
 * request is a receive, or which send it is.
 */
final class RequestId {
    /** How many places there are to name. */
    static final int PLACES = 1 << 15;

    private static final long RECEIVE = 1L << 63;
    private static final int PLACE_SHIFT = 48;
    private static final int TURN_SHIFT = 32;
    private static final int TURN_MASK = 0xffff;
    private static final long NUMBER_MASK = 0xffff_ffffL;

    private RequestId() {}

    /**
     * What all identifiers of a link have in common.
     *
     * @param place its place, less than {@link #PLACES}
     * @param turn how many links had that place before; its low 16 bits count
     */
    static long ofLink(int place, int turn) {
        return ((long) place << PLACE_SHIFT) | ((long) (turn & TURN_MASK) << TURN_SHIFT);
    }

    static long receive(long ofLink) {
        return ofLink | RECEIVE;
    }

    /** Of a send's number only the low half is kept: less than that are under way. */
    static long send(long ofLink, long number) {
        return ofLink | (number & NUMBER_MASK);
    }

    static boolean isReceive(long id) {
        return id < 0;
    }

    static int place(long id) {
        return (int) (id >>> PLACE_SHIFT) & (PLACES - 1);
    }

    /** Whether a request is that of a link. */
    static boolean isOf(long id, long ofLink) {
        return (id & ~(RECEIVE | NUMBER_MASK)) == ofLink;
    }
}
