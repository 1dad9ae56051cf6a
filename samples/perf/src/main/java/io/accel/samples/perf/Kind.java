// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The programs that a case runs, their arguments, and the meaning of its figures. */
enum Kind {
    PINGPONG("SelectorEchoServer", "SelectorPingPong", 64, 1, Measured.ROUND_TRIPS),
    PINGPONG_BLOCKING("BlockingEchoServer", "BlockingPingPong", 64, 1, Measured.ROUND_TRIPS),
    /** The same over a Unix-domain socket. */
    UNIX_PINGPONG("BlockingEchoServer", "BlockingPingPong", 64, 1, Measured.ROUND_TRIPS) {
        @Override
        List<String> jvmOptions() {
            return List.of("-Daccel.unix.streams=true");
        }

        @Override
        boolean isUnix() {
            return true;
        }
    },
    PINGPONG_AMONG_1000("SelectorEchoServer", "SelectorPingPong", 64, 1000, Measured.ROUND_TRIPS),
    /** Each measurement begins 100 ms after every connection had a message. */
    PINGPONG_AFTER_BURST(
            "SelectorEchoServer",
            "SelectorPingPong",
            64,
            2001,
            Measured.ROUND_TRIPS,
            List.of(),
            List.of("settle_ms=100")),
    /** Four blocking threads and four event loops. */
    FOUR_BY_FOUR("SelectorEchoServer", "BlockingClients", 64, 4, Measured.ROUND_TRIPS, List.of("loops=4"), List.of()),
    /** Eight connections, each with a virtual thread at either end; all of an end have one carrier. */
    VIRTUAL(
            "ThreadPerConnectionServer",
            "BlockingClients",
            64,
            8,
            Measured.ROUND_TRIPS,
            List.of("threads=virtual"),
            List.of("threads=virtual")) {
        @Override
        List<String> jvmOptions() {
            return List.of("-Djdk.virtualThreadScheduler.parallelism=1");
        }

        @Override
        int firstJdk() {
            return 21;
        }
    },
    /** A virtual thread that sleeps beside another that waits in a read; both have one carrier. Those after it wait in something else. */
    SLEEPER_READ("read"),
    SLEEPER_WRITE("write"),
    SLEEPER_SELECT("select"),
    /** In the stream of a {@code java.net.Socket}. */
    SLEEPER_STREAM("stream"),
    SLEEPER_ACCEPT("accept"),
    SLEEPER_DATAGRAM("datagram"),
    /** A request each two milliseconds on each of eight connections. */
    PACED(
            "SelectorEchoServer",
            "BlockingClients",
            64,
            8,
            Measured.ROUND_TRIPS,
            List.of("loops=2"),
            List.of("interval_us=2000")) {
        @Override
        boolean rateGiven() {
            return true;
        }
    },
    /** The cost of connections that nobody uses is measured as well. */
    PINGPONG_AMONG_10000(
            "SelectorEchoServer",
            "ManyConnections",
            64,
            10_000,
            Measured.ROUND_TRIPS,
            List.of(),
            List.of("few=" + Kind.FEW)),
    CONNECTION("ShortConnectionServer", "ShortConnections", 0, 1, Measured.CONNECTIONS, List.of("size=0"), List.of()),
    CONNECTION_WITH_ECHO(
            "ShortConnectionServer", "ShortConnections", 64, 1, Measured.CONNECTIONS, List.of("size=64"), List.of()),
    /** Four listeners on one port. */
    SHARED_PORT(
            "SharedPortServer",
            "SharedPortClients",
            64,
            1,
            Measured.CONNECTIONS,
            List.of("listeners=4", "size=64"),
            List.of("listeners=4")),
    EXCHANGE(
            "Exchange",
            "Exchange",
            1 << 20,
            1,
            Measured.ROUND_TRIPS,
            List.of("role=server", "size=" + (1 << 20)),
            List.of("role=client", "patience_ms=5000")),
    /** Files of 16 MiB. */
    TRANSFER_TO(
            "FilePeer",
            "FileTransfers",
            16 << 20,
            1,
            Measured.ROUND_TRIPS,
            List.of("size=" + (16 << 20)),
            List.of("way=to")),
    TRANSFER_FROM(
            "FilePeer",
            "FileTransfers",
            16 << 20,
            1,
            Measured.ROUND_TRIPS,
            List.of("size=" + (16 << 20)),
            List.of("way=from")),
    INTEREST("SelectorEchoServer", "KeyChanges", 0, 1, Measured.ROUND_TRIPS, List.of(), List.of("change=interest")),
    REGISTRATION(
            "SelectorEchoServer", "KeyChanges", 0, 1, Measured.ROUND_TRIPS, List.of(), List.of("change=registration")),
    MODE("SelectorEchoServer", "KeyChanges", 0, 1, Measured.ROUND_TRIPS, List.of(), List.of("change=mode")),
    /** Eight datagrams under way at a time, as with those after it. */
    DATAGRAM_ONE_PEER("DatagramEchoServer", "DatagramPeers", 64, 1, Measured.ROUND_TRIPS),
    DATAGRAM_PEERS("DatagramEchoServer", "DatagramPeers", 64, 200, Measured.ROUND_TRIPS),
    STREAM_LARGE("StreamSink", "StreamSource", 64 * 1024, 1, Measured.BYTES),
    STREAM_SMALL("StreamSink", "StreamSource", 64, 1, Measured.MESSAGES),
    DATAGRAM_PINGPONG("DatagramEchoServer", "DatagramPingPong", 64, 1, Measured.ROUND_TRIPS),
    DATAGRAM_RATE("DatagramSink", "DatagramSource", 64, 1, Measured.MESSAGES),
    /** Three members, in processes of their own. */
    GROUP_PINGPONG("GroupMembers", "GroupPingPong", 64, 1, Measured.ROUND_TRIPS) {
        @Override
        List<String> jvmOptions() {
            return List.of("-Daccel.datagram.multicast=fabric");
        }
    },
    GROUP_RATE("GroupMembers", "GroupSource", 64, 1, Measured.MESSAGES) {
        @Override
        List<String> jvmOptions() {
            return List.of("-Daccel.datagram.multicast=fabric");
        }
    },
    IDLE("SelectorEchoServer", "IdleConnections", 64, 100, Measured.NOTHING),
    NETTY_ECHO("NettyEchoServer", "NettyPingPong", 64, 1, Measured.ROUND_TRIPS),
    /** Four event loops at either end, with a connection each. */
    NETTY_FOUR_BY_FOUR("NettyEchoServer", "NettyPingPong", 64, 4, Measured.ROUND_TRIPS, List.of("loops=4"), List.of()),
    NETTY_STREAM("NettyStreamSink", "NettyStreamSource", 64 * 1024, 1, Measured.BYTES),
    /** The size is that of an answer's body. */
    NETTY_HTTP("NettyHttpServer", "NettyHttpLoad", 13, 8, Measured.REQUESTS),
    NETTY_TIMERS(null, "NettyTimers", 0, 0, Measured.ROUND_TRIPS) {
        @Override
        boolean rateGiven() {
            return true;
        }
    },
    /** A hundred records of 10 KiB under way. */
    KAFKA_PRODUCE("KafkaBroker", "KafkaProduction", 10 * 1024, List.of(), List.of()),
    /** A record is produced and consumed before the next one is. */
    KAFKA_RECORD("KafkaBroker", "KafkaRecords", 100, List.of(), List.of()),
    ZOOKEEPER_READ("ZooKeeperServer", "ZooKeeperReads", 1024, List.of(), List.of()),
    DERBY_LOOKUP("DerbyServer", "DerbyLookups", 0, List.of(), List.of()),
    GRPC_UNARY("GrpcServer", "GrpcCalls", 100, List.of("netty=shaded"), List.of("netty=shaded")),
    GRPC_NETTY("GrpcServer", "GrpcCalls", 100, List.of("netty=own"), List.of("netty=own")),
    TOMCAT("TomcatServer", "HttpRequests", 1024, List.of("connector=Http11NioProtocol"), List.of("connection=keep")),
    TOMCAT_EACH(
            "TomcatServer", "HttpRequests", 1024, List.of("connector=Http11NioProtocol"), List.of("connection=each")),
    TOMCAT_NIO2(
            "TomcatServer", "HttpRequests", 1024, List.of("connector=Http11Nio2Protocol"), List.of("connection=keep")),
    VERTX("VertxServer", "VertxRequests", 1024, List.of(), List.of()),
    WEBFLUX("WebFluxServer", "WebFluxRequests", 1024, List.of(), List.of()),
    /** A message is acknowledged and received before the next one is sent. */
    ARTEMIS_SEND("artemis.ArtemisServer", "artemis.ArtemisMessages", 1024, List.of(), List.of()) {
        @Override
        String module() {
            return "samples/apps/artemis";
        }
    },
    CASSANDRA_READ("cassandra.CassandraServer", "cassandra.CassandraReads", 1024, List.of(), List.of()) {
        @Override
        String module() {
            return "samples/apps/cassandra";
        }

        /** As Cassandra's own scripts give them to a JVM of this version. */
        @Override
        List<String> jvmOptions() {
            return List.of(
                    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-exports=java.management.rmi/com.sun.jmx.remote.internal.rmi=ALL-UNNAMED",
                    "--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED",
                    "--add-exports=java.rmi/sun.rmi.server=ALL-UNNAMED",
                    "--add-opens=java.base/java.io=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang.module=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/java.util=ALL-UNNAMED",
                    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
                    "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.loader=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.math=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.module=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.reflect=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.util.jar=ALL-UNNAMED",
                    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");
        }
    },
    JGROUPS("JGroupsServer", "JGroupsMessages", 100, List.of(), List.of()),
    UNDERTOW("UndertowServer", "HttpRequests", 1024, List.of(), List.of("connection=keep")),
    HAZELCAST_GET("HazelcastServer", "HazelcastReads", 1024, List.of(), List.of()),
    /** Two members; the second one reads what the first one has. */
    HAZELCAST_PAIR("HazelcastServer", "HazelcastPairReads", 1024, List.of(), List.of()),
    /** 64 B to and fro over the alternatives to Accel. */
    PEERS("PeerServer", "PeerPingPong", 64, List.of(), List.of()) {
        /** For Aeron's driver. */
        @Override
        List<String> jvmOptions() {
            return List.of("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
        }
    },
    /** From the JVMs' start on, as with those after it: four blocking threads and four event loops. */
    YOUNG_PAIRS(
            "SelectorEchoServer", "YoungBlockingClient", 64, 4, Measured.ROUND_TRIPS, List.of("loops=4"), List.of()),
    YOUNG_SELECTOR(
            "SelectorEchoServer",
            "YoungSelectorClient",
            64,
            4,
            Measured.ROUND_TRIPS,
            List.of("loops=4"),
            List.of("connections_each=1")),
    /** A connection for each echo, in four threads. */
    YOUNG_NEW(
            "ShortConnectionServer",
            "YoungShortConnections",
            64,
            4,
            Measured.CONNECTIONS,
            List.of("size=64"),
            List.of()),
    /** A socket for each question. */
    YOUNG_QUERY("DatagramEchoServer", "YoungQueries", 64, 1, Measured.ROUND_TRIPS, List.of(), List.of("by=channel")),
    YOUNG_QUERY_SOCKET(
            "DatagramEchoServer", "YoungQueries", 64, 1, Measured.ROUND_TRIPS, List.of(), List.of("by=socket")),
    YOUNG_NETTY("NettyYoungServer", "NettyYoungClients", 64, 4, Measured.ROUND_TRIPS, List.of("loops=4"), List.of()),
    /** The size is that of an answer's body. */
    YOUNG_HTTP("YoungHttpServer", "YoungHttpClient", 13, 4, Measured.REQUESTS) {
        /** Else the second part of an answer waits 40 ms for the client's acknowledgement of the first, with Accel or without. */
        @Override
        List<String> jvmOptions() {
            return List.of("-Dsun.net.httpserver.nodelay=true");
        }
    },
    RAW("CacheLineBounce", "CacheLineBounce", 8, 0, Measured.ROUND_TRIPS),
    MEMCPY(null, "MemoryCopy", 64 * 1024, 0, Measured.BYTES);

    /** The work of a measured program. */
    enum Measured {
        ROUND_TRIPS,
        CONNECTIONS,
        REQUESTS,
        MESSAGES,
        BYTES,
        NOTHING
    }

    /** How many of the connections of {@link #PINGPONG_AMONG_10000} there are when their cost begins to be measured. */
    static final int FEW = 100;

    /**
     * Kinds whose heap is resident from the beginning. Either the measurement is about other memory that grows, or objects are
     * made all the time. A young JVM takes longer for the first use of a page of its heap than for a system call, so a program
     * that makes twice as many objects would seem to take half as long again, until the whole heap has been used once.
     */
    private static final Set<Kind> IN_A_HEAP_THAT_IS_THERE = Set.copyOf(EnumSet.of(
            PINGPONG_AMONG_10000, CONNECTION, CONNECTION_WITH_ECHO, SHARED_PORT, REGISTRATION, INTEREST, MODE));

    private static final Set<Kind> SLEEPERS = Set.copyOf(
            EnumSet.of(SLEEPER_READ, SLEEPER_WRITE, SLEEPER_SELECT, SLEEPER_STREAM, SLEEPER_ACCEPT, SLEEPER_DATAGRAM));

    private static final Set<Kind> WITHOUT_LIMIT =
            Set.copyOf(EnumSet.of(NETTY_TIMERS, EXCHANGE, TRANSFER_TO, TRANSFER_FROM, INTEREST, REGISTRATION, MODE));

    private static final Set<Kind> YOUNG = Set.copyOf(EnumSet.of(
            YOUNG_PAIRS, YOUNG_SELECTOR, YOUNG_NEW, YOUNG_QUERY, YOUNG_QUERY_SOCKET, YOUNG_NETTY, YOUNG_HTTP));

    /** The module of the real programs that agree on their libraries. */
    static final String APPS = "samples/apps";

    final Programs programs;

    /** Null if there is no other end. */
    final String server;

    final String client;
    final int messageBytes;
    final int connections;
    final Measured measured;

    /** Further arguments of the server. */
    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    final List<String> serverArguments;

    /** Arguments of the client after the size and the number of connections. */
    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    final List<String> clientArguments;

    Kind(String server, String client, int messageBytes, int connections, Measured measured) {
        this(server, client, messageBytes, connections, measured, List.of(), List.of());
    }

    /** A virtual thread that sleeps beside one that waits. */
    Kind(String beside) {
        this(
                "SleeperPeer",
                "VirtualSleeper",
                64,
                1,
                Measured.ROUND_TRIPS,
                List.of("beside=" + beside),
                List.of("beside=" + beside));
    }

    /** Real programs. */
    Kind(String server, String client, int messageBytes, List<String> serverArguments, List<String> clientArguments) {
        this(Programs.APPS, server, client, messageBytes, 1, Measured.ROUND_TRIPS, serverArguments, clientArguments);
    }

    Kind(
            String server,
            String client,
            int messageBytes,
            int connections,
            Measured measured,
            List<String> serverArguments,
            List<String> clientArguments) {
        this(
                client.startsWith("Netty") ? Programs.NETTY : Programs.PLAIN,
                server,
                client,
                messageBytes,
                connections,
                measured,
                serverArguments,
                clientArguments);
    }

    Kind(
            Programs programs,
            String server,
            String client,
            int messageBytes,
            int connections,
            Measured measured,
            List<String> serverArguments,
            List<String> clientArguments) {
        this.programs = programs;
        this.server = server;
        this.client = client;
        this.messageBytes = messageBytes;
        this.connections = connections;
        this.measured = measured;
        this.serverArguments = serverArguments;
        this.clientArguments = clientArguments;
    }

    /** Further options of both JVMs. */
    List<String> jvmOptions() {
        if (isSleeper()) {
            return List.of("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1");
        }
        return IN_A_HEAP_THAT_IS_THERE.contains(this) ? List.of("-XX:+AlwaysPreTouch") : List.of();
    }

    /** Whether its operations are sleeps of a virtual thread. */
    boolean isSleeper() {
        return SLEEPERS.contains(this);
    }

    /** The oldest JDK that its programs run on. */
    int firstJdk() {
        return isSleeper() ? 21 : 17;
    }

    /** The place of a real program's libraries in the build: one class path for all programs that agree on them. */
    String module() {
        return APPS;
    }

    boolean measuresLatency() {
        return measured == Measured.ROUND_TRIPS || measured == Measured.CONNECTIONS;
    }

    boolean measuresThroughput() {
        return !measuresLatency() && measured != Measured.NOTHING;
    }

    /** Whether one of the machine's limits applies to it: a cache line to and fro, or a copy. */
    boolean hasLimit() {
        return (measured == Measured.ROUND_TRIPS
                        && programs != Programs.APPS
                        && !WITHOUT_LIMIT.contains(this)
                        && !isSleeper())
                || (measuresThroughput() && measured != Measured.REQUESTS);
    }

    /** Whether the client itself decides how many operations a second there are. */
    boolean rateGiven() {
        return isSleeper();
    }

    /** Whether the programs are measured from the start of their JVMs on. */
    boolean isYoung() {
        return YOUNG.contains(this);
    }

    /** The moments at which its programs' work is looked at, where they are measured from their start on. */
    Milestones milestones() {
        return programs == Programs.APPS ? Milestones.OF_APPS : Milestones.OF_BENCHES;
    }

    /** Whether plain programs get Accel by the agent: it has what the property cannot accelerate. */
    boolean isByAgent() {
        return this == YOUNG_QUERY_SOCKET || this == YOUNG_HTTP || this == SLEEPER_STREAM;
    }

    /** Whether the programs meet at a path, and not at a port. */
    boolean isUnix() {
        return false;
    }

    /** Whether the programs are Netty's, in a jar of their own. */
    boolean isNetty() {
        return programs == Programs.NETTY;
    }
}
