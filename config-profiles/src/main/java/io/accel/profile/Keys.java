// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Every setting, once. A new setting is a new constant here: the parser, the error messages and the reference page
 * follow. Sizes are {@code int} bytes, durations {@code long} nanoseconds.
 */
public final class Keys {
    /** The value of an endless duration, written {@code forever}. */
    public static final long FOREVER = Long.MAX_VALUE;

    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000 * MILLISECOND;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    /** The most bytes that any key lets a ring have. */
    public static final int MOST_RING = 64 * MIB;

    // The constants below fill this, in their order.
    private static final Map<String, Key<?>> BY_NAME = new LinkedHashMap<>();

    /** Whether to accelerate at all. */
    public static final Key<Mode> MODE = key(
            "mode",
            new EnumType<>(List.of(Mode.values())),
            "accelerate",
            "Whether to accelerate at all; `off` sends every connection through the kernel.");

    /** The fabrics to try, in this order. */
    public static final Key<List<FabricName>> FABRIC_ORDER = key(
            "fabric.order",
            LateType.fabrics(),
            "shm,rdma",
            "The fabrics to try for a connection, in this order; a fabric that is not named is not used.");

    /** The action when no fabric is available for a connection. */
    public static final Key<Fallback> FALLBACK = key(
            "fallback",
            LateType.fallback(),
            "kernel",
            "What to do when no fabric is available for a connection: `kernel` uses the kernel's socket and says why,"
                    + " `fail` throws.");

    /** Whether Unix-domain streams may leave the kernel's path. */
    public static final Key<Boolean> UNIX_STREAMS = key(
            Profile.UNIX_STREAMS,
            LateType.ofBoolean(),
            "false",
            "Whether Unix-domain streams may move to shared memory, too. The agent has it `true` unless a profile says `false`, and so"
                    + " has Accel's Netty transport for its own Unix-domain channels. Without the agent it is `false` for other channels"
                    + " unless a profile says `true`: only the agent can make the streams of"
                    + " `java.nio.channels.Channels` independent of each other, and Unix-domain channels have no `socket()` to use"
                    + " instead.");

    /** The directory of shared files and rendezvous sockets. */
    public static final Key<Path> SHM_DIR = key(
            "shm.dir",
            LateType.path(),
            "/dev/shm",
            "The directory of shared memory files and of the sockets by which peers find each other; both ends need"
                    + " the same one, on a tmpfs.");

    /** The group whose members may connect over shared memory; empty for the same user only. */
    public static final Key<String> SHM_GROUP = key(
            "shm.group",
            LateType.group(),
            "",
            "The group whose members may also connect over shared memory; empty means the same user only.");

    /** The most bytes of shared memory that the connections of this process hold; 0 for no limit. */
    public static final Key<Long> SHM_MAX = key(
            "shm.max",
            LateType.cap(1024L * 1024 * MIB),
            "0",
            "The most shared memory that the connections of this process hold at a time, whether it connected or accepted; a"
                    + " connection that would exceed it stays with the kernel. 0 means as much as `shm.dir` has room for. Where the key is"
                    + " not set and a control group limits memory, as in a container, it is a quarter of that limit.");

    /** Bytes of the receive ring of one direction of one connection, a power of two. */
    public static final Key<Integer> RING_SIZE = key(
            "ring.size",
            new SizeType(16 * KIB, MOST_RING, true),
            "256KiB",
            "The largest receive ring of one direction of one connection: how much can be on its way before the kernel's path"
                    + " takes the rest.");

    /** Bytes of a connection's first receive ring, a power of two. */
    public static final Key<Integer> RING_INITIAL = key(
            "ring.initial",
            new SizeType(16 * KIB, MOST_RING, true),
            "64KiB",
            "The receive ring that a connection begins with; `ring.size` if that is less. A ring that is found full again and again"
                    + " is replaced by one four times as large, up to `ring.size`.");

    /** From this size in bytes a buffer of the Netty transport's allocator is sent from its own memory. */
    public static final Key<Integer> ZERO_COPY_THRESHOLD = key(
            "zero-copy.threshold",
            new SizeType(4 * KIB, 4 * MIB, true),
            "16KiB",
            "The size from which the Netty transport's `AccelByteBufAllocator` gives buffers that a device sends from where they"
                    + " lie; smaller ones are copied, which is faster.");

    /** The most bytes of such memory that the Netty transport's allocator has. */
    public static final Key<Integer> ZERO_COPY_MEMORY = key(
            "zero-copy.memory",
            new SizeType(0, 1024 * MIB, false),
            "64MiB",
            "How much memory a process's `AccelByteBufAllocator` takes for such buffers; the device pins the memory that a connection"
                    + " sends from, for each connection anew. Beyond that, and with 0, buffers are copied.");

    /** The RDMA devices that may be used; empty for any that leads to the peer. */
    public static final Key<List<String>> RDMA_DEVICE = key(
            "rdma.device",
            LateType.devices(),
            "",
            "The RDMA devices that may be used; all, if none is named. Of these a connection takes the device that has the"
                    + " address from which the kernel reaches the peer. If another device has it, the connection goes through the kernel.");

    /** The type of service of a connection's packets, 0 to 255; -1 for the program's own. */
    public static final Key<Integer> RDMA_TOS = key(
            "rdma.tos",
            LateType.trafficClass(),
            "program",
            "The type of service of RDMA traffic in both directions, set by the end that connects; its upper six bits are the"
                    + " DSCP of RoCE's packets, by which switches and the device choose a queue, and InfiniBand's subnet manager"
                    + " a service level. `program` takes the `IP_TOS` that the program had set when the link was asked for;"
                    + " where that is 0, the system's default applies.");

    /** The number that is added to a kernel port's number to get the port number for RDMA. */
    public static final Key<Integer> RDMA_PORT_OFFSET = key(
            "rdma.port-offset",
            new IntType(-65_534, 65_534, "ports"),
            "0",
            "The number added to a listener's port to get its RDMA port; must be the same on both ends, and not 0 where RDMA shares"
                    + " TCP's ports, as on iWARP.");

    /** How many send and receive requests a connection may have outstanding. */
    public static final Key<Integer> RDMA_QUEUE_DEPTH = key(
            "rdma.queue-depth",
            new IntType(32, 4_096, "requests"),
            "256",
            "How many messages one direction of a connection may have outstanding; further writes are"
                    + " gathered, and sent as one. A connection has one for each KiB of its ring, 32 at least, if that is less.");

    /** Up to this size in bytes a message is copied into its request. */
    public static final Key<Integer> RDMA_INLINE = key(
            "rdma.inline",
            new SizeType(0, 1_024, false),
            "220B",
            "The size up to which a message travels within its work request, which saves the device a read of memory;"
                    + " less if the device takes less.");

    /** How many send requests share a completion. */
    public static final Key<Integer> RDMA_SIGNAL_EVERY = key(
            "rdma.signal-every",
            new IntType(1, 1_024, "requests"),
            "16",
            "How many messages share one local completion; at most a quarter of `rdma.queue-depth`.");

    /** How many completions are taken with one call. */
    public static final Key<Integer> RDMA_RX_BATCH = key(
            "rdma.rx-batch",
            new IntType(1, 256, "completions"),
            "16",
            "How many completions are taken, and receives given back, with one call.");

    /** Nanoseconds a device waits for an acknowledgement before it sends again. */
    public static final Key<Long> RDMA_ACK_TIMEOUT = key(
            "rdma.ack-timeout",
            new DurationType(100_000L, MINUTE, false),
            "250ms",
            "How long the device waits for an acknowledgement before it sends again; this is rounded up to 4.096 us times a"
                    + " power of two, and devices may wait up to four times as long.");

    /** How often a device sends again before the connection counts as broken. */
    public static final Key<Integer> RDMA_RETRIES = key(
            "rdma.retries",
            // Soft-RoCE takes 7, the highest number that a device accepts, for endless: it would never notice that a
            // host is gone.
            new IntType(0, 6, "times"),
            "6",
            "How often the device sends unacknowledged messages again, before the connection goes on through the"
                    + " kernel.");

    /** How a write announces itself to the peer. */
    public static final Key<Notify> RDMA_NOTIFY = key(
            "rdma.notify",
            LateType.notifying(),
            "auto",
            "How a write tells the peer that it has arrived: `auto` uses immediate data, or where the device has none (iWARP)"
                    + " a message after the write; `send` always uses a message. It must be the same on both ends.");

    /** How often a device sends again to a peer that had no receive ready; 7 is for ever. */
    public static final Key<Integer> RDMA_RNR_RETRIES = key(
            "rdma.rnr-retries",
            new IntType(0, 7, "times"),
            "7",
            "How often the device sends again to a peer that had no receive ready; 7 means without limit. Accel's peers"
                    + " always have one.");

    /** Nanoseconds of silence after which a peer is asked for a sign of life; 0 for never. */
    public static final Key<Long> RDMA_KEEPALIVE = key(
            "rdma.keepalive",
            new DurationType(0, HOUR, false),
            "5s",
            "The silence after which the peer's device is asked for a sign of life; if none comes within the retries, the"
                    + " connection goes on through the kernel. 0 means never.");

    /** How many nanoseconds a closed connection may be without progress in delivering its last bytes. */
    public static final Key<Long> RDMA_LINGER = key(
            "rdma.linger",
            new DurationType(MILLISECOND, HOUR, false),
            "60s",
            "How long a connection that was closed keeps trying to deliver its last bytes to a peer that takes none, also"
                    + " through the kernel where its link has broken.");

    /** When a connection moves to a faster path. */
    public static final Key<HandoverAfter> HANDOVER_AFTER = key(
            "handover.after",
            LateType.handoverAfter(),
            "auto",
            "When a connection is worth a faster path than the kernel's. `auto`: when its traffic so far would have saved as much"
                    + " (`handover.saving`) as a faster path has been measured to cost in this process, and other connections have shown that"
                    + " it is faster. Operations and bytes: after so many reads and writes, or so many bytes, at the"
                    + " end that connected. 0 means at once; `connect` means at once, and `accept` waits until that is done, for 2 s at most; `random` is"
                    + " like `connect`, and goes back to the kernel and returns at random writes; `breaking` is like `connect`, and"
                    + " links over RDMA break at random; `soon` is at one of the first operations, picked at random. The last four are for tests.");

    /** Nanoseconds that a unit of traffic is taken to save over a faster path. */
    public static final Key<Long> HANDOVER_SAVING = key(
            "handover.saving",
            new DurationType(1, SECOND, false),
            "5us",
            "What each read or write, or each 8 KiB, of a connection is taken to save over a faster path, until more was"
                    + " measured. With `handover.after=auto` a connection moves sooner the more that is.");

    /** Nanoseconds without traffic after which a connection gives its faster path back; {@link #FOREVER} for never. */
    public static final Key<Long> HANDOVER_IDLE = key(
            "handover.idle",
            new DurationType(10 * MILLISECOND, HOUR, true),
            "60s",
            "How long a connection's faster path is unused until the end that accepted gives its memory back: the connection"
                    + " goes on through the kernel, and moves again when it has carried `handover.after` anew. `forever`"
                    + " never does. Where there is no room for other connections, it is a second at most.");

    /** Nanoseconds that a peer may take to answer when it is asked for a faster path. */
    public static final Key<Long> CONNECT_PROBE_TIMEOUT = key(
            "connect.probe-timeout",
            new DurationType(MILLISECOND, MINUTE, false),
            "5s",
            "How long a peer may take to answer when it is asked for a faster path, before the next one is tried. The"
                    + " connection goes on meanwhile.");

    /** Nanoseconds that a listener gives a client to finish its handshake. */
    public static final Key<Long> HANDSHAKE_TIMEOUT = key(
            "handshake.timeout",
            new DurationType(MILLISECOND, MINUTE, false),
            "2s",
            "How long a listener waits for a client that connected to finish its handshake, before it hangs up.");

    /** Nanoseconds to go on looking after the last traffic; 0 for not at all, {@link #FOREVER} for always. */
    public static final Key<Long> POLL_SPIN = key(
            "poll.spin",
            new DurationType(0, HOUR, true),
            "20us",
            "How long to go on looking for traffic after the last traffic, before going to sleep until the peer rings.");

    /** How many spinning turns lie between two looks at the kernel's descriptors. */
    public static final Key<Integer> POLL_KERNEL_INTERVAL = key(
            "poll.kernel-interval",
            new IntType(1, 1_000_000, "turns"),
            "200",
            "How many spinning turns pass between two looks at the kernel's own descriptors.");

    /** How many links one poller polls at once. */
    public static final Key<Integer> POLL_HOT_MAX = key(
            "poll.hot-max",
            new IntType(1, 65_536, "links"),
            "64",
            "How many links one selector polls at once; beyond that, the quietest links sleep until their peer rings.");

    /** How long to leave a sender alone after traffic was found. */
    public static final Key<Integer> POLL_MODERATION = key(
            "poll.moderation",
            new IntType(0, 10_000, "pauses"),
            "0",
            "For how many processor pauses a selector leaves a sender alone after it found traffic, so that small messages"
                    + " come in larger portions; each pause costs some 20 ns of latency.");

    /** Whether a spinning thread offers its core to others. */
    public static final Key<YieldPolicy> POLL_YIELD = key(
            "poll.yield",
            LateType.yielding(),
            "adaptive",
            "Whether a spinning thread gives way to others: `adaptive` sleeps at once while others want its core, `always` offers"
                    + " it at each opportunity, `never` is for cores that nobody else uses.");

    /** From this many bytes of free ring space a channel is ready for writing. */
    public static final Key<Integer> WRITE_LOW_WATER = key(
            "write.low-water",
            new SizeType(1, 32 * MIB, false),
            "4KiB",
            "The free ring space at which a channel becomes ready for writing (`OP_WRITE`); half of `ring.size` if that is less.");

    /** Bytes of the message ring of one direction between two datagram sockets, a power of two. */
    public static final Key<Integer> DATAGRAM_RING_SIZE = key(
            "datagram.ring-size",
            // The largest datagram must fit, wherever in the ring it begins.
            new SizeType(128 * KIB, MOST_RING, true),
            "256KiB",
            "The message ring of one direction between two datagram sockets; datagrams that do not fit are dropped. On shared memory it is"
                    + " larger where a program raises `SO_RCVBUF`.");

    /** How many accelerated peers a datagram socket may have. */
    public static final Key<Integer> DATAGRAM_PEERS_MAX = key(
            "datagram.peers-max",
            new IntType(0, 65_536, "peers"),
            "256",
            "How many accelerated peers one datagram socket may have, which bounds its memory; the others' datagrams go"
                    + " through the kernel. 0 leaves all datagrams to the kernel.");

    /** Nanoseconds after which an unused path between datagram sockets is given up. */
    public static final Key<Long> DATAGRAM_IDLE = key(
            "datagram.idle",
            new DurationType(MILLISECOND, HOUR, true),
            "60s",
            "The time without a datagram after which the memory between two datagram sockets is given back; the next datagram"
                    + " looks for a path anew.");

    /** Nanoseconds for which a destination that has no faster path goes through the kernel. */
    public static final Key<Long> DATAGRAM_RETRY = key(
            "datagram.retry",
            new DurationType(MILLISECOND, HOUR, true),
            "1s",
            "How long datagrams to a destination without a faster path go through the kernel before Accel looks for a path again.");

    /** Whether datagrams between two sockets may go over RDMA. */
    public static final Key<Boolean> DATAGRAM_RDMA = key(
            "datagram.rdma",
            LateType.ofBoolean(),
            "false",
            "Whether datagrams to other hosts may go over RDMA, at both ends. Nothing proves who answers there: any user who may use a device of either host"
                    + " can take the place of a UDP socket of that host, receive its datagrams and send others in its name. So this is for"
                    + " hosts whose users trust each other. Streams prove their peers, and do not need it.");

    /** How datagrams to multicast groups reach the members on this host. */
    public static final Key<GroupPath> DATAGRAM_MULTICAST = key(
            "datagram.multicast",
            LateType.groupPath(),
            "kernel",
            "How datagrams to IPv4 multicast groups reach members. `both` also writes them to shared memory, for members with Accel on this host,"
                    + " and sends them by RDMA, for those on other hosts, where both hosts have a device on the group's interface; such members hear each once,"
                    + " and all others hear the kernel's. `fabric` does without the kernel: members without Accel, or on hosts without RDMA, hear nothing."
                    + " A process with `kernel` takes no part in this.");

    /** Whether each connection's path is logged. */
    public static final Key<Boolean> LOG_CONNECTIONS = key(
            "log.connections",
            LateType.ofBoolean(),
            "false",
            "Whether each connection logs a line that says which path it took and, if that is the kernel's, why.");

    /** The addresses where metrics are served; empty for none. */
    public static final Key<String> METRICS = key(
            "metrics",
            LateType.metrics(),
            "",
            "Where to show metrics of programs that do not do so themselves: in JMX, or on a page for Prometheus, at 127.0.0.1"
                    + " and port 9464 unless given. Empty means nowhere.");

    /** Whether the agent serves {@code java.net.Socket}, too. */
    public static final Key<Boolean> SOCKETS = key(
            "sockets",
            LateType.ofBoolean(),
            "true",
            "Whether the agent also serves `java.net.Socket`, `ServerSocket` and `DatagramSocket`; without the agent they are"
                    + " the JDK's in any case.");

    /** Whether the agent keeps Netty from its native transports. */
    public static final Key<NettyChoice> NETTY = key(
            "netty",
            LateType.netty(),
            "nio",
            "What the agent does about Netty's native transports, which go past Accel. `nio` makes them unavailable, so"
                    + " Netty takes its NIO transport. `keep` leaves the choice to the program.");

    /** Whether {@code accel stats} can look at the process. */
    public static final Key<Boolean> STATS = key(
            "stats",
            LateType.ofBoolean(),
            "true",
            "Whether `accel stats` and `accel capture` of the same user can look at the process; this costs nothing unless"
                    + " somebody looks.");

    /**
     * Names under {@code accel.} that are no keys of a profile, but read elsewhere; each stands for all names that
     * begin with it.
     */
    private static final Set<String> RESERVED = Set.of("profile", "on-error");

    private Keys() {}

    /** Every key, in the order of the reference page. */
    public static List<Key<?>> all() {
        return List.copyOf(BY_NAME.values());
    }

    static Key<?> find(String name) {
        return BY_NAME.get(name);
    }

    static Set<String> names() {
        return Collections.unmodifiableSet(BY_NAME.keySet());
    }

    /** Whether other code reads the system property {@code accel.name}. */
    static boolean isReserved(String name) {
        int dot = name.indexOf('.');
        return RESERVED.contains(dot < 0 ? name : name.substring(0, dot));
    }

    static Set<String> reserved() {
        return RESERVED;
    }

    private static <T> Key<T> key(String name, ValueType<T> type, String defaultText, String description) {
        Key<T> key = new Key<>(name, type, defaultText, description);
        if (BY_NAME.put(name, key) != null) {
            throw new IllegalStateException("two keys named " + name);
        }
        return key;
    }
}
