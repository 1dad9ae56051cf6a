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
    /** No Accel at all, where it is compared with {@link #ONE_END}. */
    PLAIN("plain", false, false),
    /** A client with Accel whose peer has none. */
    ONE_END("kernel", false, true),
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
    NETTY_ACCEL("shm", "accel");

    /** What the bytes are expected to go over. */
    final String path;

    final boolean serverAccelerated;
    final boolean clientAccelerated;
    /** The Netty transport; null in plain programs. */
    final String transport;

    Variant(String path, boolean serverAccelerated, boolean clientAccelerated) {
        this.path = path;
        this.serverAccelerated = serverAccelerated;
        this.clientAccelerated = clientAccelerated;
        this.transport = null;
    }

    Variant(String path, String transport) {
        this.path = path;
        this.serverAccelerated = transport.equals("accel");
        this.clientAccelerated = serverAccelerated;
        this.transport = transport;
    }

    /** Whether it is no failure if this does not work here. */
    boolean isOptional() {
        return this == NETTY_IO_URING;
    }

    boolean accelerated() {
        return serverAccelerated || clientAccelerated;
    }
}
