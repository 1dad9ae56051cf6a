// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.DeferredStart;
import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.PortSpace;
import io.accel.core.handover.Senses;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import io.accel.profile.Decision;
import io.accel.profile.FabricName;
import io.accel.profile.HandoverAfter;
import io.accel.profile.Keys;
import io.accel.profile.Origin;
import io.accel.profile.PresetChoice;
import io.accel.profile.Profile;
import io.accel.profile.Protocol;
import io.accel.profile.Role;
import io.accel.profile.Setting;
import io.accel.profile.TransportRules;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** A profile at work: the fabrics it names, its rules, and its wait strategy. Thread-safe; one for each process. */
public final class Accelerator {
    /** One of so many operations, on average, gives a plain connection what it needs for a link, with {@code handover.after=soon}. */
    private static final int SOON_IN_OPERATIONS = 4;

    private final AcceptedStreams acceptedStreams = new AcceptedStreams();
    /** The preset to read when more is asked than whether it accelerates; null if the profile was read at once. */
    private final PresetChoice preset;
    /** What is said of the machine's load; null for the machine itself. */
    private final Senses load;

    // Made when they are first needed, since a process may never need them. Written once, in this monitor.

    /** Null as long as the preset is not read. */
    private volatile Terms terms;

    private volatile Fabrics fabrics;
    private volatile BlockingWaits waits;
    private volatile PricedUpgrades upgrades;

    /**
     * Puts a profile to work.
     *
     * @param profile the profile
     */
    public Accelerator(Profile profile) {
        this(profile, (Senses) null);
    }

    private Accelerator(Profile profile, Senses load) {
        this.preset = null;
        this.load = load;
        this.terms = new Terms(profile);
        if (terms.handoverAfter().isAtOnce()) {
            acceptedStreams.beginAsking(); // its clients ask at once, and the accepting threads may wait for them
        }
    }

    /**
     * Puts a preset to work, which is read when it is needed.
     *
     * @param preset a preset that accelerates
     * @throws IllegalArgumentException if it accelerates nothing
     */
    public Accelerator(PresetChoice preset) {
        if (!preset.accelerates()) {
            throw new IllegalArgumentException(preset + " accelerates nothing");
        }
        this.preset = preset;
        this.load = null;
    }

    /** Puts a profile to work with the caller's fabrics for streams. */
    Accelerator(Profile profile, Map<FabricName, Fabric> streams) {
        this(profile, streams, null);
    }

    /** Puts a profile to work with what the caller says of the machine's load. */
    Accelerator(Profile profile, Map<FabricName, Fabric> streams, Senses load) {
        this(profile, load);
        this.fabrics = new Fabrics(profile, streams);
    }

    /** Puts a profile to work with the caller's fabrics. */
    Accelerator(Profile profile, Fabrics fabrics) {
        this(profile, (Senses) null);
        this.fabrics = fabrics;
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

    static boolean isUnsaidOrTrue(Setting<Boolean> setting) {
        return setting.value() || setting.origin().kind() == Origin.Kind.DEFAULT;
    }

    private Terms terms() {
        Terms read = terms;
        return read == null ? readPreset() : read;
    }

    private synchronized Terms readPreset() {
        if (terms == null) {
            terms = new Terms(Privileged.get(preset));
        }
        return terms;
    }

    /** Whether this is a preset that nobody had to read so far. Each that accelerates answers some questions alike. */
    boolean isUnread() {
        return terms == null;
    }

    /** The profile. */
    public Profile profile() {
        return terms().profile();
    }

    /**
     * A fabric with the profile's settings, whether or not the profile uses it.
     *
     * @param name the fabric's name
     * @return the fabric
     */
    public Fabric fabric(FabricName name) {
        return fabrics().streams().get(name);
    }

    private Fabrics fabrics() {
        Fabrics made = fabrics;
        return made == null ? makeFabrics() : made;
    }

    private synchronized Fabrics makeFabrics() {
        if (fabrics == null) {
            Profile profile = profile();
            fabrics = Privileged.get(() -> new Fabrics(profile, Fabrics.all(profile, PortSpace.TCP)));
        }
        return fabrics;
    }

    /** Whether anything is accelerated at all; false in profile {@code off}. */
    public boolean isOn() {
        return isUnread() || terms.isOn();
    }

    /** Whether the agent may accelerate {@code java.net.Socket} and its like. */
    public boolean servesSockets() {
        return isUnread() || terms.servesSockets();
    }

    /** The profile's wait strategy. */
    public PollConfig pollConfig() {
        return pollConfig(profile());
    }

    /** How blocking operations wait. */
    public BlockingWaits waits() {
        BlockingWaits made = waits;
        return made == null ? makeWaits() : made;
    }

    private synchronized BlockingWaits makeWaits() {
        if (waits == null) {
            waits = Privileged.get(() -> new BlockingWaits(pollConfig()));
        }
        return waits;
    }

    /**
     * Opens a poller with the profile's wait strategy.
     *
     * @return the poller
     * @throws IOException if the JDK's selector cannot be opened
     */
    public Poller openPoller() throws IOException {
        return new Poller(new Configuring());
    }

    /** Gives the wait strategy when a poller has links to wait for: a preset is not read before. */
    private final class Configuring implements Supplier<PollConfig> {
        @Override
        public PollConfig get() {
            return pollConfig();
        }
    }

    /**
     * Whether the Unix-domain channels that a program opens through {@code java.nio} may leave the kernel's path: the profile says so, and
     * this JVM says who is behind a socket.
     */
    public boolean movesUnixStreams() {
        return profile().get(Keys.UNIX_STREAMS) && movesChosenUnixStreams();
    }

    /**
     * As {@link #movesUnixStreams}, for an adapter whose channels a program has chosen by name: nothing there works only with the JDK's
     * own channels, so these streams may move unless the profile says that they may not.
     */
    public boolean movesChosenUnixStreams() {
        return !fabrics().unixStreams().isEmpty() && Privileged.get(JdkAccess::knowsUnixSockets);
    }

    /**
     * The fabrics that the rules leave for a stream, in order; empty if a rule says kernel.
     *
     * @param address the address or the path that a client connects to, or that a listener is bound to
     */
    List<Fabric> fabricsFor(Role role, SocketAddress address) {
        Decision decision = decide(role, address);
        if (address instanceof UnixDomainSocketAddress) {
            return movesChosenUnixStreams()
                    ? fabrics().chosen(decision, fabrics().unixStreams())
                    : List.of();
        }
        return decision.rule().isEmpty()
                ? fabrics().unruled()
                : fabrics().chosen(decision, fabrics().streams());
    }

    /**
     * Whether the rules leave any fabric for a stream. Mostly no fabric has to be there to tell that.
     *
     * @param role as in {@link #fabricsFor}
     * @param address as there
     */
    boolean mayMove(Role role, SocketAddress address) {
        return isPlain(address) ? movesUnruled() : !fabricsFor(role, address).isEmpty();
    }

    /** Whether one of the fabrics for a stream wants to compare the first bytes of connections; all of Accel's do, for streams of TCP. */
    boolean comparesBeginnings(Role role, SocketAddress address) {
        if (isPlain(address)) {
            return movesUnruled();
        }
        for (Fabric each : fabricsFor(role, address)) {
            if (each.comparesBeginnings()) {
                return true;
            }
        }
        return false;
    }

    private boolean isPlain(SocketAddress address) {
        return fabrics == null && address instanceof InetSocketAddress && (isUnread() || !terms.hasRules());
    }

    /** Whether connections may leave the kernel that no rule covers. */
    private boolean movesUnruled() {
        return isUnread() || terms.movesUnruled();
    }

    /**
     * Whether what connections need to leave the kernel waits until the process is not {@linkplain DeferredStart young} any more.
     *
     * @param wanted whether there is a connection that has a use for it
     */
    boolean waitsForYouth(boolean wanted) {
        if (!DeferredStart.isYoung() || !(isUnread() || terms.waitsForYouth())) {
            return false;
        }
        if (wanted) {
            DeferredStart.want();
        }
        return true;
    }

    /**
     * Whether a connection begins as a {@link PlainStream}: not where a rule, a log of all connections, or a {@code handover.after} of nothing
     * wants more of it from the first byte on.
     */
    boolean startsPlain() {
        return isUnread() || terms.startsPlain();
    }

    /** Whether a plain connection that has carried so much may be worth a link now. */
    boolean maySoonMove(int operations, long bytes) {
        if (isUnread()) { // then nothing is loaded to find out
            boolean isLeast = operations >= HandoverAfter.LEAST_OPERATIONS || bytes >= HandoverAfter.LEAST_BYTES;
            if (!isLeast || waitsForYouth(true)) {
                return false;
            }
        }
        HandoverAfter after = handoverAfter();
        if (after.isSoon()) {
            return ThreadLocalRandom.current().nextInt(SOON_IN_OPERATIONS) == 0;
        }
        return after.isReached(operations, bytes) && !waitsForYouth(true);
    }

    private Decision decide(Role role, SocketAddress address) {
        TransportRules rules = profile().rules();
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
        return fabrics()
                .chosen(
                        profile().rules().decide(Protocol.UDP, role, address),
                        fabrics().datagrams());
    }

    /** The multicast groups in shared memory; null if the profile leaves all groups to the kernel. */
    GroupHearing groups() {
        return fabrics().groups();
    }

    /** Whether the rules let a multicast group's datagrams take RDMA to other hosts. */
    boolean mayReachHosts(Role role, InetSocketAddress group) {
        return profile()
                .fabrics(profile().rules().decide(Protocol.UDP, role, group))
                .contains(FabricName.RDMA);
    }

    /** Whether the rules let a multicast group's datagrams leave the kernel. */
    boolean maySpread(Role role, InetSocketAddress group) {
        return profile()
                .fabrics(profile().rules().decide(Protocol.UDP, role, group))
                .contains(FabricName.SHM);
    }

    /** The rule that decided about a stream, for the log. */
    String ruleFor(Role role, SocketAddress address) {
        Setting<Boolean> unix = profile().setting(Keys.UNIX_STREAMS);
        return address instanceof UnixDomainSocketAddress && isOn() && !isUnsaidOrTrue(unix)
                ? unix.origin() + ": unix.streams=false"
                : decide(role, address).toString();
    }

    /** As {@link #ruleFor}, for datagrams. */
    String datagramRuleFor(Role role, InetSocketAddress address) {
        return profile().rules().decide(Protocol.UDP, role, address).toString();
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
        return terms().linksDatagramsAtOnce();
    }

    /** When a connection is worth a link. */
    HandoverAfter handoverAfter() {
        return terms().handoverAfter();
    }

    /** The connections that ask for links when these have paid off. */
    PricedUpgrades upgrades() {
        PricedUpgrades made = upgrades;
        return made == null ? makeUpgrades() : made;
    }

    private synchronized PricedUpgrades makeUpgrades() {
        if (upgrades == null) {
            long saving = profile().get(Keys.HANDOVER_SAVING);
            upgrades = load == null ? new PricedUpgrades(saving, new LoadSenses()) : new PricedUpgrades(saving, load);
        }
        return upgrades;
    }

    /** How long a link is idle before it is given back; {@link Keys#FOREVER} for never. */
    long handoverIdleNanos() {
        return profile().get(Keys.HANDOVER_IDLE);
    }

    /** How long a peer may take to answer. */
    long probeTimeoutNanos() {
        return profile().get(Keys.CONNECT_PROBE_TIMEOUT);
    }

    /** How long a connection that was closed tries to deliver bytes that its peer does not take. */
    long lingerNanos() {
        return profile().get(Keys.RDMA_LINGER);
    }

    ConnectionLog log() {
        return terms().log();
    }

    /**
     * The size in bytes of a ring of a connection's first link. With {@code fallback=fail} it never gets a larger one, since on the way
     * there the connection would be the kernel's for a moment.
     */
    int firstRing() {
        return isFailing() ? largestRing() : firstRing(profile());
    }

    /** The largest size in bytes of a connection's ring. */
    int largestRing() {
        return profile().get(Keys.RING_SIZE);
    }

    int lowWater() {
        return profile().get(Keys.WRITE_LOW_WATER);
    }

    /** Whether a fall-back is an exception, {@code fallback=fail}. */
    boolean isFailing() {
        return !isUnread() && terms.isFailing();
    }
}
