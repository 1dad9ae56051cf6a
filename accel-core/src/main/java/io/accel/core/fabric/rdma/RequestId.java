// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/**
 * The number that a work request has in the device, and that its completion brings back. It says whose the request was, where a completion
 * queue has the completions of several links:
 *
 * <pre>
 *   bits 56 to 61   the link's place in the queue
 *   bits 32 to 55   the generation: how many links had that place before
 *   bit 31          whether the request is a receive
 *   bits 0 to 30    the lower bits of a send request's number
 * </pre>
 *
 * A completion that comes when its link is gone has the wrong generation for the next link in that place.
 */
final class RequestId {
    /** How many places there can be. */
    static final int PLACES = 64;

    private static final int PLACE_SHIFT = 56;
    private static final int GENERATION_SHIFT = 32;
    private static final int GENERATION_MASK = (1 << 24) - 1;
    private static final long RECEIVE = 1L << 31;
    private static final int NUMBER_MASK = Integer.MAX_VALUE;

    private RequestId() {}

    /** The bits that all requests of a link have in common. */
    static long base(int place, int generation) {
        return (long) place << PLACE_SHIFT | (long) (generation & GENERATION_MASK) << GENERATION_SHIFT;
    }

    /** The generation after another one. */
    static int nextGeneration(int generation) {
        return (generation + 1) & GENERATION_MASK;
    }

    static long receive(long base) {
        return base | RECEIVE;
    }

    static long send(long base, long number) {
        return base | (number & NUMBER_MASK);
    }

    /** The place; 64 or more for an identifier that no link has given. */
    static int place(long id) {
        return (int) (id >>> PLACE_SHIFT);
    }

    static int generation(long id) {
        return (int) (id >>> GENERATION_SHIFT) & GENERATION_MASK;
    }

    static boolean isReceive(long id) {
        return (id & RECEIVE) != 0;
    }

    /**
     * The whole number of a send request.
     *
     * @param least a number that is not greater, by less than 2^31
     */
    static long number(long id, long least) {
        return least + (((int) id - (int) least) & NUMBER_MASK);
    }
}
