// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.rdma.bootstrap.DeferredRdmaFabric;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.shm.ShmConfig;
import io.accel.core.fabric.shm.ShmFabric;
import io.accel.core.fabric.shm.ShmMulticast;
import io.accel.profile.Decision;
import io.accel.profile.FabricName;
import io.accel.profile.GroupPath;
import io.accel.profile.Keys;
import io.accel.profile.Mode;
import io.accel.profile.Notify;
import io.accel.profile.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The fabrics of a profile, with its settings. A process needs them when a connection is to leave the kernel. Immutable. */
final class Fabrics {
    private static final int GROUP_RINGS = 4;

    private final Profile profile;
    private final Map<FabricName, Fabric> streams;
    private final Map<FabricName, Fabric> datagrams;
    private final Map<FabricName, Fabric> unixStreams;
    private final GroupHearing groups;
    /** Short connections would notice the cost of a list made for each. */
    private final List<Fabric> unruled;

    /**
     * Those of a profile.
     *
     * @param profile the profile
     * @param streams those for streams of TCP
     */
    Fabrics(Profile profile, Map<FabricName, Fabric> streams) {
        this(profile, streams, all(profile, PortSpace.UDP));
    }

    /**
     * Those of a profile.
     *
     * @param streams as above
     * @param all those for datagrams, of both names
     */
    Fabrics(Profile profile, Map<FabricName, Fabric> streams, Map<FabricName, Fabric> all) {
        this.profile = profile;
        this.streams = streams;
        this.datagrams = profile.get(Keys.DATAGRAM_RDMA)
                ? all
                : Map.of(FabricName.SHM, all.get(FabricName.SHM)); // nothing proves the peer on another host
        this.unixStreams = unixFabrics(profile);
        this.groups = profile.get(Keys.DATAGRAM_MULTICAST) == GroupPath.KERNEL
                        || profile.get(Keys.MODE) != Mode.ACCELERATE
                        || profile.get(Keys.DATAGRAM_PEERS_MAX) == 0
                ? null
                : new GroupHearing(
                        new ShmMulticast(shmConfig(profile, PortSpace.GROUP)),
                        new NetworkGroups(all.get(FabricName.RDMA), groupRing(profile)));
        this.unruled = chosen(Decision.NO_RULE, streams);
    }

    /** The fabrics for streams of TCP. */
    Map<FabricName, Fabric> streams() {
        return streams;
    }

    /** Those between two datagram sockets. */
    Map<FabricName, Fabric> datagrams() {
        return datagrams;
    }

    /** The fabrics for Unix-domain streams; none where the profile leaves all of these with the kernel. */
    Map<FabricName, Fabric> unixStreams() {
        return unixStreams;
    }

    /** Null if the profile leaves multicast to the kernel. */
    GroupHearing groups() {
        return groups;
    }

    /** The fabrics for streams that no rule covers. */
    List<Fabric> unruled() {
        return unruled;
    }

    /** Those that a decision leaves, in the profile's order. */
    List<Fabric> chosen(Decision decision, Map<FabricName, Fabric> from) {
        List<Fabric> chosen = new ArrayList<>();
        for (FabricName name : profile.fabrics(decision)) {
            Fabric fabric = from.get(name);
            if (fabric != null) {
                chosen.add(fabric);
            }
        }
        return List.copyOf(chosen);
    }

    /** The size in bytes of a ring that many members read: larger than between two sockets, since all have to keep up with it. */
    static int groupRing(Profile profile) {
        return Math.min(Keys.MOST_RING, GROUP_RINGS * profile.get(Keys.DATAGRAM_RING_SIZE));
    }

    private static Map<FabricName, Fabric> unixFabrics(Profile profile) {
        boolean may = Accelerator.isUnsaidOrTrue(profile.setting(Keys.UNIX_STREAMS))
                && profile.get(Keys.MODE) == Mode.ACCELERATE
                && profile.fabrics(Decision.NO_RULE).contains(FabricName.SHM);
        return may
                ? Map.of(FabricName.SHM, new PrivilegedFabric(new ShmFabric(shmConfig(profile, PortSpace.UNIX))))
                : Map.of();
    }

    /** All known fabrics, with a profile's settings, for one kind of connections. */
    static Map<FabricName, Fabric> all(Profile profile, PortSpace space) {
        int ringSize = profile.get(space == PortSpace.TCP ? Keys.RING_SIZE : Keys.DATAGRAM_RING_SIZE);
        return Map.of(
                FabricName.SHM,
                new PrivilegedFabric(new ShmFabric(shmConfig(profile, space))),
                FabricName.RDMA,
                new PrivilegedFabric(new DeferredRdmaFabric(rdmaConfig(profile, space, ringSize))));
    }

    private static ShmConfig shmConfig(Profile profile, PortSpace space) {
        return new ShmConfig(
                space,
                profile.get(Keys.SHM_DIR),
                profile.get(Keys.SHM_GROUP),
                profile.get(Keys.CONNECT_PROBE_TIMEOUT),
                profile.get(Keys.HANDSHAKE_TIMEOUT),
                SharedMemoryCap.of(profile));
    }

    private static RdmaConfig rdmaConfig(Profile profile, PortSpace space, int ringSize) {
        return new RdmaConfig(
                space,
                ringSize,
                profile.get(Keys.CONNECT_PROBE_TIMEOUT),
                profile.get(Keys.HANDSHAKE_TIMEOUT),
                profile.get(Keys.RDMA_DEVICE),
                profile.get(Keys.RDMA_TOS),
                profile.get(Keys.RDMA_PORT_OFFSET),
                profile.get(Keys.RDMA_QUEUE_DEPTH),
                profile.get(Keys.RDMA_INLINE),
                profile.get(Keys.RDMA_SIGNAL_EVERY),
                profile.get(Keys.RDMA_RX_BATCH),
                profile.get(Keys.RDMA_ACK_TIMEOUT),
                profile.get(Keys.RDMA_RETRIES),
                profile.get(Keys.RDMA_RNR_RETRIES),
                profile.get(Keys.RDMA_KEEPALIVE),
                profile.get(Keys.RDMA_LINGER),
                profile.get(Keys.RDMA_NOTIFY) == Notify.SEND);
    }
}
