// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.DatagramGroups;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.util.ArrayList;
import java.util.List;

/** The multicast groups that a datagram channel belongs to; the kernel's socket joins them, and the socket over it hears of that. Thread-safe. */
final class MulticastMemberships {
    private final DatagramChannel kernel;
    private final DatagramGroups groups;
    private final List<MembershipKey> keys = new ArrayList<>(); // guarded by this

    MulticastMemberships(DatagramChannel kernel, DatagramGroups groups) {
        this.kernel = kernel;
        this.groups = groups;
    }

    /** Joins a group on an interface; source is null for all senders. A second call does nothing. */
    synchronized void join(InetAddress group, NetworkInterface at, InetAddress source) throws IOException {
        groups.joining(group, at);
        MembershipKey key = source == null ? kernel.join(group, at) : kernel.join(group, at, source);
        if (!keys.contains(key)) {
            keys.add(key);
            groups.joined(group, at, source);
        }
    }

    /** Ends the membership that {@link #join} with the same arguments began; does nothing without one. */
    synchronized void leave(InetAddress group, NetworkInterface at, InetAddress source) {
        keys.removeIf(key -> {
            boolean meant = isFor(key, group, at)
                    && (source == null ? key.sourceAddress() == null : source.equals(key.sourceAddress()));
            if (meant) {
                key.drop();
                groups.left(group, at, source);
            }
            return meant;
        });
    }

    /** Blocks one sender to a group that was joined for all senders. */
    synchronized void block(InetAddress group, NetworkInterface at, InetAddress source) throws IOException {
        boolean member = false;
        for (MembershipKey key : keys) {
            if (isFor(key, group, at)) {
                key.block(source);
                groups.blocked(group, at, source);
                member = true;
            }
        }
        if (!member) {
            throw new IllegalStateException("cannot block " + source + ": not a member of group " + group + " on "
                    + at.getName() + "; call joinGroup() before");
        }
    }

    private static boolean isFor(MembershipKey key, InetAddress group, NetworkInterface at) {
        return key.group().equals(group) && key.networkInterface().equals(at);
    }
}
