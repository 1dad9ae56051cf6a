// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.CompletionChannel;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.VerbsException;

/** The notifications that a completion queue was asked to send to its channel. Only under the link's lock. */
final class Notifications {
    /** The order counts: a side that asked for more is told of less, too. */
    enum Wanted {
        NONE,
        /** Notify of messages from the peer that ask for it. */
        SOLICITED,
        ALL
    }

    private final CompletionQueue queue;
    private final CompletionChannel channel;
    /** Whether the device tells which messages ask for a notification. Linux's Soft-iWARP marks no receive so. */
    private final boolean tellsSolicited;

    private Wanted asked = Wanted.NONE;

    Notifications(Endpoint endpoint) {
        this.queue = endpoint.queue();
        this.channel = endpoint.channel();
        this.tellsSolicited = endpoint.words() == null; // with iWARP words come by sends
    }

    /** Asks for one notification, of whatever completes from now on; earlier completions bring none. */
    void request(Wanted wanted) throws VerbsException {
        Wanted least = wanted == Wanted.SOLICITED && !tellsSolicited ? Wanted.ALL : wanted;
        if (least.compareTo(asked) > 0) {
            queue.requestNotify(least == Wanted.SOLICITED);
            asked = least;
        }
    }

    /** Takes the notifications that have come; returns whether there were any. */
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
