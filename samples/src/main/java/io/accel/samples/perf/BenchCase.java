package io.accel.samples.perf;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What can be compared. */
enum BenchCase {
    RAW("raw", Kind.RAW, "none", Variant.RAW, null),
    MEMCPY("raw", Kind.MEMCPY, "none", Variant.MEMCPY, null),
    PINGPONG("pingpong-64", Kind.PINGPONG, "latency", Variant.KERNEL, Variant.ACCELERATED),
    PINGPONG_BLOCKING("pingpong-64-blocking", Kind.PINGPONG_BLOCKING, "latency", Variant.KERNEL, Variant.ACCELERATED),
    STREAM_64K("stream-64k", Kind.STREAM_LARGE, "throughput", Variant.KERNEL, Variant.ACCELERATED),
    STREAM_64("stream-64", Kind.STREAM_SMALL, "throughput", Variant.KERNEL, Variant.ACCELERATED),
    KERNEL_PINGPONG("kernel-pingpong-64", Kind.PINGPONG, "latency", Variant.PLAIN, Variant.ONE_END),
    KERNEL_STREAM("kernel-stream-64k", Kind.STREAM_LARGE, "throughput", Variant.PLAIN, Variant.ONE_END),
    /** One connection alone: what {@link #IDLE_1000} is to be compared with. Chosen together with it. */
    IDLE_1("idle-1", Kind.PINGPONG, "latency", Variant.KERNEL, Variant.ACCELERATED),
    IDLE_1000("idle-1000", Kind.PINGPONG_AMONG_1000, "latency", Variant.KERNEL, Variant.ACCELERATED),
    IDLE_CPU("idle-cpu", Kind.IDLE, "balanced", Variant.KERNEL, Variant.ACCELERATED),
    DATAGRAM_PINGPONG("datagram-64", Kind.DATAGRAM_PINGPONG, "latency", Variant.KERNEL, Variant.ACCELERATED),
    DATAGRAM_RATE("datagram-rate-64", Kind.DATAGRAM_RATE, "throughput", Variant.KERNEL, Variant.ACCELERATED),
    NETTY_ECHO("netty-echo-64", Kind.NETTY_ECHO, "latency", Variant.NETTY_EPOLL, Variant.NETTY_ACCEL),
    NETTY_STREAM("netty-stream-64k", Kind.NETTY_STREAM, "throughput", Variant.NETTY_EPOLL, Variant.NETTY_ACCEL),
    NETTY_HTTP("netty-http", Kind.NETTY_HTTP, "latency", Variant.NETTY_EPOLL, Variant.NETTY_ACCEL),
    RDMA_PINGPONG("rdma-pingpong-64", Kind.PINGPONG, "latency", Variant.KERNEL, Variant.RDMA),
    RDMA_STREAM("rdma-stream-64k", Kind.STREAM_LARGE, "throughput", Variant.KERNEL, Variant.RDMA),
    RDMA_DATAGRAM("rdma-datagram-64", Kind.DATAGRAM_PINGPONG, "latency", Variant.KERNEL, Variant.RDMA);

    /** Those over a device, and those within the host. */
    static final Set<BenchCase> OF_RDMA = Set.copyOf(EnumSet.of(RDMA_PINGPONG, RDMA_STREAM, RDMA_DATAGRAM));

    static final Set<BenchCase> OF_SHM = Set.copyOf(EnumSet.complementOf(EnumSet.copyOf(OF_RDMA)));

    /** Which programs a case runs, and what its figures mean. */
    enum Kind {
        PINGPONG("SelectorEchoServer", "SelectorPingPong", 64, 1),
        PINGPONG_BLOCKING("BlockingEchoServer", "BlockingPingPong", 64, 1),
        PINGPONG_AMONG_1000("SelectorEchoServer", "SelectorPingPong", 64, 1000),
        STREAM_LARGE("StreamSink", "StreamSource", 64 * 1024, 1),
        STREAM_SMALL("StreamSink", "StreamSource", 64, 1),
        DATAGRAM_PINGPONG("DatagramEchoServer", "DatagramPingPong", 64, 1),
        DATAGRAM_RATE("DatagramSink", "DatagramSource", 64, 1),
        IDLE("SelectorEchoServer", "IdleConnections", 64, 100),
        NETTY_ECHO("NettyEchoServer", "NettyPingPong", 64, 1),
        NETTY_STREAM("NettyStreamSink", "NettyStreamSource", 64 * 1024, 1),
        /** The size is that of an answer's body. */
        NETTY_HTTP("NettyHttpServer", "NettyHttpLoad", 13, 8),
        RAW("CacheLineBounce", "CacheLineBounce", 8, 0),
        MEMCPY(null, "MemoryCopy", 64 * 1024, 0);

        /** Null if there is no other end. */
        final String server;

        final String client;
        final int messageBytes;
        final int connections;

        Kind(String server, String client, int messageBytes, int connections) {
            this.server = server;
            this.client = client;
            this.messageBytes = messageBytes;
            this.connections = connections;
        }

        boolean measuresLatency() {
            return this == PINGPONG
                    || this == PINGPONG_BLOCKING
                    || this == PINGPONG_AMONG_1000
                    || this == DATAGRAM_PINGPONG
                    || this == NETTY_ECHO
                    || this == RAW;
        }

        boolean measuresThroughput() {
            return this == STREAM_LARGE
                    || this == STREAM_SMALL
                    || this == DATAGRAM_RATE
                    || this == NETTY_STREAM
                    || this == NETTY_HTTP
                    || this == MEMCPY;
        }

        /** Whether the programs are Netty's, in a jar of their own. */
        boolean isNetty() {
            return this == NETTY_ECHO || this == NETTY_STREAM || this == NETTY_HTTP;
        }
    }

    /** The case's name on the command line and in results. */
    final String label;

    final Kind kind;
    /** The profile of accelerated ends. */
    final String profile;

    /** Without Accel: what the other variant is compared with. */
    final Variant reference;
    /** With Accel; null if the case has nothing to accelerate. */
    final Variant accelerated;

    BenchCase(String label, Kind kind, String profile, Variant reference, Variant accelerated) {
        this.label = label;
        this.kind = kind;
        this.profile = profile;
        this.reference = reference;
        this.accelerated = accelerated;
    }

    /** Whether both variants go by the kernel, so that they differ by little and are to be measured close together. */
    boolean comparesKernelPaths() {
        return reference == Variant.PLAIN;
    }

    List<Variant> variants() {
        if (kind.isNetty()) {
            return List.of(reference, Variant.NETTY_NIO, Variant.NETTY_IO_URING, Variant.NETTY_UNIX, accelerated);
        }
        return accelerated == null ? List.of(reference) : List.of(reference, accelerated);
    }

    /** The cases that {@code name} asks for. */
    static List<BenchCase> named(String name) {
        List<BenchCase> cases = Arrays.stream(values())
                .filter(c -> c.label.equals(name) || (c == IDLE_1 && name.equals(IDLE_1000.label)))
                .collect(Collectors.toList());
        if (cases.isEmpty()) {
            throw new IllegalArgumentException("there is no case '" + name + "'; the cases are " + names());
        }
        return cases;
    }

    /** All names, with commas. */
    static String names() {
        return Arrays.stream(values())
                .filter(c -> c != IDLE_1)
                .map(c -> c.label)
                .distinct()
                .collect(Collectors.joining(", "));
    }
}
