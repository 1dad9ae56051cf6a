// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.profile.Role;
import io.accel.testing.RealProgram;
import io.grpc.Server;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The gRPC sample: one call, and streams of messages both ways. */
@RealProgram(
        name = "gRPC for Java on Accel's transport, named by the program",
        artifact = "io.grpc:grpc-netty",
        how = "unary and streaming calls, and with NIO at either end")
class GrpcIT {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @ParameterizedTest
    @EnumSource(names = {"accel", "nio", "epoll"})
    void greets(Transport transport) throws Exception {
        Transports.assumeAvailable(transport);
        call(transport, transport);
    }

    @Test
    void greetsPeersWithoutAccel() throws Exception {
        call(Transport.accel, Transport.nio);
        call(Transport.nio, Transport.accel);
    }

    private static void call(Transport server, Transport client) throws Exception {
        long before = accelerated();
        EventLoopGroup group = server.newGroup(2);
        Server serving = GrpcServer.start(server, group, 0);
        try {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), serving.getPort());
            try (GrpcClient grpc = new GrpcClient(client, address)) {
                assertThat(grpc.greet("world")).isEqualTo("Hello, world!");
                List<String> names =
                        IntStream.range(0, 2_000).mapToObj(Integer::toString).toList();
                assertThat(grpc.greetAll(names))
                        .isEqualTo(names.stream()
                                .map(name -> "Hello, " + name + "!")
                                .toList());
                String large = "x".repeat(1 << 20);
                assertThat(grpc.greet(large)).isEqualTo("Hello, " + large + "!");
                // A server that has not accepted yet when the client has connected has the link a moment later.
                int ends = server == Transport.accel && client == Transport.accel ? 2 : 0;
                await().atMost(LIMIT).untilAsserted(() -> assertThat(accelerated() - before)
                        .as("ends over shared memory, %s to %s", client, server)
                        .isEqualTo(ends));
            }
        } finally {
            serving.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    /** The ends of connections in this process that have come to shared memory so far. */
    private static long accelerated() {
        return ProcessCounters.connections(Role.CLIENT, PathName.SHM)
                + ProcessCounters.connections(Role.SERVER, PathName.SHM);
    }
}
