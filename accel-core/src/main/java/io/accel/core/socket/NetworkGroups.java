// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Privileged;
import io.accel.core.datagram.GroupSender;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.Subscription;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The publishers on other hosts that this process hears by the network, each with a ring that all member sockets of this process read.
 * Thread-safe.
 */
final class NetworkGroups {
    private static final Log LOG = Log.of(NetworkGroups.class);
    private static final String NAME = "network:";
    /** How long a publisher may say nothing. Nobody hears of one that was killed. */
    private static final long MOST_SILENCE_NANOS = 60_000_000_000L;

    private static final long SWEEP_NANOS = 5_000_000_000L;
    /** The most publishers of a group; of others only what the kernel brings is heard. */
    private static final int MOST_PUBLISHERS = 64;

    private final Fabric fabric;
    private final int ringSize;
    private Runnable appeared = () -> {};

    private GroupNetwork network; // guarded by this
    /** The groups that are heard, by their address and that of an interface. Guarded by this. */
    private final Map<Heard, Hearing> heard = new HashMap<>();

    private final Map<String, Publisher> publishers = new ConcurrentHashMap<>();

    private record Heard(Inet4Address group, Inet4Address on) {}

    NetworkGroups(Fabric fabric, int ringSize) {
        this.fabric = fabric;
        this.ringSize = ringSize;
    }

    /** Has an action run each time that there may be a new publisher. Before anything is heard. */
    void whenNew(Runnable action) {
        appeared = action;
    }

    /** The network that is behind an interface; null if nothing but the kernel leads there. */
    synchronized GroupNetwork on(NetworkInterface on) throws IOException {
        if (on == null || on.isLoopback() || addressOf(on) == null) {
            return null;
        }
        if (network == null) {
            try {
                network = Privileged.call(fabric::groups);
            } catch (FallbackException e) {
                // A machine without devices; there may be one later.
                LOG.get().log(Level.DEBUG, "no multicast but the kernel''s to other hosts: {0}", e.getMessage());
            }
        }
        return network;
    }

    private static Inet4Address addressOf(NetworkInterface on) {
        for (InetAddress address : Collections.list(on.getInetAddresses())) {
            if (address instanceof Inet4Address v4) {
                return v4;
            }
        }
        return null;
    }

    // ---- memberships

    /**
     * Hears a group by an interface for which there is {@linkplain #on a network}.
     *
     * @param lost told why the network does not bring the group, each time that this begins
     */
    GroupNetwork.Membership join(Inet4Address group, NetworkInterface on, Consumer<FallbackException> lost)
            throws IOException {
        Inet4Address address = addressOf(on);
        GroupNetwork with = on(on);
        if (address == null || with == null) {
            throw new FallbackException(FallbackReason.NO_DEVICE, on + " has lost its address or its device");
        }
        return join(group, address, with, lost);
    }

    /** As {@link #join(Inet4Address, NetworkInterface, Consumer)}, by a network, and an address of the interface. */
    GroupNetwork.Membership join(
            Inet4Address group, Inet4Address on, GroupNetwork with, Consumer<FallbackException> lost) {
        Heard what = new Heard(group, on);
        Hearing hearing;
        FallbackException lostBefore;
        synchronized (this) {
            hearing = heard.get(what);
            if (hearing == null) {
                hearing = new Hearing();
                hearing.membership = with.join(group, on, hearing);
                heard.put(what, hearing);
            }
            hearing.members.add(lost);
            lostBefore = hearing.why;
        }
        if (lostBefore != null) {
            lost.accept(lostBefore);
        }
        Hearing joined = hearing;
        return () -> leave(what, joined, lost);
    }

    private void leave(Heard what, Hearing hearing, Consumer<FallbackException> member) {
        synchronized (this) {
            if (!hearing.members.remove(member) || !hearing.members.isEmpty()) {
                return;
            }
            heard.remove(what, hearing);
        }
        hearing.membership.close();
    }

    // ---- publications

    /** Whether this is a name of a publisher on another host. */
    static boolean isName(String name) {
        return name.startsWith(NAME);
    }

    /** The names of the publishers to a group. */
    Set<String> publications(InetSocketAddress group) {
        Set<String> names = new HashSet<>();
        publishers.forEach((name, publisher) -> {
            if (publisher.ring.flow().group().equals(group)) {
                names.add(name);
            }
        });
        return names;
    }

    Subscription subscribe(String name) throws IOException {
        Publisher publisher = publishers.get(name);
        if (publisher == null) {
            throw new FallbackException(FallbackReason.STALE_RENDEZVOUS, name + " has just ended");
        }
        return publisher.ring.subscribe();
    }

    /** A publisher, and what it has sent. Used by the network's thread, but for the ring. */
    private static final class Publisher {
        private final GroupRing ring;
        private final GroupSender sender;
        private long next;
        private long heardAt;

        Publisher(GroupRing ring, long first) {
            this.ring = ring;
            this.sender = new GroupSender(ring);
            this.next = first;
        }
    }

    /** Hears a group by one interface, on the network's thread. */
    private final class Hearing implements GroupNetwork.Listener {
        /** Those of this process's memberships for which it hears, told when it does not. Guarded by the outer object, as are the next two. */
        private final List<Consumer<FallbackException>> members = new ArrayList<>();
        /** Why the network does not bring the group; null if it does, or is about to. */
        private FallbackException why;

        private GroupNetwork.Membership membership;

        private final Map<Long, String> names = new HashMap<>();
        private long lastId;
        private Publisher last;
        private long sweepAt = System.nanoTime() + SWEEP_NANOS;

        @Override
        public void arrived(long id, long number, GroupNetwork.Origin origin, ByteBuffer datagram) {
            long now = System.nanoTime();
            if (now - sweepAt > 0) {
                sweepAt = now + SWEEP_NANOS;
                sweep(now);
            }
            Publisher publisher = last != null && id == lastId ? last : find(id, number, origin);
            if (publisher == null || number < publisher.next) {
                return; // no room for it; or late, and counted as lost
            }
            publisher.heardAt = now;
            if (number > publisher.next) {
                publisher.sender.skip(number - publisher.next);
            }
            publisher.next = number + 1;
            try {
                publisher.sender.write(datagram);
            } catch (IOException e) {
                throw new IllegalStateException("the memory is the network's", e); // and no program's
            }
            publisher.sender.publish();
        }

        private Publisher find(long id, long number, GroupNetwork.Origin origin) {
            String name = names.get(id);
            Publisher publisher = name == null ? null : publishers.get(name);
            if (publisher == null) {
                publisher = add(id, number, origin.flow());
            }
            if (publisher != null) {
                lastId = id;
                last = publisher;
            }
            return publisher;
        }

        private Publisher add(long id, long number, GroupFlow flow) {
            if (names.size() >= MOST_PUBLISHERS) {
                return null;
            }
            // The interface is part of the name: a publisher may be heard by several.
            String name = NAME + flow.networkInterface() + ":" + Long.toHexString(id) + ":" + number;
            Publisher publisher;
            try {
                publisher = new Publisher(new GroupRing(name, flow, ringSize), number);
            } catch (OutOfMemoryError e) {
                LOG.get().log(Level.DEBUG, "no memory for a ring of {0} bytes for {1}", ringSize, flow);
                return null;
            }
            publishers.put(name, publisher);
            names.put(id, name);
            appeared.run();
            return publisher;
        }

        private void sweep(long now) {
            for (Map.Entry<Long, String> each : Map.copyOf(names).entrySet()) {
                if (now - publishers.get(each.getValue()).heardAt > MOST_SILENCE_NANOS) {
                    ended(each.getKey());
                }
            }
        }

        @Override
        public void ended(long id) {
            String name = names.remove(id);
            if (name != null) {
                publishers.remove(name).ring.free();
                last = null;
            }
        }

        @Override
        public void opened() {
            synchronized (NetworkGroups.this) {
                why = null;
            }
        }

        @Override
        public void closed(FallbackException reason) {
            ended();
            List<Consumer<FallbackException>> told;
            synchronized (NetworkGroups.this) {
                why = reason;
                told = List.copyOf(members);
            }
            told.forEach(member -> member.accept(reason));
        }

        @Override
        public void ended() {
            for (long id : Set.copyOf(names.keySet())) {
                ended(id);
            }
        }
    }
}
