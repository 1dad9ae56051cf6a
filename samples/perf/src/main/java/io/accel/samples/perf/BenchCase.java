// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The cases that can be compared. */
enum BenchCase {
    RAW("raw", Kind.RAW, "none", Variant.RAW),
    MEMCPY("raw", Kind.MEMCPY, "none", Variant.MEMCPY),
    PINGPONG("pingpong-64", Kind.PINGPONG, "latency", Variant.KERNEL, Variant.ACCELERATED),
    PINGPONG_BLOCKING("pingpong-64-blocking", Kind.PINGPONG_BLOCKING, "latency", Variant.KERNEL, Variant.ACCELERATED),
    UNIX_PINGPONG("unix-pingpong-64", Kind.UNIX_PINGPONG, "latency", Variant.KERNEL, Variant.ACCELERATED),
    STREAM_64K("stream-64k", Kind.STREAM_LARGE, "throughput", Variant.KERNEL, Variant.ACCELERATED),
    STREAM_64("stream-64", Kind.STREAM_SMALL, "throughput", Variant.KERNEL, Variant.ACCELERATED),
    KERNEL_PINGPONG("kernel-pingpong-64", Kind.PINGPONG, "latency", Variant.PLAIN, Variant.ONE_END),
    KERNEL_STREAM("kernel-stream-64k", Kind.STREAM_LARGE, "throughput", Variant.PLAIN, Variant.ONE_END),
    /** One connection alone, for comparison with {@link #IDLE_1000}, {@link #IDLE_10000} and {@link #BURST}. Chosen together with them. */
    IDLE_1("idle-1", Kind.PINGPONG, Crowding.NONE),
    IDLE_1000("idle-1000", Kind.PINGPONG_AMONG_1000, Crowding.NONE),
    IDLE_CPU("idle-cpu", Kind.IDLE, "balanced", Variant.KERNEL, Variant.ACCELERATED),
    BURST("burst-2000", Kind.PINGPONG_AFTER_BURST, Crowding.NONE),
    IDLE_10000("idle-10000", Kind.PINGPONG_AMONG_10000, Crowding.NONE),
    PACED("paced", Kind.PACED, Crowding.NONE),
    CONNECT_CLOSE("connect-close", Kind.CONNECTION, "balanced", Variant.KERNEL, Variant.CHOICE),
    CONNECT_ECHO_CLOSE("connect-echo-close", Kind.CONNECTION_WITH_ECHO, "balanced", Variant.KERNEL, Variant.CHOICE),
    REUSEPORT("reuseport", Kind.SHARED_PORT, "balanced", Variant.KERNEL, Variant.CHOICE),
    EXCHANGE("exchange-1m", Kind.EXCHANGE, "balanced", Variant.KERNEL, Variant.CHOICE),
    TRANSFER_TO(
            "transfer-to",
            Kind.TRANSFER_TO,
            Crowding.NONE,
            "throughput",
            List.of(Variant.KERNEL, Variant.CHOICE, Variant.AGENT)),
    TRANSFER_FROM("transfer-from", Kind.TRANSFER_FROM, "throughput", Variant.KERNEL, Variant.CHOICE),
    KERNEL_TRANSFER_TO(
            "kernel-transfer-to",
            Kind.TRANSFER_TO,
            Crowding.NONE,
            "throughput",
            List.of(Variant.PLAIN, Variant.ONE_END, Variant.AGENT_AT_ONE_END)),
    KERNEL_TRANSFER_FROM("kernel-transfer-from", Kind.TRANSFER_FROM, "throughput", Variant.PLAIN, Variant.ONE_END),
    KERNEL_INTEREST("kernel-interest", Kind.INTEREST, "balanced", Variant.PLAIN, Variant.ONE_END),
    KERNEL_REGISTRATION("kernel-registration", Kind.REGISTRATION, "balanced", Variant.PLAIN, Variant.ONE_END),
    KERNEL_MODE("kernel-mode", Kind.MODE, "balanced", Variant.PLAIN, Variant.ONE_END),
    DATAGRAM_PINGPONG("datagram-64", Kind.DATAGRAM_PINGPONG, "latency", Variant.KERNEL, Variant.ACCELERATED),
    DATAGRAM_RATE("datagram-rate-64", Kind.DATAGRAM_RATE, "throughput", Variant.KERNEL, Variant.ACCELERATED),
    MULTICAST("multicast-64", Kind.GROUP_PINGPONG, "latency", Variant.KERNEL, Variant.ACCELERATED),
    MULTICAST_RATE("multicast-rate-64", Kind.GROUP_RATE, "throughput", Variant.KERNEL, Variant.ACCELERATED),
    /** One peer alone, for comparison with {@link #DATAGRAM_PEERS}. Chosen together with it. */
    DATAGRAM_ONE_PEER("udp-1-peer", Kind.DATAGRAM_ONE_PEER, "latency", Variant.KERNEL, Variant.ACCELERATED),
    DATAGRAM_PEERS("udp-200-peers", Kind.DATAGRAM_PEERS, "latency", Variant.KERNEL, Variant.ACCELERATED),
    ONE_CORE("crowded-one-core", Kind.PINGPONG, Crowding.ONE_CORE),
    ONE_CORE_BLOCKING("crowded-one-core-blocking", Kind.PINGPONG_BLOCKING, Crowding.ONE_CORE),
    ONE_CORE_NETTY("crowded-one-core-netty", Kind.NETTY_ECHO, Crowding.ONE_CORE),
    HOG("crowded-hog", Kind.PINGPONG, Crowding.HOG),
    HOG_BLOCKING("crowded-hog-blocking", Kind.PINGPONG_BLOCKING, Crowding.HOG),
    HOG_NETTY("crowded-hog-netty", Kind.NETTY_ECHO, Crowding.HOG),
    FOUR_BY_FOUR("crowded-4x4", Kind.FOUR_BY_FOUR, Crowding.TWO_CORES),
    FOUR_BY_FOUR_DEFAULTS(
            "crowded-4x4-defaults",
            Kind.FOUR_BY_FOUR,
            Crowding.TWO_CORES,
            null,
            List.of(Variant.KERNEL, Variant.DEFAULTS)),
    FOUR_BY_FOUR_NETTY("crowded-4x4-netty", Kind.NETTY_FOUR_BY_FOUR, Crowding.TWO_CORES),
    VIRTUAL("virtual-threads", Kind.VIRTUAL, Crowding.NONE),
    SLEEPER_READ("virtual-sleeper-read", Kind.SLEEPER_READ, Crowding.NONE),
    SLEEPER_WRITE("virtual-sleeper-write", Kind.SLEEPER_WRITE, Crowding.NONE),
    SLEEPER_SELECT("virtual-sleeper-select", Kind.SLEEPER_SELECT, Crowding.NONE),
    SLEEPER_STREAM("virtual-sleeper-stream", Kind.SLEEPER_STREAM, Crowding.NONE),
    SLEEPER_ACCEPT("virtual-sleeper-accept", Kind.SLEEPER_ACCEPT, Crowding.NONE),
    SLEEPER_DATAGRAM("virtual-sleeper-datagram", Kind.SLEEPER_DATAGRAM, Crowding.NONE),
    VIRTUAL_ONE_CORE("crowded-one-core-virtual", Kind.VIRTUAL, Crowding.ONE_CORE),
    VIRTUAL_HOG("crowded-hog-virtual", Kind.VIRTUAL, Crowding.HOG),
    QUOTA("crowded-quota", Kind.PINGPONG, Crowding.QUOTA),
    QUOTA_BLOCKING("crowded-quota-blocking", Kind.PINGPONG_BLOCKING, Crowding.QUOTA),
    QUOTA_NETTY("crowded-quota-netty", Kind.NETTY_ECHO, Crowding.QUOTA),
    QUOTA_VIRTUAL("crowded-quota-virtual", Kind.VIRTUAL, Crowding.QUOTA),
    NETTY_ECHO("netty-echo-64", Kind.NETTY_ECHO, "latency", Variant.NETTY_EPOLL, Variant.NETTY_ACCEL),
    NETTY_STREAM("netty-stream-64k", Kind.NETTY_STREAM, "throughput", Variant.NETTY_EPOLL, Variant.NETTY_ACCEL),
    NETTY_HTTP("netty-http", Kind.NETTY_HTTP, "latency", Variant.NETTY_EPOLL, Variant.NETTY_ACCEL),
    TIMERS(
            "timers",
            Kind.NETTY_TIMERS,
            Crowding.NONE,
            "balanced",
            List.of(Variant.NETTY_NIO, Variant.NETTY_EPOLL, Variant.NETTY_IO_URING, Variant.NETTY_ACCEL)),
    YOUNG_PAIRS("young-pairs", Kind.YOUNG_PAIRS, Crowding.NONE),
    YOUNG_SELECTOR("young-selector", Kind.YOUNG_SELECTOR, Crowding.NONE),
    YOUNG_NEW("young-new", Kind.YOUNG_NEW, Crowding.NONE),
    YOUNG_QUERY("young-udp-query", Kind.YOUNG_QUERY, Crowding.NONE),
    YOUNG_QUERY_SOCKET("young-udp-query-socket", Kind.YOUNG_QUERY_SOCKET, Crowding.NONE),
    YOUNG_NETTY("young-netty", Kind.YOUNG_NETTY, Crowding.NONE),
    YOUNG_HTTP("young-http", Kind.YOUNG_HTTP, Crowding.NONE),
    RDMA_PINGPONG("rdma-pingpong-64", Kind.PINGPONG, "latency", Variant.KERNEL, Variant.RDMA),
    RDMA_STREAM("rdma-stream-64k", Kind.STREAM_LARGE, "throughput", Variant.KERNEL, Variant.RDMA),
    RDMA_DATAGRAM("rdma-datagram-64", Kind.DATAGRAM_PINGPONG, "latency", Variant.KERNEL, Variant.RDMA),
    KAFKA_PRODUCE("kafka-produce", Kind.KAFKA_PRODUCE, Crowding.NONE),
    KAFKA_RECORD("kafka-record", Kind.KAFKA_RECORD, Crowding.NONE),
    ZOOKEEPER_READ("zookeeper-read", Kind.ZOOKEEPER_READ, Crowding.NONE),
    DERBY_LOOKUP("derby-lookup", Kind.DERBY_LOOKUP, Crowding.NONE),
    GRPC_UNARY("grpc-unary", Kind.GRPC_UNARY, Crowding.NONE),
    TOMCAT("tomcat", Kind.TOMCAT, Crowding.NONE),
    TOMCAT_EACH("tomcat-each", Kind.TOMCAT_EACH, Crowding.NONE),
    GRPC_NETTY("grpc-netty", Kind.GRPC_NETTY, Crowding.NONE),
    TOMCAT_NIO2("tomcat-nio2", Kind.TOMCAT_NIO2, Crowding.NONE),
    VERTX("vertx", Kind.VERTX, Crowding.NONE),
    WEBFLUX("webflux", Kind.WEBFLUX, Crowding.NONE),
    ARTEMIS_SEND("artemis-send", Kind.ARTEMIS_SEND, Crowding.NONE),
    CASSANDRA_READ("cassandra-read", Kind.CASSANDRA_READ, Crowding.NONE),
    JGROUPS("jgroups", Kind.JGROUPS, Crowding.NONE),
    UNDERTOW("undertow", Kind.UNDERTOW, Crowding.NONE),
    HAZELCAST_GET("hazelcast-get", Kind.HAZELCAST_GET, Crowding.NONE),
    HAZELCAST_PAIR("hazelcast-pair", Kind.HAZELCAST_PAIR, Crowding.NONE),
    PEERS("peers", Kind.PEERS, Crowding.NONE),
    KAFKA_PRODUCE_ONE_CORE("kafka-produce-one-core", Kind.KAFKA_PRODUCE, Crowding.ONE_CORE),
    KAFKA_RECORD_ONE_CORE("kafka-record-one-core", Kind.KAFKA_RECORD, Crowding.ONE_CORE),
    ZOOKEEPER_READ_ONE_CORE("zookeeper-read-one-core", Kind.ZOOKEEPER_READ, Crowding.ONE_CORE),
    DERBY_LOOKUP_ONE_CORE("derby-lookup-one-core", Kind.DERBY_LOOKUP, Crowding.ONE_CORE),
    GRPC_UNARY_ONE_CORE("grpc-unary-one-core", Kind.GRPC_UNARY, Crowding.ONE_CORE),
    TOMCAT_ONE_CORE("tomcat-one-core", Kind.TOMCAT, Crowding.ONE_CORE),
    TOMCAT_EACH_ONE_CORE("tomcat-each-one-core", Kind.TOMCAT_EACH, Crowding.ONE_CORE),
    GRPC_NETTY_ONE_CORE("grpc-netty-one-core", Kind.GRPC_NETTY, Crowding.ONE_CORE),
    TOMCAT_NIO2_ONE_CORE("tomcat-nio2-one-core", Kind.TOMCAT_NIO2, Crowding.ONE_CORE),
    VERTX_ONE_CORE("vertx-one-core", Kind.VERTX, Crowding.ONE_CORE),
    WEBFLUX_ONE_CORE("webflux-one-core", Kind.WEBFLUX, Crowding.ONE_CORE),
    ARTEMIS_SEND_ONE_CORE("artemis-send-one-core", Kind.ARTEMIS_SEND, Crowding.ONE_CORE),
    CASSANDRA_READ_ONE_CORE("cassandra-read-one-core", Kind.CASSANDRA_READ, Crowding.ONE_CORE),
    JGROUPS_ONE_CORE("jgroups-one-core", Kind.JGROUPS, Crowding.ONE_CORE),
    UNDERTOW_ONE_CORE("undertow-one-core", Kind.UNDERTOW, Crowding.ONE_CORE),
    HAZELCAST_GET_ONE_CORE("hazelcast-get-one-core", Kind.HAZELCAST_GET, Crowding.ONE_CORE),
    HAZELCAST_PAIR_ONE_CORE("hazelcast-pair-one-core", Kind.HAZELCAST_PAIR, Crowding.ONE_CORE),
    PEERS_ONE_CORE("peers-one-core", Kind.PEERS, Crowding.ONE_CORE),
    KAFKA_PRODUCE_QUOTA("kafka-produce-quota", Kind.KAFKA_PRODUCE, Crowding.QUOTA),
    KAFKA_RECORD_QUOTA("kafka-record-quota", Kind.KAFKA_RECORD, Crowding.QUOTA),
    ZOOKEEPER_READ_QUOTA("zookeeper-read-quota", Kind.ZOOKEEPER_READ, Crowding.QUOTA),
    DERBY_LOOKUP_QUOTA("derby-lookup-quota", Kind.DERBY_LOOKUP, Crowding.QUOTA),
    GRPC_UNARY_QUOTA("grpc-unary-quota", Kind.GRPC_UNARY, Crowding.QUOTA),
    TOMCAT_QUOTA("tomcat-quota", Kind.TOMCAT, Crowding.QUOTA),
    TOMCAT_EACH_QUOTA("tomcat-each-quota", Kind.TOMCAT_EACH, Crowding.QUOTA),
    GRPC_NETTY_QUOTA("grpc-netty-quota", Kind.GRPC_NETTY, Crowding.QUOTA),
    TOMCAT_NIO2_QUOTA("tomcat-nio2-quota", Kind.TOMCAT_NIO2, Crowding.QUOTA),
    VERTX_QUOTA("vertx-quota", Kind.VERTX, Crowding.QUOTA),
    WEBFLUX_QUOTA("webflux-quota", Kind.WEBFLUX, Crowding.QUOTA),
    ARTEMIS_SEND_QUOTA("artemis-send-quota", Kind.ARTEMIS_SEND, Crowding.QUOTA),
    CASSANDRA_READ_QUOTA("cassandra-read-quota", Kind.CASSANDRA_READ, Crowding.QUOTA),
    JGROUPS_QUOTA("jgroups-quota", Kind.JGROUPS, Crowding.QUOTA),
    UNDERTOW_QUOTA("undertow-quota", Kind.UNDERTOW, Crowding.QUOTA),
    HAZELCAST_GET_QUOTA("hazelcast-get-quota", Kind.HAZELCAST_GET, Crowding.QUOTA),
    HAZELCAST_PAIR_QUOTA("hazelcast-pair-quota", Kind.HAZELCAST_PAIR, Crowding.QUOTA),
    PEERS_QUOTA("peers-quota", Kind.PEERS, Crowding.QUOTA);

    /** The cases over a device, and the cases within the host. */
    static final Set<BenchCase> OF_RDMA = Set.copyOf(EnumSet.of(RDMA_PINGPONG, RDMA_STREAM, RDMA_DATAGRAM));

    /** Real programs. */
    static final Set<BenchCase> OF_APPS = Arrays.stream(values())
            .filter(each -> each.kind.programs == Programs.APPS)
            .collect(Collectors.toUnmodifiableSet());

    /** Those of them that {@code perf apps --young} has: {@link Kind#PEERS} has no program around its sockets. */
    static final Set<BenchCase> OF_YOUNG_APPS =
            OF_APPS.stream().filter(each -> each.kind != Kind.PEERS).collect(Collectors.toUnmodifiableSet());

    /** What {@code perf compare} has. */
    static final Set<BenchCase> OF_BENCHES = Set.copyOf(EnumSet.complementOf(EnumSet.copyOf(OF_APPS)));

    /** The cases that measure programs from their start on. */
    static final Set<BenchCase> OF_YOUNG =
            OF_BENCHES.stream().filter(each -> each.kind.isYoung()).collect(Collectors.toUnmodifiableSet());

    static final Set<BenchCase> OF_SHM = OF_BENCHES.stream()
            .filter(each -> !OF_RDMA.contains(each) && !OF_YOUNG.contains(each))
            .collect(Collectors.toUnmodifiableSet());

    /** Cases of many, each with the case of one alone that it is compared with. */
    private static final Map<BenchCase, BenchCase> BESIDE_ONE_ALONE =
            Map.of(IDLE_1000, IDLE_1, IDLE_10000, IDLE_1, BURST, IDLE_1, DATAGRAM_PEERS, DATAGRAM_ONE_PEER);

    /** The case's name on the command line and in results. */
    final String label;

    final Kind kind;

    final Crowding crowding;

    /** The variant without Accel, with which the others are compared. */
    final Variant reference;

    private final String profile;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<Variant> variants;

    BenchCase(String label, Kind kind, String profile, Variant reference) {
        this(label, kind, Crowding.NONE, profile, List.of(reference));
    }

    BenchCase(String label, Kind kind, String profile, Variant reference, Variant accelerated) {
        this(
                label,
                kind,
                Crowding.NONE,
                profile,
                kind.isNetty()
                        ? List.of(reference, Variant.NETTY_NIO, Variant.NETTY_IO_URING, Variant.NETTY_UNIX, accelerated)
                        : List.of(reference, accelerated));
    }

    /** With each profile: such a case asks which profile is right if processors are few, or connections many. */
    BenchCase(String label, Kind kind, Crowding crowding) {
        this(label, kind, crowding, null, withEachProfile(kind));
    }

    private static List<Variant> withEachProfile(Kind kind) {
        if (kind.isYoung()) {
            return kind.isByAgent()
                    ? List.of(
                            Variant.KERNEL,
                            Variant.YOUNG_AGENT_BALANCED,
                            Variant.YOUNG_AGENT_LATENCY,
                            Variant.YOUNG_AGENT_THROUGHPUT,
                            Variant.YOUNG_AGENT_LOW_CPU,
                            Variant.YOUNG_AGENT_OFF)
                    : List.of(
                            Variant.KERNEL,
                            Variant.YOUNG_BALANCED,
                            Variant.YOUNG_LATENCY,
                            Variant.YOUNG_THROUGHPUT,
                            Variant.YOUNG_LOW_CPU,
                            Variant.YOUNG_OFF);
        }
        return switch (kind.programs) {
            case PLAIN ->
                kind.isSleeper()
                        ? List.of(
                                Variant.KERNEL, Variant.LATENCY, Variant.BALANCED, Variant.THROUGHPUT, Variant.LOW_CPU)
                        : List.of(Variant.KERNEL, Variant.LATENCY, Variant.BALANCED, Variant.LOW_CPU);
            case NETTY ->
                List.of(Variant.NETTY_EPOLL, Variant.NETTY_LATENCY, Variant.NETTY_BALANCED, Variant.NETTY_LOW_CPU);
            case APPS ->
                kind == Kind.PEERS
                        ? List.of(
                                Variant.PEER_TCP,
                                Variant.PEER_UNIX,
                                Variant.PEER_JUNIXSOCKET,
                                Variant.PEER_AERON,
                                Variant.PEER_LATENCY,
                                Variant.PEER_BALANCED,
                                Variant.PEER_LOW_CPU)
                        : List.of(
                                Variant.KERNEL,
                                Variant.AGENT_LATENCY,
                                Variant.AGENT_BALANCED,
                                Variant.AGENT_THROUGHPUT,
                                Variant.AGENT_LOW_CPU,
                                Variant.AGENT_OFF);
        };
    }

    BenchCase(String label, Kind kind, Crowding crowding, String profile, List<Variant> variants) {
        this.label = label;
        this.kind = kind;
        this.crowding = crowding;
        this.profile = profile;
        this.reference = variants.get(0);
        this.variants = variants;
    }

    /** Whether both variants go through the kernel, so that they differ by little and must be measured close together. */
    boolean comparesKernelPaths() {
        return reference == Variant.PLAIN;
    }

    /** The ways to run it, {@link #reference} first. */
    List<Variant> variants() {
        return variants;
    }

    /** The profile of the ends of {@code variant} that have Accel; {@code none} if none has. */
    String profileOf(Variant variant) {
        if (!variant.accelerated()) {
            return "none";
        }
        return variant.profile == null ? profile : variant.profile;
    }

    /** The cases of {@code among} that {@code name} asks for, in which a star stands for any characters, and the cases that these need. */
    static List<BenchCase> named(String name, Set<BenchCase> among) {
        Predicate<String> asked = Arrays.stream(name.split("\\*", -1))
                .map(Pattern::quote)
                .collect(Collectors.collectingAndThen(Collectors.joining(".*"), Pattern::compile))
                .asMatchPredicate();
        Set<BenchCase> cases = among.stream()
                .filter(c -> asked.test(c.label))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(BenchCase.class)));
        if (cases.isEmpty()) {
            throw new IllegalArgumentException("there is no case '" + name + "'; the cases are " + names(among));
        }
        for (BenchCase many : List.copyOf(cases)) {
            many.oneAlone().ifPresent(cases::add);
        }
        return List.copyOf(cases);
    }

    /** The case that this case of many is compared with: the same case of one alone; empty if this is not a case of many. */
    Optional<BenchCase> oneAlone() {
        return Optional.ofNullable(BESIDE_ONE_ALONE.get(this));
    }

    /**
     * The ways to run cases with a profile that was not asked for.
     *
     * @param profiles those that were; all are if there are none
     * @throws IllegalArgumentException if the cases do not have one of them, or it is there twice
     */
    static Set<Variant> leftOut(Set<BenchCase> cases, List<String> profiles) {
        Set<Variant> known = cases.stream()
                .flatMap(each -> each.variants().stream())
                .filter(variant -> variant.profile != null)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Variant.class)));
        Set<Variant> left = EnumSet.copyOf(known);
        for (String profile : profiles) {
            if (!left.removeIf(variant -> variant.profile.equals(profile))) {
                throw new IllegalArgumentException("'" + profile + "' is not one of "
                        + known.stream()
                                .map(variant -> variant.profile)
                                .distinct()
                                .collect(Collectors.joining(", "))
                        + ", or there twice");
            }
        }
        return profiles.isEmpty() ? Set.of() : left;
    }

    /** All their names, with commas, except for the cases of one alone, which come with the others. */
    static String names(Set<BenchCase> cases) {
        return cases.stream()
                .sorted()
                .filter(c -> !BESIDE_ONE_ALONE.containsValue(c))
                .map(c -> c.label)
                .distinct()
                .collect(Collectors.joining(", "));
    }
}
