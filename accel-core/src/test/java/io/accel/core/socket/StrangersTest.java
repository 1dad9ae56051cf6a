// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.FallbackReason;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import io.accel.core.jdk.JdkAccess;
import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process beside either end of a TCP connection that has the same RDMA device, and no end of the connection. It gets none of the
 * connection's bytes, and the programs get none of its. Needs a device.
 */
@Timeout(300)
class StrangersTest {
    private static final int PIECE = 100;
    /** A JVM in a guest of a busy machine takes long to load what it needs for RDMA. */
    private static final Duration LIMIT = Duration.ofSeconds(100);

    private static final Map<String, String> SETTINGS = Map.of(
            "fabric.order",
            "rdma",
            "handover.after",
            "4/1MiB",
            "connect.probe-timeout",
            "20s",
            "handshake.timeout",
            "20s");

    private final Random random = new Random(3);
    private InetAddress host;

    @BeforeEach
    void findDevice() throws Exception {
        assumeTrue(RdmaDevice.isThere(), "no RDMA device");
        host = RdmaDevice.address();
    }

    private static Child stranger(String... args) {
        return new ChildJvm(StrangerProbe.class)
                .with(ChildJvm.SHORT_LIFE, "-XX:+UseSerialGC")
                .start(args);
    }

    /** A server without Accel, and a client with it; somebody else listens by RDMA on the server's port. */
    @Test
    void whoListensBesideAServerGetsNothing() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, host);
                Lab lab = new Lab("balanced", SETTINGS);
                Child stranger = stranger("listen", host.getHostAddress(), Integer.toString(server.getLocalPort()))) {
            stranger.awaitLine("ready", LIMIT);
            FutureTask<Void> echo = Streams.start(() -> echo(server));
            StreamSocket client = lab.client(new InetSocketAddress(host, server.getLocalPort()));
            long end = System.nanoTime() + LIMIT.toNanos();
            while (client.path().reason() != FallbackReason.UNPROVED && System.nanoTime() - end < 0) {
                exchange(lab, client);
            }
            assertThat(client.path().reason()).isEqualTo(FallbackReason.UNPROVED);
            assertThat(client.attached()).isNull();
            for (int i = 0; i < 20; i++) {
                exchange(lab, client);
            }
            assertThat(stranger.output()).contains("asked by");
            Lab.close(client);
            echo.get(10, TimeUnit.SECONDS);
        }
    }

    /** Each answer is the request, so a byte too many at the server is one too many here. */
    private void exchange(Lab lab, StreamSocket client) throws IOException {
        byte[] request = new byte[PIECE];
        random.nextBytes(request);
        Streams.write(lab.accelerator.waits(), client, ByteBuffer.wrap(request));
        ByteBuffer answer = ByteBuffer.allocate(PIECE);
        while (answer.hasRemaining()) {
            assertThat(Streams.read(lab.accelerator.waits(), client, answer)).isPositive();
        }
        assertThat(answer.array()).isEqualTo(request);
    }

    private static Void echo(ServerSocket server) throws IOException {
        try (Socket connection = server.accept()) {
            connection.getInputStream().transferTo(connection.getOutputStream());
        }
        return null;
    }

    /** A client without Accel, and a server with it; somebody else asks for the link of the client's connection. */
    @ParameterizedTest
    @ValueSource(strings = {"ask", "ask-knowing", "ask-returning"})
    void whoNamesAClientsConnectionGetsNothing(String how) throws Exception {
        try (Lab lab = new Lab("balanced", SETTINGS);
                ServerSocketChannel kernel = JdkAccess.kernelProvider().openServerSocketChannel()) {
            kernel.bind(new InetSocketAddress(host, 0));
            InetSocketAddress address = (InetSocketAddress) kernel.getLocalAddress();
            StreamListener listener = new StreamListener(lab.accelerator);
            listener.bound(address);
            try (Socket client = new Socket(host, address.getPort())) {
                SocketChannel channel = kernel.accept();
                StreamSocket server = listener.accepted(new ChannelAnchor(channel));
                lab.opened(server, channel);
                converse(lab, client, server);
                try (Child stranger = stranger(
                        how,
                        host.getHostAddress(),
                        Integer.toString(address.getPort()),
                        Integer.toString(client.getLocalPort()))) {
                    if (how.equals("ask-knowing")) {
                        stranger.awaitLine("refused " + FallbackReason.UNPROVED, LIMIT);
                        assertThat(server.attached()).isNull();
                    } else {
                        stranger.awaitLine("said", LIMIT);
                    }
                    for (int i = 0; i < 20; i++) {
                        converse(lab, client, server);
                        assertThat(server.outgoing().link()).isNull();
                        assertThat(server.incoming().link()).isNull();
                    }
                    if (!how.equals("ask-knowing")) {
                        stranger.send("and?");
                        stranger.awaitLine("heard nothing", LIMIT);
                    }
                }
                converse(lab, client, server);
                Lab.close(server);
                assertThat(client.getInputStream().read()).isNegative();
            } finally {
                listener.close();
            }
        }
    }

    /** A request and its answer, of which each byte is checked. */
    private void converse(Lab lab, Socket client, StreamSocket server) throws IOException {
        byte[] request = new byte[PIECE];
        random.nextBytes(request);
        client.getOutputStream().write(request);
        ByteBuffer got = ByteBuffer.allocate(PIECE);
        while (got.hasRemaining()) {
            assertThat(Streams.read(lab.accelerator.waits(), server, got)).isPositive();
        }
        assertThat(got.array()).isEqualTo(request);
        Streams.write(lab.accelerator.waits(), server, got.flip());
        byte[] answer = new byte[PIECE];
        new DataInputStream(client.getInputStream()).readFully(answer);
        assertThat(answer).isEqualTo(request);
    }
}
