// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The one key of a channel that a poller watches for several registrations, and those registrations. The key is theirs together: it is
 * asked for news as long as one of them wants any, and ends with the last of them. Only in the monitor of {@link KernelWatch}'s map.
 */
final class SharedWatch {
    /** All registrations with the channel. */
    private final Set<Registration> members = new LinkedHashSet<>();
    /** Those of them that want news. */
    private final Set<Registration> listening = new LinkedHashSet<>();

    private SelectionKey key;

    /** Takes the key. Call it first. */
    void begin(SelectionKey with) {
        key = with;
    }

    /** A registration, new or not, wants these operations, perhaps none. */
    void want(Registration registration, int ops) {
        members.add(registration);
        boolean changes = ops != 0 ? listening.add(registration) : listening.remove(registration);
        if (changes) {
            listen();
        }
    }

    /**
     * A registration ends.
     *
     * @return whether it was the last: the key is cancelled then
     */
    boolean leave(Registration registration) {
        members.remove(registration);
        boolean changes = listening.remove(registration);
        if (members.isEmpty()) {
            key.cancel();
            return true;
        }
        if (changes) {
            listen();
        }
        return false;
    }

    private void listen() {
        int ops = listening.isEmpty() ? 0 : SelectionKey.OP_READ;
        try {
            if (key.interestOps() != ops) {
                key.interestOps(ops);
            }
        } catch (CancelledKeyException e) {
            return; // the channel was closed: nothing comes by it any more
        }
    }

    /** Any of the registrations that want news; null if none does. */
    Registration listener() {
        return listening.isEmpty() ? null : listening.iterator().next();
    }
}
