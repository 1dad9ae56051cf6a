// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventType;
import io.accel.core.fabric.rdma.verbs.GlobalRoute;
import io.accel.core.fabric.rdma.verbs.ReceiveRequests;
import io.accel.core.fabric.rdma.verbs.WcFlags;
import io.accel.core.fabric.rdma.verbs.WcStatus;
import io.accel.core.fabric.rdma.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/** Hears the groups that this process has joined by one address of a device. Used by the {@link GroupThread} alone. */
final class GroupPort {
    private static final Log LOG = Log.of(GroupPort.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    static final int SLOTS = 512;
    private static final int SLOT_SIZE = GlobalRoute.SIZE + RdmaGroups.MOST_MTU;
    private static final int BATCH = 64;
    private static final long SEED = ThreadLocalRandom.current().nextLong();
    /** How many senders it remembers to be this host or another one. */
    private static final int MOST_KNOWN = 1_024;

    private final Inet4Address on;
    private final int networkInterface;
    private final Runnable whenClosed;
    private final GroupEndpoint endpoint;
    private final SelectableChannel readable;
    private final ReceiveRequests receives = new ReceiveRequests(BATCH);
    private final WorkCompletions completions = new WorkCompletions(BATCH);
    private final Map<Integer, Group> groups = new HashMap<>();
    private final Map<Integer, Boolean> own = new HashMap<>();
    private final GroupNetwork.Origin origin = this::flow;
    /** Where the header of the datagram is that listeners are just told of. */
    private int header;

    private int lastSource;
    private boolean isLastOwn;
    private Group last;
    private boolean closed;

    /** A group, and who hears it. */
    private static final class Group {
        private final Inet4Address address;
        private final List<GroupNetwork.Listener> listeners = new ArrayList<>();
        private final CompletableFuture<Void> joined = new CompletableFuture<>();

        Group(Inet4Address address) {
            this.address = address;
        }
    }

    GroupPort(GroupThread thread, Inet4Address on, Runnable whenClosed) throws IOException {
        this.on = on;
        this.whenClosed = whenClosed;
        NetworkInterface has = NetworkInterface.getByInetAddress(on);
        this.networkInterface = has == null ? 0 : has.getIndex();
        this.endpoint = new GroupEndpoint(thread, on, 0, SLOTS, SLOT_SIZE, this::on);
        SelectableChannel doorbell = null;
        boolean done = false;
        try {
            for (int first = 0; first < SLOTS; first += BATCH) {
                for (int i = 0; i < BATCH; i++) {
                    assign(i, first + i);
                }
                endpoint.pair().postReceive(receives, 0, BATCH);
            }
            endpoint.queue().requestNotify(false);
            doorbell = Endpoint.selectable(endpoint.channel().duplicateFd());
            doorbell.configureBlocking(false);
            thread.watch(doorbell, this::receive);
            done = true;
        } finally {
            if (!done) {
                Endpoint.close(doorbell, "completion channel's descriptor");
                endpoint.close();
            }
        }
        this.readable = doorbell;
    }

    private void assign(int index, int slot) {
        receives.into(index, slot, endpoint.slot(slot), SLOT_SIZE, endpoint.lkey());
    }

    // ---- memberships

    /** Adds a listener; the future is completed when the group is heard, or with the reason why not. */
    CompletableFuture<Void> add(Inet4Address address, GroupNetwork.Listener listener) {
        Group group = groups.get(GroupHeader.bits(address));
        if (group == null) {
            group = new Group(address);
            try {
                endpoint.join(address);
                groups.put(GroupHeader.bits(address), group);
            } catch (IOException e) {
                group.joined.completeExceptionally(Failures.toFallback(e));
                closeIfUnused();
                return group.joined;
            }
        }
        group.listeners.add(listener);
        return group.joined;
    }

    void remove(Inet4Address address, GroupNetwork.Listener listener) {
        Group group = groups.get(GroupHeader.bits(address));
        if (group == null || !group.listeners.remove(listener)) {
            return;
        }
        listener.ended();
        if (group.listeners.isEmpty()) {
            drop(group);
            closeIfUnused();
        }
    }

    private void drop(Group group) {
        groups.remove(GroupHeader.bits(group.address), group);
        last = null;
        endpoint.leave(group.address);
    }

    private void on(CmEvent event) {
        if (event.group() == null) {
            FallbackException why = RdmaGroups.refusal(event, on);
            for (Group group : List.copyOf(groups.values())) {
                lose(group, why);
            }
            closeIfUnused();
            return;
        }
        Group group = groups.get((int) event.group().tag());
        if (group == null) {
            return; // nobody wants it any more
        }
        if (event.type() == CmEventType.MULTICAST_JOIN) {
            group.joined.complete(null);
        } else {
            lose(group, RdmaGroups.refusal(event, group.address));
            closeIfUnused();
        }
    }

    private void lose(Group group, FallbackException why) {
        drop(group);
        if (!group.joined.completeExceptionally(why)) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "accel: {0} is heard through the kernel alone: {1}",
                            group.address,
                            why.getMessage());
            group.listeners.forEach(GroupNetwork.Listener::ended);
        }
    }

    private void closeIfUnused() {
        if (groups.isEmpty() && !closed) {
            closed = true;
            whenClosed.run();
            Endpoint.close(readable, "completion channel's descriptor");
            endpoint.close();
        }
    }

    // ---- datagrams

    private void receive() {
        if (closed) {
            return;
        }
        try {
            while (endpoint.channel().nextEvent() != null) {
                // The queue is the channel's only one.
            }
            endpoint.queue().requestNotify(false);
            int count = endpoint.queue().pollInto(completions); // after arming, so that nothing is left behind
            while (count > 0) {
                for (int i = 0; i < count; i++) {
                    int slot = (int) completions.workRequestId(i);
                    if (completions.status(i) != WcStatus.SUCCESS) {
                        throw new IOException("a receive ended with status " + completions.status(i));
                    }
                    if ((completions.flags(i) & WcFlags.GRH) != 0) {
                        tryToTake(slot * SLOT_SIZE, completions.byteLength(i) - GlobalRoute.SIZE);
                    }
                    assign(i, slot);
                }
                endpoint.pair().postReceive(receives, 0, count);
                count = endpoint.queue().pollInto(completions);
            }
        } catch (IOException e) {
            FallbackException why = Failures.toFallback(e);
            for (Group group : List.copyOf(groups.values())) {
                lose(group, why);
            }
            closeIfUnused();
        }
    }

    private void tryToTake(int route, int received) {
        try {
            take(route, received);
        } catch (RuntimeException e) {
            // Nothing that a single datagram does may cost its place in the queue.
            ERRORS.warn("a datagram of a multicast group is lost", e);
        }
    }

    /** Takes a datagram. Anybody may have sent it. */
    private void take(int route, int received) {
        ByteBuffer memory = endpoint.memory();
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
        for (int i = 0; i < group.listeners.size(); i++) {
            if (isEnd) {
                group.listeners.get(i).ended(publisher);
            } else {
                int from = at + GroupHeader.SIZE;
                memory.limit(at + received).position(from);
                try {
                    group.listeners.get(i).arrived(publisher, GroupHeader.number(memory, at), origin, memory);
                } finally {
                    memory.clear(); // the next datagram lies elsewhere in it
                }
            }
        }
    }

    private GroupFlow flow() {
        return GroupHeader.flow(endpoint.memory(), header, networkInterface);
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
