// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.WcFlags;
import io.accel.core.fabric.rdma.verbs.WcOpcode;
import io.accel.core.fabric.rdma.verbs.WcStatus;

/**
 * What completions have brought for one link: a few counts, and {@link Inbound}. Any number of completions fits in here, so whoever takes
 * them from a {@link SharedQueue} needs neither the link's lock nor room, and a link that nobody serves holds up no other.
 *
 * <p>Written under the shared queue's lock; read by any thread. What a completion brings is written before it is counted, and readers look
 * at the counts first.
 */
final class Arrivals {
    private final Inbound in;
    /** The peer's words; null if they come as immediate data. */
    private final ReceivedWords words;

    private volatile long received;
    private volatile long sent;
    private volatile long failedSends;
    /** The status of the first request that failed, {@link WcStatus#SUCCESS} if none has. */
    private volatile int failure = WcStatus.SUCCESS;
    /** Written before the status. */
    private boolean isReceiveFailed;
    /** The fault of the peer's words; null if there is none. */
    private volatile String fault;
    /** The error that taking a completion has met, which may have been lost with it; null for none. */
    private volatile Throwable error;

    Arrivals(Inbound in, ReceivedWords words) {
        this.in = in;
        this.words = words;
    }

    // ---- under the shared queue's lock

    /** Takes a completion of the link. Returns whether its sender asked for a notification, or it has failed. */
    boolean take(Completions batch, int i) {
        long id = batch.id(i);
        int status = batch.status(i);
        boolean isReceive = RequestId.isReceive(id);
        if (status != WcStatus.SUCCESS) {
            fail(status, isReceive);
            if (isReceive) {
                countReceive();
            } else {
                long before = failedSends;
                failedSends = before + 1;
            }
            return true;
        }
        if (!isReceive) {
            sent = RequestId.number(id, sent) + 1;
            return false;
        }
        try {
            return takeWord(batch, i);
        } finally {
            countReceive(); // also after an error: an end waits for all receives
        }
    }

    /** Takes note that taking a completion of the link has met an error. */
    void met(Throwable e) {
        error = e;
    }

    private void countReceive() {
        long before = received; // which only this thread changes
        received = before + 1;
    }

    private void fail(int status, boolean isReceive) {
        if (failure == WcStatus.SUCCESS) {
            isReceiveFailed = isReceive;
            failure = status;
        }
    }

    private boolean takeWord(Completions batch, int i) {
        int opcode = batch.opcode(i);
        int word;
        String wrong = null;
        if (words != null) {
            word = words.take();
            if (opcode != WcOpcode.RECV || batch.byteLength(i) != Integer.BYTES) {
                wrong = in.nonsense("a message that is no word");
            }
        } else {
            word = batch.immediate(i);
            if (opcode != WcOpcode.RECV_RDMA_WITH_IMM || (batch.flags(i) & WcFlags.WITH_IMM) == 0) {
                wrong = in.nonsense("a message that is no write");
            }
        }
        if (wrong == null) {
            wrong = in.take(word);
        }
        if (wrong != null && fault == null) {
            fault = wrong;
        }
        return wrong != null || Immediate.op(word) != Immediate.CREDIT;
    }

    // ---- any thread

    Inbound in() {
        return in;
    }

    /** How many receives have come back, in whatever way. */
    long received() {
        return received;
    }

    /** The number after that of the last send request that has completed with success. */
    long sent() {
        return sent;
    }

    /** A number that each completion changes. */
    long completions() {
        return received + sent + failedSends;
    }

    /** The status of the first request that failed, {@link WcStatus#SUCCESS} if none has. */
    int failure() {
        return failure;
    }

    /** Whether that was a receive. */
    boolean isReceiveFailed() {
        return isReceiveFailed;
    }

    /** The error that taking a completion has met; null for none. */
    Throwable error() {
        return error;
    }

    /** The fault of the peer's words; null if there is none. */
    String fault() {
        return fault;
    }
}
