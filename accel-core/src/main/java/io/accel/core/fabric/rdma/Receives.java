// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.WcFlags;
import io.accel.core.fabric.rdma.verbs.WcOpcode;
import io.accel.core.fabric.rdma.verbs.WorkCompletions;

/**
 * The receives of a link: this reads the words of the completed ones, and posts them again. Each message of the peer
 * takes one. Only under the link's lock.
 */
final class Receives {
    private final Endpoint endpoint;
    private final Inbound in;
    /** The peer's words; null if they come as immediate data. */
    private final ReceivedWords words;

    private final int depth;
    /** How many are posted again at once. */
    private final int atOnce;
    /** How many have completed, and are not posted again. */
    private int back;
    /** How many were posted since the beginning. */
    private long posted;

    Receives(Endpoint endpoint, Inbound in, int batch) {
        this.endpoint = endpoint;
        this.in = in;
        this.words = endpoint.words();
        this.depth = endpoint.depth();
        this.atOnce = Math.min(batch, depth / 8);
        this.posted = depth;
    }

    /** A receive has completed, in whatever way. */
    void returned() {
        back++;
    }

    /**
     * Whether no receive is posted any more: a queue pair in error gives all of them back, including some that it
     * refused when they were posted.
     */
    boolean areAllBack() {
        return back >= depth;
    }

    /** Takes the word of a receive that has completed with success. Returns its fault, or null. */
    String take(WorkCompletions batch, int i) {
        int opcode = batch.opcode(i);
        if (words != null) {
            int word = words.take();
            return opcode == WcOpcode.RECV && batch.byteLength(i) == Integer.BYTES
                    ? in.take(word)
                    : in.nonsense("a message that is no word");
        }
        return opcode == WcOpcode.RECV_RDMA_WITH_IMM && (batch.flags(i) & WcFlags.WITH_IMM) != 0
                ? in.take(batch.immediate(i))
                : in.nonsense("a message that is no write");
    }

    /** Posts the returned receives again, if there are enough. Returns whether it has. */
    boolean repost() throws VerbsException {
        if (back < atOnce) {
            return false;
        }
        endpoint.postReceives(back);
        posted += back;
        back = 0;
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
