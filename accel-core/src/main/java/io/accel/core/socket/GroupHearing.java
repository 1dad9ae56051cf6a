// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.Multicast;
import io.accel.core.fabric.Subscription;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The sockets of this process that are members of multicast groups, and so must hear of new publications. Thread-safe. */
final class GroupHearing {
    private final Multicast multicast;
    private final NetworkGroups network;
    private final Set<GroupMemberships> members = ConcurrentHashMap.newKeySet();

    /**
     * No members.
     *
     * @param multicast the publishers on this host
     * @param network those on other hosts
     */
    GroupHearing(Multicast multicast, NetworkGroups network) {
        this.multicast = multicast;
        this.network = network;
        network.whenNew(this::appeared);
    }

    /** The publishers on other hosts. */
    NetworkGroups network() {
        return network;
    }

    /** The names of all publications to a group. */
    Set<String> publications(InetSocketAddress group) throws IOException {
        Set<String> all = new HashSet<>(Privileged.call(() -> multicast.publications(group)));
        all.addAll(network.publications(group));
        return all;
    }

    /** Subscribes to a publication. */
    Subscription subscribe(String name, InetSocketAddress group) throws IOException {
        return NetworkGroups.isName(name)
                ? network.subscribe(name)
                : Privileged.call(() -> multicast.subscribe(name, group));
    }

    /** The publishers on this host. */
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
