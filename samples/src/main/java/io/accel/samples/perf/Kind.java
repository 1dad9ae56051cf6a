package io.accel.samples.perf;

import java.util.List;

/** Which programs a case runs, with what arguments, and what its figures mean. */
enum Kind {
    PINGPONG("SelectorEchoServer", "SelectorPingPong", 64, 1, Measured.ROUND_TRIPS),
    PINGPONG_BLOCKING("BlockingEchoServer", "BlockingPingPong", 64, 1, Measured.ROUND_TRIPS),
    PINGPONG_AMONG_1000("SelectorEchoServer", "SelectorPingPong", 64, 1000, Measured.ROUND_TRIPS),
    /** Each measurement begins 100 ms after every connection had a message. */
    PINGPONG_AFTER_BURST("SelectorEchoServer", "SelectorPingPong", 64, 2001, Measured.ROUND_TRIPS) {
        @Override
        List<String> clientArguments() {
            return List.of("settle_ms=100");
        }
    },
    /** Four blocking threads and four event loops. */
    FOUR_BY_FOUR("SelectorEchoServer", "BlockingClients", 64, 4, Measured.ROUND_TRIPS) {
        @Override
        List<String> serverArguments() {
            return List.of("loops=4");
        }
    },
    STREAM_LARGE("StreamSink", "StreamSource", 64 * 1024, 1, Measured.BYTES),
    STREAM_SMALL("StreamSink", "StreamSource", 64, 1, Measured.MESSAGES),
    DATAGRAM_PINGPONG("DatagramEchoServer", "DatagramPingPong", 64, 1, Measured.ROUND_TRIPS),
    DATAGRAM_RATE("DatagramSink", "DatagramSource", 64, 1, Measured.MESSAGES),
    IDLE("SelectorEchoServer", "IdleConnections", 64, 100, Measured.NOTHING),
    NETTY_ECHO("NettyEchoServer", "NettyPingPong", 64, 1, Measured.ROUND_TRIPS),
    NETTY_STREAM("NettyStreamSink", "NettyStreamSource", 64 * 1024, 1, Measured.BYTES),
    /** The size is that of an answer's body. */
    NETTY_HTTP("NettyHttpServer", "NettyHttpLoad", 13, 8, Measured.REQUESTS),
    RAW("CacheLineBounce", "CacheLineBounce", 8, 0, Measured.ROUND_TRIPS),
    MEMCPY(null, "MemoryCopy", 64 * 1024, 0, Measured.BYTES);

    /** What a program does that is measured. */
    enum Measured {
        ROUND_TRIPS,
        REQUESTS,
        MESSAGES,
        BYTES,
        NOTHING
    }

    /** Null if there is no other end. */
    final String server;

    final String client;
    final int messageBytes;
    final int connections;
    final Measured measured;

    Kind(String server, String client, int messageBytes, int connections, Measured measured) {
        this.server = server;
        this.client = client;
        this.messageBytes = messageBytes;
        this.connections = connections;
        this.measured = measured;
    }

    /** What the server is told besides. */
    List<String> serverArguments() {
        return List.of();
    }

    /** What the client is told besides the size and the number of connections. */
    List<String> clientArguments() {
        return List.of();
    }

    boolean measuresLatency() {
        return measured == Measured.ROUND_TRIPS;
    }

    boolean measuresThroughput() {
        return !measuresLatency() && measured != Measured.NOTHING;
    }

    /** Whether the programs are Netty's, in a jar of their own. */
    boolean isNetty() {
        return client.startsWith("Netty");
    }
}
