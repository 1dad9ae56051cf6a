// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

/** One way to run a case. */
enum Variant {
    /** Two JVMs and the memory between them. */
    RAW("raw", false, false),
    /** A copy in memory. */
    MEMCPY("memcpy", false, false),
    /** No Accel at all: the JDK's own provider at both ends. */
    KERNEL("kernel", false, false),
    /** Accel at both ends. */
    ACCELERATED("shm", true, true),
    /** Accel at both ends, where it is Accel's choice which way the bytes go: it may be too soon, or not worth it. */
    CHOICE("accel", true, true),
    /** No Accel at all, where it is compared with {@link #ONE_END}. */
    PLAIN("plain", false, false),
    /** A client with Accel whose peer has none. */
    ONE_END("kernel", false, true),
    /** As {@link #CHOICE}, by the agent, which changes what the JDK does to Accel's channels. */
    AGENT("agent", true, true),
    /** As {@link #ONE_END}, by the agent. */
    AGENT_AT_ONE_END("agent", false, true),
    /** Accel at both ends, over RDMA alone. */
    RDMA("rdma", true, true),
    /** rdma-core's own program, over rsocket. */
    RSTREAM("rstream", false, false),
    /** perftest's programs, over the verbs. */
    PERFTEST("perftest", false, false),

    /** Netty's native transport over loopback TCP: what the other ways of Netty are compared with. */
    NETTY_EPOLL("epoll", "epoll"),
    /** Netty's transport over {@code java.nio}, without Accel. */
    NETTY_NIO("nio", "nio"),
    /** Netty's transport over io_uring, where it runs. */
    NETTY_IO_URING("io_uring", "io_uring"),
    /** Netty's native transport over Unix-domain sockets. */
    NETTY_UNIX("unix", "unix"),
    /** Accel as a transport of Netty. */
    NETTY_ACCEL("shm", "accel"),

    /** Accel at both ends with a profile that is the variant's, not the case's. */
    LATENCY("shm", null, "latency"),
    BALANCED("shm", null, "balanced"),
    LOW_CPU("shm", null, "low-cpu"),
    /** The same as a transport of Netty. */
    NETTY_LATENCY("shm", "accel", "latency"),
    NETTY_BALANCED("shm", "accel", "balanced"),
    NETTY_LOW_CPU("shm", "accel", "low-cpu"),
    /** The same by the agent, where it is Accel's choice which way the bytes go. */
    AGENT_LATENCY("accel", null, "latency"),
    AGENT_BALANCED("accel", null, "balanced"),
    AGENT_LOW_CPU("accel", null, "low-cpu"),

    /** Messages to and fro over loopback TCP, by the JDK: what its neighbours are compared with. */
    PEER_TCP("kernel", "tcp"),
    /** The same over the JDK's Unix-domain sockets. */
    PEER_UNIX("unix", "unix"),
    /** By Aeron's IPC, which is memory that both share: the floor. */
    PEER_AERON("aeron", "aeron"),
    /** Over TCP with Accel's agent. */
    PEER_LATENCY("accel", "tcp", "latency"),
    PEER_BALANCED("accel", "tcp", "balanced"),
    PEER_LOW_CPU("accel", "tcp", "low-cpu");

    /** The path that the bytes are expected to take. */
    final String path;

    final boolean serverAccelerated;
    final boolean clientAccelerated;
    /** The transport of Netty or of {@link Kind#PEERS}; null where a program has but one. */
    final String transport;
    /** Null if accelerated ends have the case's. */
    final String profile;

    Variant(String path, boolean serverAccelerated, boolean clientAccelerated) {
        this(path, serverAccelerated, clientAccelerated, null, null);
    }

    Variant(String path, String transport) {
        this(path, transport.equals("accel"), transport.equals("accel"), transport, null);
    }

    Variant(String path, String transport, String profile) {
        this(path, true, true, transport, profile);
    }

    Variant(String path, boolean serverAccelerated, boolean clientAccelerated, String transport, String profile) {
        this.path = path;
        this.serverAccelerated = serverAccelerated;
        this.clientAccelerated = clientAccelerated;
        this.transport = transport;
        this.profile = profile;
    }

    /** The path, and the profile if that is the variant's own. */
    String words() {
        return profile == null ? path : path + ' ' + profile;
    }

    /** Whether it is no failure if this does not work here. */
    boolean isOptional() {
        return this == NETTY_IO_URING;
    }

    /** Whether it is a failure if the bytes go through the kernel. */
    boolean mustNotFallBack() {
        return serverAccelerated && clientAccelerated && !path.equals(CHOICE.path) && !isByAgent();
    }

    /** Whether plain programs get Accel by the agent, and not by a property alone. */
    boolean isByAgent() {
        return path.equals("agent");
    }

    boolean accelerated() {
        return serverAccelerated || clientAccelerated;
    }
}
