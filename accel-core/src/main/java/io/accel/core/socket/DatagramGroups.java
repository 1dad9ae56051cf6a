// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.FallbackException;
import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.profile.Role;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.List;

/**
 * The multicast groups of a datagram socket: those that it belongs to ({@link GroupMemberships}), and those that it sends to ({@link
 * GroupSending}). The kernel's socket joins, leaves and keeps the options; the adapter says here what it has had the kernel do. Any thread.
 */
public final class DatagramGroups {
    private final DatagramSocket socket;
    private final Accelerator accelerator;
    private final long retryNanos;
    private final GroupMemberships memberships;
    private final GroupSending sending;

    DatagramGroups(DatagramSocket socket, Accelerator accelerator, long retryNanos) {
        this.socket = socket;
        this.accelerator = accelerator;
        this.retryNanos = retryNanos;
        this.memberships = new GroupMemberships(socket, this, accelerator.groups());
        this.sending = new GroupSending(socket.kernel(), this, accelerator, accelerator.groups());
    }

    // ---- told by the adapter

    /** Takes note that the program has set an option of the kernel's socket. */
    public void optionSet(SocketOption<?> option) {
        if (option == StandardSocketOptions.IP_MULTICAST_IF
                || option == StandardSocketOptions.IP_MULTICAST_LOOP
                || option == StandardSocketOptions.IP_MULTICAST_TTL) {
            changed();
        }
    }

    /**
     * Takes note that the kernel's socket is about to join a group, whose datagrams the socket remembers from then on if other hosts may
     * send them twice. May wait for a receive that is under way.
     *
     * @param group the group
     * @param on the interface; null for the one that the system chooses
     */
    public void joining(InetAddress group, NetworkInterface on) {
        memberships.joining(group, on);
    }

    /**
     * Takes note that the kernel's socket has joined a group, as it was {@linkplain #joining about to}.
     *
     * @param group the group
     * @param on the interface; null for the one that the system chooses
     * @param source the only source, or null for all
     */
    public void joined(InetAddress group, NetworkInterface on, InetAddress source) {
        memberships.joined(group, on, source);
    }

    /** Takes note that the kernel's socket has left a group. As {@link #joined}. */
    public void left(InetAddress group, NetworkInterface on, InetAddress source) {
        memberships.left(group, on, source);
    }

    /** Takes note that the kernel's socket has blocked a source of a group that it has joined. */
    public void blocked(InetAddress group, NetworkInterface on, InetAddress source) {
        memberships.blocked(group, on, source);
    }

    /** Takes note that the kernel's socket has unblocked a source. */
    public void unblocked(InetAddress group, NetworkInterface on, InetAddress source) {
        memberships.unblocked(group, on, source);
    }

    // ---- told by the socket

    /** Takes note that the kernel's socket was bound. */
    void bound() {
        memberships.bound();
    }

    /**
     * Ends the publications, since the socket's address or its options for multicast have changed; later datagrams have new ones made.
     */
    void changed() {
        close(sending.changed());
    }

    /** Takes note that a link from a publisher has ended. */
    void ended(DatagramLink link) {
        memberships.ended(link);
    }

    void close() {
        memberships.close();
        close(sending.close());
    }

    private void close(List<GroupPublication> ended) {
        if (!ended.isEmpty()) {
            betweenSends(() -> ended.forEach(GroupPublication::close));
        }
    }

    /** As {@link DatagramSocket#betweenSends}. */
    void betweenSends(Runnable task) {
        socket.betweenSends(task);
    }

    /** Has the datagrams to a group published from now on, if the profile says so. In the sending half. */
    void publishOnce(DatagramPath path) {
        if (!sending.isOn()
                || path.publication() != null
                || !(path.target().getAddress() instanceof Inet4Address)
                || !path.beginsSearch(false, retryNanos)) {
            return;
        }
        if (!socket.hasFinder()) {
            path.searched(false, retryNanos);
            return;
        }
        socket.findLater(() -> publish(path));
    }

    private void publish(DatagramPath path) {
        FallbackException why = null;
        try {
            if (accelerator.maySpread(Role.CLIENT, path.target())) {
                sending.publish(path);
                ProcessCounters.gotPath(Role.CLIENT, PathName.SHM);
                accelerator.log().datagrams(null, path.target(), path.info());
                return;
            }
        } catch (FallbackException e) {
            why = e;
        } finally {
            path.searched(path.publication() != null, retryNanos);
        }
        socket.remainsKernels(path, why);
    }

    // ---- asked by the memberships

    /** Whether the rules let this socket hear a group in shared memory. */
    boolean mayHear(InetSocketAddress group) {
        return accelerator.maySpread(Role.SERVER, group) && socket.hasFinder();
    }

    /** Whether the rules let RDMA carry a group's datagrams. */
    boolean mayReachHosts(Role role, InetSocketAddress group) {
        return accelerator.mayReachHosts(role, group);
    }

    /** The interface by which the kernel's socket joins a group if the program names none; null if there is none. */
    NetworkInterface interfaceFor(InetAddress group) throws IOException {
        NetworkInterface chosen = socket.kernel().getOption(StandardSocketOptions.IP_MULTICAST_IF);
        return chosen != null
                ? chosen
                : NetworkInterface.getByInetAddress(
                        Privileged.call(() -> GroupSending.sourceFor(new InetSocketAddress(group, 1), null)));
    }

    /** The address that the kernel's socket is bound to, null for none. */
    InetSocketAddress boundAddress() throws IOException {
        return (InetSocketAddress) Privileged.call(socket.kernel()::getLocalAddress);
    }

    /** Takes note that a publisher cannot be heard in shared memory, or publishers on other hosts by RDMA. */
    void notHeard(InetSocketAddress group, IOException why) {
        remainsKernels(Role.SERVER, group, why);
    }

    /** Takes note that the datagrams to a group go to other hosts by RDMA from now on. */
    void reached(InetSocketAddress group) {
        accelerator.log().datagrams(null, group, new PathInfo(PathName.RDMA.text(), null, null));
    }

    /** Takes note that no datagrams to a group go to other hosts by RDMA. */
    void notReached(InetSocketAddress group, IOException why) {
        remainsKernels(Role.CLIENT, group, why);
    }

    private void remainsKernels(Role role, InetSocketAddress group, IOException why) {
        FallbackReason reason = why instanceof FallbackException known ? known.reason() : FallbackReason.NO_RESOURCES;
        ProcessCounters.fellBack(role, reason);
        accelerator.log().datagrams(null, group, new PathInfo("kernel", reason, why.getMessage()));
    }
}
