// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.VerbsException;

/** The receives of a link, which this posts again when they have come back. Each message of the peer takes one. Only under the link's lock. */
final class Receives {
    private final Endpoint endpoint;
    private final Arrivals arrivals;

    private final int depth;
    /** How many are posted again at once. */
    private final int atOnce;
    /** How many were posted since the beginning. */
    private long posted;

    Receives(Endpoint endpoint, int batch) {
        this.endpoint = endpoint;
        this.arrivals = endpoint.arrivals();
        this.depth = endpoint.depth();
        this.atOnce = Math.min(batch, depth / 8);
        this.posted = depth;
    }

    /**
     * Whether no receive is posted any more: a queue pair in error gives all of them back, including some that it
     * refused when they were posted.
     */
    boolean areAllBack() {
        return back() >= depth;
    }

    /** How many have completed, and are not posted again. */
    private long back() {
        return arrivals.received() - (posted - depth);
    }

    /** Posts the returned receives again, if there are enough. Returns whether it has. */
    boolean repost() throws VerbsException {
        int back = (int) Math.min(back(), depth);
        if (back < atOnce) {
            return false;
        }
        endpoint.postReceives(back);
        posted += back;
        return true;
    }

    /** How many receives were posted since the beginning. */
    long posted() {
        return posted;
    }

    /** Whether the peer, which was last told of this many, should be told the present number. */
    boolean areWorthTelling(long told) {
        return posted - told >= depth / 4;
    }
}
