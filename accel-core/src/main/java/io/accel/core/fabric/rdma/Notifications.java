package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.CompletionChannel;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.VerbsException;

/** What a completion queue was asked to ring its channel for. Only under the link's lock. */
final class Notifications {
    /** In this order: a side that asked for more is told of less, too. */
    enum Wanted {
        NONE,
        /** Of messages of the peer's that ask for it. */
        SOLICITED,
        ALL
    }

    private final CompletionQueue queue;
    private final CompletionChannel channel;
    /** Whether the device tells which messages ask for it. Linux's Soft-iWARP says so of no receive. */
    private final boolean tellsSolicited;

    private Wanted asked = Wanted.NONE;

    Notifications(Endpoint endpoint) {
        this.queue = endpoint.queue();
        this.channel = endpoint.channel();
        this.tellsSolicited = endpoint.words() == null; // with iWARP words come by sends
    }

    /** Asks for one notification, of whatever completes from now on; what has completed before brings none. */
    void request(Wanted wanted) throws VerbsException {
        Wanted least = wanted == Wanted.SOLICITED && !tellsSolicited ? Wanted.ALL : wanted;
        if (least.compareTo(asked) > 0) {
            queue.requestNotify(least == Wanted.SOLICITED);
            asked = least;
        }
    }

    /** Takes those that have come; returns whether there were any. */
    boolean drain() throws VerbsException {
        boolean rung = false;
        while (channel.nextEvent() != null) {
            rung = true;
            asked = Wanted.NONE;
        }
        queue.acknowledgeEvents();
        return rung;
    }
}
