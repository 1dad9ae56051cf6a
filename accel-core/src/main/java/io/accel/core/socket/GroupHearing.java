// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.Multicast;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The sockets of this process that are members of multicast groups, and so must hear of new publications. Thread-safe. */
final class GroupHearing {
    private final Multicast multicast;
    private final Set<GroupMemberships> members = ConcurrentHashMap.newKeySet();

    GroupHearing(Multicast multicast) {
        this.multicast = multicast;
    }

    Multicast multicast() {
        return multicast;
    }

    /** Has a socket hear of the publications that come from now on. */
    void add(GroupMemberships member) throws IOException {
        members.add(member);
        Privileged.call(() -> {
            multicast.announce(this::appeared); // once
            return null;
        });
    }

    void remove(GroupMemberships member) {
        members.remove(member);
    }

    private void appeared() {
        members.forEach(GroupMemberships::lookSoon);
    }
}
