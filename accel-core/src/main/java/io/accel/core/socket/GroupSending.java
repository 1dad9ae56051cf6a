// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.Publication;
import io.accel.core.jdk.JdkAccess;
import io.accel.profile.GroupPath;
import io.accel.profile.Keys;
import io.accel.profile.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The publications of a socket, one for each multicast group that it sends to. They are made by the thread that finds paths, and depend
 * on the socket's address and options; so a change of those ends them, and the next datagram to a group has another one made. Thread-safe.
 */
final class GroupSending {
    /** The most publications of one socket; datagrams to further groups go through the kernel. */
    private static final int MOST = 64;

    private final DatagramChannel kernel;
    private final DatagramGroups groups;
    private final GroupHearing hearing;
    private final boolean kernelToo;
    private final int ringSize;

    private record Published(DatagramPath path, GroupPublication publication) {}

    private final List<Published> all = new ArrayList<>(); // guarded by this
    /** How often the socket has changed. Guarded by this. */
    private int changes;

    private boolean closed; // guarded by this

    /**
     * No publications.
     *
     * @param hearing null if shared memory takes no multicast
     */
    GroupSending(DatagramChannel kernel, DatagramGroups groups, Accelerator accelerator, GroupHearing hearing) {
        this.kernel = kernel;
        this.groups = groups;
        this.hearing = hearing;
        this.kernelToo = accelerator.profile().get(Keys.DATAGRAM_MULTICAST) == GroupPath.BOTH;
        this.ringSize = Fabrics.groupRing(accelerator.profile());
    }

    /** Whether shared memory takes datagrams to groups. */
    boolean isOn() {
        return hearing != null;
    }

    /** Makes a publication for a path. Called by the thread that finds paths. */
    void publish(DatagramPath path) throws FallbackException {
        int before;
        synchronized (this) {
            before = changes;
            if (all.size() >= MOST) {
                throw new FallbackException(
                        FallbackReason.NO_RESOURCES, "this socket publishes to " + MOST + " groups already");
            }
        }
        GroupPublication made = make(path.target());
        synchronized (this) {
            if (!closed && before == changes) {
                made.opened();
                all.add(new Published(path, made));
                path.published(made);
                return;
            }
        }
        made.close();
        throw new FallbackException(FallbackReason.NOT_YET, "the socket has just changed");
    }

    private GroupPublication make(InetSocketAddress group) throws FallbackException {
        try {
            return Privileged.call(() -> {
                GroupFlow flow = flow(group);
                Publication publication = hearing.multicast().publish(flow, ringSize);
                boolean done = false;
                try {
                    GroupPublication made = new GroupPublication(publication, flow, outlet(flow));
                    done = true;
                    return made;
                } finally {
                    if (!done) {
                        publication.free();
                    }
                }
            });
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.NO_RESOURCES, e.toString());
        }
    }

    /** The way to members on other hosts, null if there is none. */
    private GroupNetwork.Outlet outlet(GroupFlow flow) throws IOException {
        int hops = kernel.getOption(StandardSocketOptions.IP_MULTICAST_TTL);
        if (hops == 0 || !groups.mayReachHosts(Role.CLIENT, flow.group())) {
            return null;
        }
        NetworkInterface on = NetworkInterface.getByIndex(flow.networkInterface());
        GroupNetwork network = hearing.network().on(on);
        if (network == null) {
            return null;
        }
        return network.open(flow, hops, groups::betweenSends, new GroupNetwork.Watch() {
            @Override
            public void opened() {
                groups.reached(flow.group());
            }

            @Override
            public void closed(FallbackException why) {
                groups.notReached(flow.group(), why);
            }
        });
    }

    /** Finds out how the kernel sends to a group: by which interface, and with which address as the source. */
    private GroupFlow flow(InetSocketAddress group) throws IOException {
        InetSocketAddress local = (InetSocketAddress) kernel.getLocalAddress();
        NetworkInterface on = kernel.getOption(StandardSocketOptions.IP_MULTICAST_IF);
        InetAddress source = local.getAddress().isAnyLocalAddress() ? sourceFor(group, on) : local.getAddress();
        if (on == null) {
            on = NetworkInterface.getByInetAddress(source);
        }
        if (on == null) {
            throw new FallbackException(FallbackReason.NOT_LOCAL, "no interface has the address " + source);
        }
        // Datagrams by the loopback interface are heard on this host in any case.
        if (!on.isLoopback() && !kernel.getOption(StandardSocketOptions.IP_MULTICAST_LOOP)) {
            throw new FallbackException(FallbackReason.RULE, "IP_MULTICAST_LOOP is off");
        }
        return new GroupFlow(
                new InetSocketAddress(group.getAddress(), group.getPort()),
                on.getIndex(),
                new InetSocketAddress(source, local.getPort()),
                kernelToo);
    }

    /** The kernel tells by a socket that is connected to the group. */
    static InetAddress sourceFor(InetSocketAddress group, NetworkInterface on) throws IOException {
        try (DatagramChannel probe = JdkAccess.kernelProvider().openDatagramChannel(StandardProtocolFamily.INET)) {
            if (on != null) {
                probe.setOption(StandardSocketOptions.IP_MULTICAST_IF, on);
            }
            probe.connect(group);
            return ((InetSocketAddress) probe.getLocalAddress()).getAddress();
        }
    }

    /** Ends all publications, whose paths go back to the kernel at once; the caller closes them in the sending half. */
    synchronized List<GroupPublication> changed() {
        changes++;
        List<GroupPublication> ended = new ArrayList<>();
        for (Published each : all) {
            each.path.unpublished(PathInfo.KERNEL);
            ended.add(each.publication);
        }
        all.clear();
        return ended;
    }

    /** As {@link #changed}, for ever. */
    synchronized List<GroupPublication> close() {
        closed = true;
        return changed();
    }
}
