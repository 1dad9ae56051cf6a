// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * The watch of one channel for several registrations of one poller: one key of the JDK's selector, as long as a registration wants it. A
 * ring reaches the registrations that it is for by their ringers, see {@link Pollable#takeRings}. Registering threads join, and the
 * owner of the poller's turn does everything else.
 */
final class SharedWatch {
    private final SelectionKey key;
    private final List<Registration> members = new ArrayList<>(); // guarded by this

    /** Has the selector watch the channel; the key's attachment is this. */
    SharedWatch(SelectableChannel channel, Selector selector) throws ClosedChannelException {
        key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    /** Adds a registration, from whose ringer it hears from now on. */
    void join(Registration registration) {
        synchronized (this) {
            members.add(registration);
        }
        registration.pollable.addRinger(registration.ringer());
    }

    /** Removes a registration. Returns whether it was the last, whereupon the key was cancelled. */
    boolean leave(Registration registration) {
        registration.pollable.removeRinger(registration.ringer());
        synchronized (this) {
            members.remove(registration);
            if (!members.isEmpty()) {
                return false;
            }
        }
        key.cancel();
        return true;
    }

    synchronized void addMembersTo(List<Registration> all) {
        all.addAll(members);
    }

    /** The channel can be read. Each member's object stays until the owner of the turn, who calls this, has released it. */
    void takeRings() {
        Registration any;
        synchronized (this) {
            any = members.isEmpty() ? null : members.get(0);
        }
        if (any != null) {
            boolean taken = false;
            try {
                any.pollable.takeRings();
                taken = true;
            } finally {
                if (!taken) {
                    refreshAll(); // a ring may have been for any of them
                }
            }
        }
    }

    private synchronized void refreshAll() {
        for (int i = 0; i < members.size(); i++) {
            members.get(i).refresh();
        }
    }
}
