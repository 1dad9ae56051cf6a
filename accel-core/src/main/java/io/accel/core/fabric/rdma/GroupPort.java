// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventType;
import io.accel.core.fabric.rdma.verbs.GlobalRoute;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hears the groups that this process has joined by one address. The device takes part as long as there is one; a group that it has not
 * joined, or does not hear any more, is tried again. Used by the {@link GroupThread} alone.
 */
final class GroupPort {
    private static final Log LOG = Log.of(GroupPort.class);
    private static final long SEED = ThreadLocalRandom.current().nextLong();
    /** How many senders it remembers to be this host or another one. */
    private static final int MOST_KNOWN = 1_024;
    /** How many publishers it remembers that want to know when they are not heard. */
    private static final int MOST_TOLD = 256;

    private static final long REPORT_EVERY_NANOS = 1_000_000_000L;

    private final GroupThread thread;
    private final Inet4Address on;
    private final Runnable whenUnused;
    private final Map<Integer, Group> groups = new HashMap<>();
    private final Map<Integer, Boolean> own = new HashMap<>();
    private final GroupNetwork.Origin origin = this::flow;
    /** The publishers that rely on the device, by the number that listeners know them by. */
    private final Map<Long, Reliant> reliant = new LinkedHashMap<>();

    /** Null while there is no device, or no group that it may hear. */
    private GroupIntake intake;

    private int networkInterface;
    /** Where the datagram is that listeners are just told of, and its header in it. */
    private ByteBuffer memory;

    private int header;

    private int lastSource;
    private boolean isLastOwn;
    private Group last;

    /** A publisher, and where it receives reports. */
    private record Reliant(int group, long publisher, InetSocketAddress reports) {}

    private enum State {
        JOINING,
        HEARD,
        /** Until the next attempt. */
        LOST
    }

    /** A group, and who hears it. */
    private static final class Group {
        private final Inet4Address address;
        private final List<GroupNetwork.Listener> listeners = new ArrayList<>();
        private final GrowingPause pause = new GrowingPause();
        private State state = State.LOST;
        /** Whether its publishers are being told, now and then, that it is not heard. */
        private boolean reporting;
        /** Why it is not heard; null as long as it may be. */
        private FallbackException why;

        Group(Inet4Address address) {
            this.address = address;
        }
    }

    /** @param whenUnused called when there is no listener any more */
    GroupPort(GroupThread thread, Inet4Address on, Runnable whenUnused) {
        this.thread = thread;
        this.on = on;
        this.whenUnused = whenUnused;
    }

    // ---- memberships

    void add(Inet4Address address, GroupNetwork.Listener listener) {
        Group group = groups.get(GroupHeader.bits(address));
        if (group != null) {
            group.listeners.add(listener);
            if (group.why != null) {
                listener.closed(group.why);
            } else if (group.state == State.HEARD) {
                listener.opened();
            }
            return;
        }
        group = new Group(address);
        group.listeners.add(listener);
        groups.put(GroupHeader.bits(address), group);
        join(group);
    }

    void remove(Inet4Address address, GroupNetwork.Listener listener) {
        Group group = groups.get(GroupHeader.bits(address));
        if (group == null || !group.listeners.remove(listener)) {
            return;
        }
        listener.ended();
        if (group.listeners.isEmpty()) {
            groups.remove(GroupHeader.bits(address));
            leave(group);
        }
        if (groups.isEmpty()) {
            whenUnused.run();
        }
    }

    private void join(Group group) {
        if (groups.get(GroupHeader.bits(group.address)) != group) {
            return; // nobody wants it any more
        }
        try {
            if (intake == null) {
                NetworkInterface has = NetworkInterface.getByInetAddress(on);
                networkInterface = has == null ? 0 : has.getIndex();
                intake = new GroupIntake(thread, on, this::take, this::on, e -> loseAll(Failures.toFallback(e)));
            }
            group.state = State.JOINING;
            intake.join(group.address);
        } catch (IOException e) {
            lose(group, Failures.toFallback(e));
        }
    }

    /** Has the device leave a group, and gives it back if it hears no other. */
    private void leave(Group group) {
        group.state = State.LOST;
        last = null;
        if (intake == null) {
            return;
        }
        intake.leave(group.address);
        if (groups.values().stream().allMatch(each -> each.state == State.LOST)) {
            intake.close();
            intake = null;
        }
    }

    private void on(CmEvent event) {
        if (event.type() == CmEventType.ADDR_CHANGE) {
            // As where a bond has changed to its other link. A publisher needs another queue pair; members hear as
            // before.
            LOG.get().log(Level.DEBUG, "groups are still heard by {0}: {1}", on, event);
        } else if (event.group() == null) {
            loseAll(RdmaGroups.refusal(event, on));
        } else {
            onGroup(event);
        }
    }

    private void onGroup(CmEvent event) {
        Group group = groups.get((int) event.group().tag());
        if (group == null || group.state == State.LOST) {
            return; // nobody wants it any more
        }
        if (event.type() == CmEventType.MULTICAST_JOIN) {
            group.state = State.HEARD;
            group.why = null;
            group.pause.reset();
            List.copyOf(group.listeners).forEach(GroupNetwork.Listener::opened);
        } else {
            lose(group, RdmaGroups.refusal(event, group.address));
        }
    }

    private void loseAll(FallbackException why) {
        for (Group group : List.copyOf(groups.values())) {
            if (group.state != State.LOST) {
                lose(group, why);
            }
        }
    }

    private void lose(Group group, FallbackException why) {
        boolean wasHeard = group.state == State.HEARD;
        leave(group);
        if (group.why == null) { // of an attempt after another nobody needs to hear
            group.why = wasHeard ? new FallbackException(FallbackReason.LINK_LOST, why.getMessage()) : why;
            List.copyOf(group.listeners).forEach(listener -> listener.closed(group.why));
        }
        if (!group.reporting) {
            report(group);
        }
        thread.runAfter(group.pause.next(), () -> join(group));
    }

    /** Tells the publishers that were heard in a group that it is not heard, now and once a second as long as that is so. */
    private void report(Group group) {
        int address = GroupHeader.bits(group.address);
        group.reporting = false;
        if (groups.get(address) != group || group.state == State.HEARD) {
            return;
        }
        for (Reliant each : reliant.values()) {
            if (each.group == address) {
                thread.reports().report(each.reports, each.publisher);
                group.reporting = true;
            }
        }
        if (group.reporting) {
            thread.runAfter(REPORT_EVERY_NANOS, () -> report(group));
        }
    }

    // ---- datagrams

    /** Takes a datagram. Anybody may have sent it. */
    private void take(ByteBuffer from, int route, int received) {
        memory = from;
        int at = route + GlobalRoute.SIZE;
        if (received > RdmaGroups.MOST_MTU
                || !GroupHeader.isValid(memory, at, received)
                || !GlobalRoute.isOf(memory, route, GroupHeader.source(memory, at), GroupHeader.group(memory, at))) {
            LOG.get().log(Level.DEBUG, "a datagram of {0} bytes that is not Accel''s came to {1}", received, on);
            return;
        }
        Group group = groupOf(GroupHeader.group(memory, at));
        if (group == null || isOwn(GroupHeader.source(memory, at))) {
            return; // members on this host have the datagrams of its publishers by shared memory
        }
        header = at;
        long publisher = GroupHeader.identity(memory, at, SEED);
        boolean isEnd = (GroupHeader.flags(memory, at) & GroupHeader.END) != 0;
        if (isEnd) {
            reliant.remove(publisher);
        }
        for (int i = 0; i < group.listeners.size(); i++) {
            if (isEnd) {
                group.listeners.get(i).ended(publisher);
            } else {
                memory.limit(at + received).position(at + GroupHeader.SIZE);
                try {
                    group.listeners.get(i).arrived(publisher, GroupHeader.number(memory, at), origin, memory);
                } finally {
                    memory.clear(); // the next datagram lies elsewhere in it
                }
            }
        }
    }

    /** Describes the publisher, of which a listener has not heard before, or not for long. */
    private GroupFlow flow() {
        GroupFlow flow = GroupHeader.flow(memory, header, networkInterface);
        int reports = GroupHeader.reports(memory, header);
        if (reports != 0) {
            if (reliant.size() >= MOST_TOLD) {
                reliant.remove(reliant.keySet().iterator().next());
            }
            reliant.put(
                    GroupHeader.identity(memory, header, SEED),
                    new Reliant(
                            GroupHeader.group(memory, header),
                            GroupHeader.publisher(memory, header),
                            new InetSocketAddress(flow.source().getAddress(), reports)));
        }
        return flow;
    }

    private Group groupOf(int address) {
        if (last == null || GroupHeader.bits(last.address) != address) {
            last = groups.get(address);
        }
        return last;
    }

    private boolean isOwn(int source) {
        if (source != lastSource) {
            if (own.size() > MOST_KNOWN) {
                own.clear();
            }
            isLastOwn = own.computeIfAbsent(source, GroupPort::isLocal);
            lastSource = source;
        }
        return isLastOwn;
    }

    private static boolean isLocal(int source) {
        try {
            return NetworkInterface.getByInetAddress(GroupHeader.address(source)) != null;
        } catch (IOException e) {
            return false;
        }
    }
}
