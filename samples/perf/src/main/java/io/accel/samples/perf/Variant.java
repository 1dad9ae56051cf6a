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
    /** Accel at both ends, where Accel chooses the path of the bytes: it may be too soon for a faster one, or not worth it. */
    CHOICE("accel", true, true),
    /** Like {@link #CHOICE}, with Accel's defaults throughout: a connection moves when that has paid off, however warm its programs are. */
    DEFAULTS("accel", null, "balanced"),
    /** No Accel at all, for comparison with {@link #ONE_END}. */
    PLAIN("plain", false, false),
    /** A client with Accel whose peer has none. */
    ONE_END("kernel", false, true),
    /** Like {@link #CHOICE}, with the agent, which changes the JDK's treatment of Accel's channels. */
    AGENT("agent", true, true),
    /** Like {@link #ONE_END}, with the agent. */
    AGENT_AT_ONE_END("agent", false, true),
    /** Accel at both ends, over RDMA alone. */
    RDMA("rdma", true, true),
    /** rdma-core's own program, over rsocket. */
    RSTREAM("rstream", false, false),
    /** perftest's programs, over the verbs. */
    PERFTEST("perftest", false, false),

    /** Netty's native transport over loopback TCP, with which Netty's other transports are compared. */
    NETTY_EPOLL("epoll", "epoll"),
    /** Netty's transport over {@code java.nio}, without Accel. */
    NETTY_NIO("nio", "nio"),
    /** Netty's transport over io_uring, if it runs here. */
    NETTY_IO_URING("io_uring", "io_uring"),
    /** Netty's native transport over Unix-domain sockets. */
    NETTY_UNIX("unix", "unix"),
    /** Accel as a transport of Netty. */
    NETTY_ACCEL("shm", "accel"),

    /** Accel at both ends with a profile that is the variant's, not the case's. */
    LATENCY("shm", null, "latency"),
    BALANCED("shm", null, "balanced"),
    THROUGHPUT("shm", null, "throughput"),
    LOW_CPU("shm", null, "low-cpu"),
    /** The same as a transport of Netty. */
    NETTY_LATENCY("shm", "accel", "latency"),
    NETTY_BALANCED("shm", "accel", "balanced"),
    NETTY_LOW_CPU("shm", "accel", "low-cpu"),
    /** The same with the agent, where Accel chooses the path of the bytes. */
    AGENT_LATENCY("accel", null, "latency"),
    AGENT_BALANCED("accel", null, "balanced"),
    AGENT_THROUGHPUT("accel", null, "throughput"),
    AGENT_LOW_CPU("accel", null, "low-cpu"),
    AGENT_OFF("accel", null, "off"),

    /** Young programs, by the property, with each profile; Accel chooses the path of the bytes. */
    YOUNG_LATENCY("accel", null, "latency"),
    YOUNG_BALANCED("accel", null, "balanced"),
    YOUNG_THROUGHPUT("accel", null, "throughput"),
    YOUNG_LOW_CPU("accel", null, "low-cpu"),
    YOUNG_OFF("accel", null, "off"),
    /** The same by the agent alone. */
    YOUNG_AGENT_LATENCY("agent", null, "latency"),
    YOUNG_AGENT_BALANCED("agent", null, "balanced"),
    YOUNG_AGENT_THROUGHPUT("agent", null, "throughput"),
    YOUNG_AGENT_LOW_CPU("agent", null, "low-cpu"),
    YOUNG_AGENT_OFF("agent", null, "off"),

    /** Messages to and fro over loopback TCP, with the JDK; the variants below are compared with it. */
    PEER_TCP("kernel", "tcp"),
    /** The same over the JDK's Unix-domain sockets. */
    PEER_UNIX("unix", "unix"),
    /** The same over junixsocket's. */
    PEER_JUNIXSOCKET("junixsocket", "junixsocket"),
    /** Through Aeron's IPC, which is memory that both share: the least possible time. */
    PEER_AERON("aeron", "aeron"),
    /** Over TCP with Accel's agent. */
    PEER_LATENCY("accel", "tcp", "latency"),
    PEER_BALANCED("accel", "tcp", "balanced"),
    PEER_LOW_CPU("accel", "tcp", "low-cpu");

    /** The path that the bytes are expected to take. */
    final String path;

    final boolean serverAccelerated;
    final boolean clientAccelerated;
    /** The transport of Netty or of {@link Kind#PEERS}; null if a program has only one. */
    final String transport;
    /** Null if accelerated ends have the case's profile. */
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

    /** Whether this may fail to work here. */
    boolean isOptional() {
        return this == NETTY_IO_URING;
    }

    /** Whether it is a failure if the bytes go through the kernel. */
    boolean mustNotFallBack() {
        return serverAccelerated && clientAccelerated && !path.equals(CHOICE.path) && !isByAgent();
    }

    /** Whether plain programs get Accel through the agent, and not through a property alone. */
    boolean isByAgent() {
        return path.equals("agent");
    }

    boolean accelerated() {
        return serverAccelerated || clientAccelerated;
    }
}
