// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.Subscription;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.observe.PathName;
import io.accel.profile.Role;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The multicast groups that a socket has joined, and the links from their publishers. A link exists while one of the memberships admits
 * its publisher, as the kernel decides: by group, interface and source. Thread-safe.
 *
 * <p>A publication that is found when the socket joins is received from that moment on. One that is found later is younger than the
 * membership, so it is received from its beginning, unless the kernel delivers it, too.
 */
final class GroupMemberships {
    private static final Log LOG = Log.of(GroupMemberships.class);
    /** The index of no interface. */
    private static final int NOWHERE = -1;
    /** How long a publisher's call to the kernel is waited for. It takes some microseconds, if its thread has a core. */
    private static final long MOST_SENDING_NANOS = 5_000_000;
    /** How often that is done for a publisher before its datagrams are left to the kernel. */
    private static final int MOST_UNSETTLED = 20;

    private final DatagramSocket socket;
    private final DatagramGroups groups;
    private final GroupHearing hearing;

    /** Guarded by this, as are the next four. */
    private final List<Membership> memberships = new ArrayList<>();
    /** The links, by the publication's name. */
    private final Map<String, DatagramLink> links = new HashMap<>();
    /** The publications that have a link, or have had one: those that a look leaves out. */
    private final Set<String> known = new HashSet<>();
    /** The publications that could not be read, of which observers have been told. */
    private final Set<String> told = new HashSet<>();

    /** How often a publisher was in the middle of sending when it was to be heard. */
    private final Map<String, Integer> unsettled = new HashMap<>();

    /** One membership, in a group on an interface: of one source, or of all but the blocked ones. */
    private static final class Membership {
        private final InetAddress group;
        private final int networkInterface;
        private final InetAddress source;
        private final Set<InetAddress> blocked = new HashSet<>();
        /** The same membership beside the kernel; null for none. Guarded by the memberships. */
        private GroupNetwork.Membership beside;

        Membership(InetAddress group, int networkInterface, InetAddress source) {
            this.group = group;
            this.networkInterface = networkInterface;
            this.source = source;
        }

        boolean is(InetAddress otherGroup, int otherInterface, InetAddress otherSource) {
            return group.equals(otherGroup)
                    && networkInterface == otherInterface
                    && (source == null ? otherSource == null : source.equals(otherSource));
        }

        boolean admits(GroupFlow flow) {
            InetAddress from = flow.source().getAddress();
            return group.equals(flow.group().getAddress())
                    && networkInterface == flow.networkInterface()
                    && (source == null ? !blocked.contains(from) : source.equals(from));
        }
    }

    /**
     * No memberships.
     *
     * @param hearing null if shared memory brings no multicast
     */
    GroupMemberships(DatagramSocket socket, DatagramGroups groups, GroupHearing hearing) {
        this.socket = socket;
        this.groups = groups;
        this.hearing = hearing;
    }

    /**
     * Takes note that the kernel's socket is about to join. If the socket remembered only later what it hears, another thread might receive
     * a datagram before that, of which RDMA brings the copy after it.
     */
    void joining(InetAddress group, NetworkInterface on) {
        if (mayJoin(group)) {
            boolean unused = mayHearHosts(group, indexOf(group, on));
        }
    }

    private boolean mayJoin(InetAddress group) {
        return hearing != null && group instanceof Inet4Address && group.isMulticastAddress();
    }

    /** Takes note that the kernel's socket has joined; source is null for all. */
    synchronized void joined(InetAddress group, NetworkInterface on, InetAddress source) {
        if (!mayJoin(group)) {
            return;
        }
        int index = indexOf(group, on);
        if (find(group, index, source) == null) {
            Membership membership = new Membership(group, index, source);
            memberships.add(membership);
            boolean byNetwork = mayHearHosts(group, index);
            look(false);
            if (byNetwork) {
                hearHosts(membership);
            }
        }
    }

    /** Whether a member of a group may hear publishers on other hosts. If so, the socket remembers what it hears from now on. */
    private boolean mayHearHosts(InetAddress group, int networkInterface) {
        try {
            NetworkInterface on = NetworkInterface.getByIndex(networkInterface);
            if (groups.mayReachHosts(Role.SERVER, addressOf(group))
                    && hearing.network().on(on) != null) {
                socket.hearsHosts();
                return true;
            }
        } catch (IOException | RuntimeException e) {
            LOG.get().log(Level.DEBUG, "publishers on other hosts are heard through the kernel alone", e);
        }
        return false;
    }

    private InetSocketAddress addressOf(InetAddress group) throws IOException {
        InetSocketAddress bound = groups.boundAddress();
        return new InetSocketAddress(group, bound == null ? 0 : bound.getPort());
    }

    /** Has a membership hear the publishers on other hosts. */
    private void hearHosts(Membership membership) {
        InetSocketAddress group = new InetSocketAddress(membership.group, 0);
        try {
            NetworkInterface on = NetworkInterface.getByIndex(membership.networkInterface);
            membership.beside =
                    hearing.network().join((Inet4Address) membership.group, on, why -> groups.notHeard(group, why));
        } catch (IOException e) {
            groups.notHeard(group, e);
        }
    }

    private int indexOf(InetAddress group, NetworkInterface on) {
        try {
            NetworkInterface meant = on == null ? groups.interfaceFor(group) : on;
            return meant == null ? NOWHERE : meant.getIndex();
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the system does not tell by which interface it hears " + group, e);
            return NOWHERE;
        }
    }

    /** Takes note that the kernel's socket has left. */
    synchronized void left(InetAddress group, NetworkInterface on, InetAddress source) {
        if (memberships.isEmpty()) {
            return;
        }
        int index = indexOf(group, on);
        Membership membership = find(group, index, source);
        if (membership != null) {
            memberships.remove(membership);
            endBeside(membership);
            leaveUnwanted();
        }
    }

    private static void endBeside(Membership membership) {
        if (membership.beside != null) {
            membership.beside.close();
            membership.beside = null;
        }
    }

    /** Takes note that the kernel's socket has blocked a source. */
    synchronized void blocked(InetAddress group, NetworkInterface on, InetAddress source) {
        Membership membership = find(group, on.getIndex(), null);
        if (membership != null && membership.blocked.add(source)) {
            leaveUnwanted();
        }
    }

    /** Takes note that the kernel's socket has unblocked a source. */
    synchronized void unblocked(InetAddress group, NetworkInterface on, InetAddress source) {
        Membership membership = find(group, on.getIndex(), null);
        if (membership != null && membership.blocked.remove(source)) {
            look(false);
        }
    }

    private Membership find(InetAddress group, int on, InetAddress source) {
        for (Membership each : memberships) {
            if (each.is(group, on, source)) {
                return each;
            }
        }
        return null;
    }

    private boolean isWanted(GroupFlow flow) {
        for (Membership each : memberships) {
            if (each.admits(flow)) {
                return true;
            }
        }
        return false;
    }

    /** Ends the links that no membership admits. What they have brought already can still be received. */
    private void leaveUnwanted() {
        List<DatagramLink> unwanted = new ArrayList<>(links.values());
        unwanted.removeIf(link -> isWanted(flowOf(link)));
        for (DatagramLink link : unwanted) {
            String name = ((Subscription) link.link()).name();
            links.remove(name);
            known.remove(name);
            socket.leave(link);
        }
        if (memberships.isEmpty()) {
            told.clear();
            unsettled.clear();
            known.clear(); // what was left out is looked at again when the socket joins anew
            hearing.remove(this);
        }
    }

    private static GroupFlow flowOf(DatagramLink link) {
        return ((Subscription) link.link()).flow();
    }

    /** Takes note that the socket has been bound: memberships before that wait for its port. */
    synchronized void bound() {
        if (!memberships.isEmpty()) {
            look(false);
        }
    }

    /** Takes note that a link has ended. */
    synchronized void ended(DatagramLink link) {
        links.values().remove(link);
    }

    /** Looks for new publications, on the thread that finds paths. Any thread. */
    void lookSoon() {
        socket.findLater(() -> {
            synchronized (this) {
                if (!memberships.isEmpty()) {
                    look(true);
                }
            }
        });
    }

    synchronized void close() {
        memberships.forEach(GroupMemberships::endBeside);
        memberships.clear();
        links.clear();
        known.clear();
        unsettled.clear();
        told.clear();
        if (hearing != null) {
            hearing.remove(this);
        }
    }

    private void look(boolean younger) {
        try {
            InetSocketAddress bound = groups.boundAddress();
            if (bound == null) {
                return;
            }
            hearing.add(this); // before looking: a publication that is not seen now is told later
            Set<InetAddress> all = new LinkedHashSet<>();
            for (Membership each : memberships) {
                if (bound.getAddress().isAnyLocalAddress() || bound.getAddress().equals(each.group)) {
                    all.add(each.group);
                }
            }
            for (InetAddress address : all) {
                look(new InetSocketAddress(address, bound.getPort()), younger);
            }
        } catch (IOException | RuntimeException e) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "accel: multicast groups are heard through the kernel alone: {0}",
                            e.getMessage());
        }
    }

    private void look(InetSocketAddress group, boolean younger) throws IOException {
        if (!groups.mayHear(group)) {
            return;
        }
        for (String name : hearing.publications(group)) {
            if (!known.contains(name)) {
                subscribe(name, group, younger);
            }
        }
    }

    private void subscribe(String name, InetSocketAddress group, boolean younger) {
        if (!socket.reserve()) {
            return;
        }
        Subscription subscription;
        try {
            subscription = hearing.subscribe(name, group);
        } catch (IOException e) {
            socket.unreserve();
            if (!isBeingMade(e) && told.add(name)) {
                groups.notHeard(group, e);
            }
            return;
        }
        if (!isWanted(subscription.flow())) {
            socket.unreserve(); // another membership may want it later
            subscription.free();
            return;
        }
        known.add(name);
        if (subscription.flow().kernelToo() && !NetworkGroups.isName(name)) {
            socket.betweenReceives(() -> hearMirrored(subscription));
        } else {
            hear(subscription, younger ? 0 : subscription.published());
        }
    }

    /** Whether a publication may just have gone, or not be whole yet. Its publisher knocks when it is, and another look finds it. */
    private static boolean isBeingMade(IOException e) {
        return e instanceof FallbackException known && known.reason() == FallbackReason.STALE_RENDEZVOUS;
    }

    /**
     * Begins where the kernel's copies are known to have been sent of what was published before, and of nothing else. No datagram is
     * received meanwhile, so the copies of what follows are recognised.
     */
    private void hearMirrored(Subscription subscription) {
        long deadline = System.nanoTime() + MOST_SENDING_NANOS;
        long from = subscription.settled();
        while (from < 0 && System.nanoTime() - deadline < 0) {
            if (!VirtualThreads.parkBriefly()) {
                Thread.onSpinWait();
            }
            from = subscription.settled();
        }
        if (from >= 0) {
            hear(subscription, from);
            return;
        }
        // Its publisher stands still within a call to the kernel, which alone brings its datagrams until the next look.
        boolean again;
        synchronized (this) {
            known.remove(subscription.name());
            again = unsettled.merge(subscription.name(), 1, Integer::sum) < MOST_UNSETTLED;
        }
        socket.unreserve();
        subscription.free();
        if (again) {
            lookSoon();
        }
    }

    private synchronized void hear(Subscription subscription, long from) {
        PathName path = NetworkGroups.isName(subscription.name()) ? PathName.RDMA : PathName.SHM;
        DatagramLink link = new DatagramLink(subscription, path.text(), from);
        if (socket.heard(link)) {
            links.put(subscription.name(), link);
            if (!isWanted(subscription.flow())) {
                leaveUnwanted(); // the program has left meanwhile
            }
        }
    }
}
