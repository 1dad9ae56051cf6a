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
    PERFTEST("perftest", false, false);

    /** What the bytes are expected to go over. */
    final String path;

    final boolean serverAccelerated;
    final boolean clientAccelerated;

    Variant(String path, boolean serverAccelerated, boolean clientAccelerated) {
        this.path = path;
        this.serverAccelerated = serverAccelerated;
        this.clientAccelerated = clientAccelerated;
    }

    boolean accelerated() {
        return serverAccelerated || clientAccelerated;
    }
}
