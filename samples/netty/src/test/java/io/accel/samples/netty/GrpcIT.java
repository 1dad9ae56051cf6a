// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The gRPC sample: one call, and streams of messages both ways. */
class GrpcIT {
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
            }
        } finally {
            serving.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
