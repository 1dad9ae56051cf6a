// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.rdma.bootstrap.DeferredRdmaFabric;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.shm.ShmConfig;
import io.accel.core.fabric.shm.ShmFabric;
import io.accel.core.fabric.shm.ShmMulticast;
import io.accel.core.handover.Senses;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import io.accel.profile.Decision;
import io.accel.profile.FabricName;
import io.accel.profile.Fallback;
import io.accel.profile.GroupPath;
import io.accel.profile.HandoverAfter;
import io.accel.profile.Keys;
import io.accel.profile.Mode;
import io.accel.profile.Notify;
import io.accel.profile.Origin;
import io.accel.profile.Profile;
import io.accel.profile.Protocol;
import io.accel.profile.Role;
import io.accel.profile.Setting;
import io.accel.profile.TransportRules;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A profile at work: the fabrics it names, its rules, and its wait strategy. Thread-safe; one for each process. */
public final class Accelerator {
    private static final int GROUP_RINGS = 4;

    private final Profile profile;
    private final PollConfig pollConfig;
    private final Map<FabricName, Fabric> fabrics;
    /** Those between two datagram sockets. */
    private final Map<FabricName, Fabric> datagramFabrics;
    /** The fabrics for Unix-domain streams; none where the profile leaves all of these with the kernel. */
    private final Map<FabricName, Fabric> unixFabrics;

    /** Null if the profile leaves multicast to the kernel. */
    private final GroupHearing groups;

    private final AcceptedStreams acceptedStreams = new AcceptedStreams();
    private final ConnectionLog log;
    private final BlockingWaits waits;
    private final HandoverAfter handoverAfter;
    private final PricedUpgrades upgrades;
    private final long handoverIdleNanos;
    private final long lingerNanos;
    private final long probeTimeoutNanos;
    private final int lowWater;
    private final int firstRing;
    private final int largestRing;
    private final boolean failing;
    private final boolean on;
    /** The fabrics for streams that no rule covers. Short connections would notice the cost of a list made for each. */
    private final List<Fabric> unruled;

    /**
     * Puts a profile to work.
     *
     * @param profile the profile
     */
    public Accelerator(Profile profile) {
        this(profile, fabrics(profile, PortSpace.TCP));
    }

    /** Puts a profile to work with the caller's fabrics for streams. */
    Accelerator(Profile profile, Map<FabricName, Fabric> fabrics) {
        this(profile, fabrics, new LoadSenses());
    }

    /** Puts a profile to work with what the caller says of the machine's load. */
    Accelerator(Profile profile, Map<FabricName, Fabric> fabrics, Senses load) {
        this.profile = profile;
        this.fabrics = fabrics;
        Map<FabricName, Fabric> datagrams = fabrics(profile, PortSpace.UDP);
        this.datagramFabrics = profile.get(Keys.DATAGRAM_RDMA)
                ? datagrams
                : Map.of(FabricName.SHM, datagrams.get(FabricName.SHM)); // nothing proves the peer on another host
        this.unixFabrics = unixFabrics(profile);
        this.groups = profile.get(Keys.DATAGRAM_MULTICAST) == GroupPath.KERNEL
                        || profile.get(Keys.MODE) != Mode.ACCELERATE
                        || profile.get(Keys.DATAGRAM_PEERS_MAX) == 0
                ? null
                : new GroupHearing(
                        new ShmMulticast(shmConfig(profile, PortSpace.GROUP)),
                        new NetworkGroups(datagrams.get(FabricName.RDMA), groupRing(profile)));
        this.pollConfig = pollConfig(profile);
        this.handoverAfter = profile.get(Keys.HANDOVER_AFTER);
        if (handoverAfter.isAtOnce()) {
            acceptedStreams.beginAsking(); // its clients ask at once, and the accepting threads may wait for them
        }
        this.upgrades = new PricedUpgrades(profile.get(Keys.HANDOVER_SAVING), load);
        this.handoverIdleNanos = profile.get(Keys.HANDOVER_IDLE);
        this.lingerNanos = profile.get(Keys.RDMA_LINGER);
        this.probeTimeoutNanos = profile.get(Keys.CONNECT_PROBE_TIMEOUT);
        this.log = new ConnectionLog(profile.get(Keys.LOG_CONNECTIONS));
        this.lowWater = profile.get(Keys.WRITE_LOW_WATER);
        this.failing = profile.get(Keys.FALLBACK) == Fallback.FAIL;
        this.largestRing = profile.get(Keys.RING_SIZE);
        this.firstRing = failing ? largestRing : firstRing(profile);
        this.waits = new BlockingWaits(pollConfig);
        this.on = profile.get(Keys.MODE) == Mode.ACCELERATE;
        this.unruled = chosen(Decision.NO_RULE, fabrics);
    }

    /**
     * The wait strategy of a profile.
     *
     * @param profile the profile, of which only the {@code poll} settings count
     * @return its {@code poll} settings
     */
    public static PollConfig pollConfig(Profile profile) {
        return new PollConfig(
                profile.get(Keys.POLL_SPIN),
                profile.get(Keys.POLL_KERNEL_INTERVAL),
                profile.get(Keys.POLL_HOT_MAX),
                profile.get(Keys.POLL_MODERATION),
                PollConfig.Yielding.valueOf(profile.get(Keys.POLL_YIELD).name()));
    }

    /**
     * The size in bytes of a ring of a connection's first link, unless a fall-back is an exception.
     *
     * @param profile the profile
     * @return {@code ring.initial}, or {@code ring.size} if that is less
     */
    public static int firstRing(Profile profile) {
        return Math.min(profile.get(Keys.RING_INITIAL), profile.get(Keys.RING_SIZE));
    }

    private static Map<FabricName, Fabric> unixFabrics(Profile profile) {
        boolean may = isUnsaidOrTrue(profile.setting(Keys.UNIX_STREAMS))
                && profile.get(Keys.MODE) == Mode.ACCELERATE
                && profile.fabrics(Decision.NO_RULE).contains(FabricName.SHM);
        return may
                ? Map.of(FabricName.SHM, new PrivilegedFabric(new ShmFabric(shmConfig(profile, PortSpace.UNIX))))
                : Map.of();
    }

    private static boolean isUnsaidOrTrue(Setting<Boolean> setting) {
        return setting.value() || setting.origin().kind() == Origin.Kind.DEFAULT;
    }

    /** All known fabrics, with a profile's settings, for one kind of connections. */
    static Map<FabricName, Fabric> fabrics(Profile profile, PortSpace space) {
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

    /** The profile. */
    public Profile profile() {
        return profile;
    }

    /**
     * A fabric with the profile's settings, whether or not the profile uses it.
     *
     * @param name the fabric's name
     * @return the fabric
     */
    public Fabric fabric(FabricName name) {
        return fabrics.get(name);
    }

    /** Whether anything is accelerated at all; false in profile {@code off}. */
    public boolean isOn() {
        return on;
    }

    /** The profile's wait strategy. */
    public PollConfig pollConfig() {
        return pollConfig;
    }

    /** How blocking operations wait. */
    public BlockingWaits waits() {
        return waits;
    }

    /**
     * Opens a poller with the profile's wait strategy.
     *
     * @return the poller
     * @throws IOException if the JDK's selector cannot be opened
     */
    public Poller openPoller() throws IOException {
        return new Poller(pollConfig);
    }

    /**
     * Whether the Unix-domain channels that a program opens through {@code java.nio} may leave the kernel's path: the profile says so, and
     * this JVM says who is behind a socket.
     */
    public boolean movesUnixStreams() {
        return profile.get(Keys.UNIX_STREAMS) && movesChosenUnixStreams();
    }

    /**
     * As {@link #movesUnixStreams}, for an adapter whose channels a program has chosen by name: nothing there works only with the JDK's
     * own channels, so these streams may move unless the profile says that they may not.
     */
    public boolean movesChosenUnixStreams() {
        return !unixFabrics.isEmpty() && Privileged.get(JdkAccess::knowsUnixSockets);
    }

    /**
     * The fabrics that the rules leave for a stream, in order; empty if a rule says kernel.
     *
     * @param address the address or the path that a client connects to, or that a listener is bound to
     */
    List<Fabric> fabricsFor(Role role, SocketAddress address) {
        Decision decision = decide(role, address);
        if (address instanceof UnixDomainSocketAddress) {
            return movesChosenUnixStreams() ? chosen(decision, unixFabrics) : List.of();
        }
        return decision.rule().isEmpty() ? unruled : chosen(decision, fabrics);
    }

    private Decision decide(Role role, SocketAddress address) {
        TransportRules rules = profile.rules();
        if (rules.list().isEmpty()) {
            return Decision.NO_RULE;
        }
        return address instanceof UnixDomainSocketAddress unix
                ? rules.decide(
                        role,
                        Privileged.get(() -> unix.getPath().toAbsolutePath().normalize()))
                : rules.decide(Protocol.TCP, role, (InetSocketAddress) address);
    }

    /** As {@link #fabricsFor}, for datagrams. */
    List<Fabric> datagramFabricsFor(Role role, InetSocketAddress address) {
        return chosen(profile.rules().decide(Protocol.UDP, role, address), datagramFabrics);
    }

    private List<Fabric> chosen(Decision decision, Map<FabricName, Fabric> from) {
        List<Fabric> chosen = new ArrayList<>();
        for (FabricName name : profile.fabrics(decision)) {
            Fabric fabric = from.get(name);
            if (fabric != null) {
                chosen.add(fabric);
            }
        }
        return List.copyOf(chosen);
    }

    /** The multicast groups in shared memory; null if the profile leaves all groups to the kernel. */
    GroupHearing groups() {
        return groups;
    }

    /** The size in bytes of a ring that many members read: larger than between two sockets, since all have to keep up with it. */
    static int groupRing(Profile profile) {
        return Math.min(Keys.MOST_RING, GROUP_RINGS * profile.get(Keys.DATAGRAM_RING_SIZE));
    }

    /** Whether the rules let a multicast group's datagrams take RDMA to other hosts. */
    boolean mayReachHosts(Role role, InetSocketAddress group) {
        return profile.fabrics(profile.rules().decide(Protocol.UDP, role, group))
                .contains(FabricName.RDMA);
    }

    /** Whether the rules let a multicast group's datagrams leave the kernel. */
    boolean maySpread(Role role, InetSocketAddress group) {
        return profile.fabrics(profile.rules().decide(Protocol.UDP, role, group))
                .contains(FabricName.SHM);
    }

    /** The rule that decided about a stream, for the log. */
    String ruleFor(Role role, SocketAddress address) {
        Setting<Boolean> unix = profile.setting(Keys.UNIX_STREAMS);
        return address instanceof UnixDomainSocketAddress && on && !isUnsaidOrTrue(unix)
                ? unix.origin() + ": unix.streams=false"
                : decide(role, address).toString();
    }

    /** As {@link #ruleFor}, for datagrams. */
    String datagramRuleFor(Role role, InetSocketAddress address) {
        return profile.rules().decide(Protocol.UDP, role, address).toString();
    }

    /** The connections for which clients may ask for a link. */
    AcceptedStreams acceptedStreams() {
        return acceptedStreams;
    }

    /**
     * Whether a datagram socket looks for links from its first datagram on, and can be found as soon as it is bound: the profile has all links
     * made at once, or the copies of datagrams to groups have to be watched from the beginning.
     */
    boolean linksDatagramsAtOnce() {
        return handoverAfter.isAtOnce() || groups() != null;
    }

    /** When a connection is worth a link. */
    HandoverAfter handoverAfter() {
        return handoverAfter;
    }

    /** The connections that ask for links when these have paid off. */
    PricedUpgrades upgrades() {
        return upgrades;
    }

    /** How long a link is idle before it is given back; {@link Keys#FOREVER} for never. */
    long handoverIdleNanos() {
        return handoverIdleNanos;
    }

    /** How long a peer may take to answer. */
    long probeTimeoutNanos() {
        return probeTimeoutNanos;
    }

    /** How long a connection that was closed tries to deliver bytes that its peer does not take. */
    long lingerNanos() {
        return lingerNanos;
    }

    ConnectionLog log() {
        return log;
    }

    /**
     * The size in bytes of a ring of a connection's first link. With {@code fallback=fail} it never gets a larger one, since on the way
     * there the connection would be the kernel's for a moment.
     */
    int firstRing() {
        return firstRing;
    }

    /** The largest size in bytes of a connection's ring. */
    int largestRing() {
        return largestRing;
    }

    int lowWater() {
        return lowWater;
    }

    /** Whether a fall-back is an exception, {@code fallback=fail}. */
    boolean isFailing() {
        return failing;
    }
}
