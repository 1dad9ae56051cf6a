// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.CompletionChannel;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.VerbsException;

/** The notifications that a completion queue was asked to send to its channel. Only under the lock of the {@link DeviceQueue}. */
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
    private Wanted asked = Wanted.NONE;

    Notifications(CompletionQueue queue, CompletionChannel channel) {
        this.queue = queue;
        this.channel = channel;
    }

    /**
     * Asks for one notification, of whatever completes from now on; earlier completions bring none.
     *
     * @return false if one was asked for before, and has not come
     */
    boolean request(Wanted wanted) throws VerbsException {
        if (wanted.compareTo(asked) <= 0) {
            return false;
        }
        queue.requestNotify(wanted == Wanted.SOLICITED);
        asked = wanted;
        return true;
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
