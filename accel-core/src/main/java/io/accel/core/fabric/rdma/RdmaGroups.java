// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Multicast groups over RDMA: unreliable datagrams, which the network copies for those who have joined. Each publisher has a queue pair,
 * and each process has one for each of its addresses by which it hears groups.
 */
final class RdmaGroups implements GroupNetwork {
    /** The largest MTU of InfiniBand and RoCE, and so of any datagram with its header. */
    static final int MOST_MTU = 4_096;

    private final GroupThread thread;
    /** Used by the thread alone. */
    private final Map<Inet4Address, GroupPort> ports = new HashMap<>();

    RdmaGroups(GroupThread thread) {
        this.thread = thread;
    }

    @Override
    public Outlet open(GroupFlow flow, int hops, Executor half, Watch watch) {
        GroupOutlet outlet = new GroupOutlet(thread, flow, hops, half, watch);
        thread.run(outlet::open);
        return outlet;
    }

    @Override
    public Membership join(Inet4Address group, Inet4Address on, Listener listener) {
        thread.run(() -> port(on).add(group, listener));
        return () -> thread.run(() -> {
            GroupPort port = ports.get(on);
            if (port != null) {
                port.remove(group, listener);
            }
        });
    }

    private GroupPort port(Inet4Address on) {
        return ports.computeIfAbsent(on, address -> new GroupPort(thread, address, () -> ports.remove(address)));
    }

    /** Why a group, or all groups of an address, cannot be used. */
    static FallbackException refusal(CmEvent event, InetAddress subject) {
        return new FallbackException(
                FallbackReason.NO_DEVICE,
                subject.getHostAddress() + ": " + event.type() + ", status " + event.status());
    }
}
