// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.MachineClock;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sockets and channels that a program drops without closing them are closed by the collector. */
@Tag("plain")
class DroppedTest extends PlainSocketSupport {
    private static final int MANY = 20;
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    /** The end of a connection that is dropped. */
    private enum End {
        CLIENT,
        SERVER
    }

    @ParameterizedTest
    @EnumSource
    void peersOfDroppedSocketsSeeTheEnd(End end) throws Exception {
        Set<String> before = MappedRings.names();
        List<Socket> peers = new ArrayList<>();
        try (ServerSocket server = server()) {
            for (int i = 0; i < MANY; i++) {
                peers.add(peerOfADropped(end, server));
            }
        }
        for (Socket peer : peers) {
            assertThat(endOf(peer)).isEqualTo("last words");
            peer.close();
        }
        // Some earlier objects, of another test, may go only now.
        eventually().untilAsserted(() -> assertThat(before).containsAll(MappedRings.names()));
    }

    /** The other end of a socket, which has answered, and has sent bytes that are not read yet. */
    private Socket peerOfADropped(End end, ServerSocket server) throws IOException {
        @SuppressWarnings("resource") // dropped, one of them
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        @SuppressWarnings("resource") // as above
        Socket accepted = server.accept();
        Socket dropped = end == End.CLIENT ? client : accepted;
        Socket peer = closing(end == End.CLIENT ? accepted : client);
        talk(peer, dropped);
        write(dropped, "last words");
        return peer;
    }

    private static void talk(Socket one, Socket other) throws IOException {
        write(one, "question");
        assertThat(read(other, 8)).isEqualTo("question");
        write(other, "answer");
        assertThat(read(one, 6)).isEqualTo("answer");
    }

    /** All bytes before the end, for which the collector is called again and again. */
    private static String endOf(Socket peer) throws IOException {
        peer.setSoTimeout(20);
        StringBuilder all = new StringBuilder();
        MachineClock.Moment start = MachineClock.Moment.now();
        while (!start.isOver(LIMIT_SECONDS)) {
            try {
                int read = peer.getInputStream().read();
                if (read < 0) {
                    return all.toString();
                }
                all.append((char) read);
            } catch (SocketTimeoutException e) {
                System.gc();
            }
        }
        throw new AssertionError("no end after \"" + all + "\"");
    }

    /** Drops both ends of each connection; neither hears of the other's end before it is dropped itself. */
    @Test
    void descriptorsOfDroppedSocketsAreGivenBack() throws Exception {
        ServerSocket server = server();
        assertGivenBack(() -> {
            @SuppressWarnings("resource") // dropped
            Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
            @SuppressWarnings("resource") // dropped
            Socket accepted = server.accept();
            talk(client, accepted);
        });
    }

    @Test
    void descriptorsOfDroppedServerSocketsAreGivenBack() throws Exception {
        assertGivenBack(() -> {
            @SuppressWarnings("resource") // dropped
            ServerSocket server = new ServerSocket(0, 50, host());
            assertThat(server.isBound()).isTrue();
        });
    }

    @Test
    void descriptorsOfDroppedDatagramChannelsAreGivenBack() throws Exception {
        DatagramChannel echo = closing(DatagramChannel.open()).bind(anyPort());
        assertGivenBack(() -> {
            @SuppressWarnings("resource") // dropped
            DatagramChannel client = DatagramChannel.open().bind(anyPort());
            client.connect(echo.getLocalAddress());
            for (int i = 0; i < 3; i++) {
                client.write(Bytes.ascii("ping"));
                ByteBuffer buffer = ByteBuffer.allocate(16);
                SocketAddress from = echo.receive(buffer);
                echo.send(buffer.flip(), from);
                assertThat(client.read(ByteBuffer.allocate(16))).isEqualTo(4);
            }
        });
    }

    @Test
    void descriptorsOfDroppedDatagramSocketsAreGivenBack() throws Exception {
        DatagramSocket echo = closing(new DatagramSocket(anyPort()));
        InetSocketAddress address = (InetSocketAddress) echo.getLocalSocketAddress();
        assertGivenBack(() -> {
            @SuppressWarnings("resource") // dropped
            DatagramSocket client = new DatagramSocket(anyPort());
            DatagramPacket packet = new DatagramPacket(new byte[16], 4, address);
            client.send(packet);
            echo.receive(packet);
            echo.send(packet);
            client.receive(packet);
            assertThat(packet.getLength()).isEqualTo(4);
        });
    }

    /** Asserts that the descriptors, and Accel's memory, of objects that are made that often and dropped are given back. */
    private static void assertGivenBack(Task.Action makeAndDrop) throws Exception {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "needs Linux's /proc");
        Set<String> memory = MappedRings.names();
        makeAndDrop.run(); // classes that the first one loads stay
        AtomicInteger last = new AtomicInteger(-1);
        eventually().pollInterval(Duration.ofMillis(20)).until(() -> {
            System.gc();
            int now = descriptors();
            return last.getAndSet(now) == now;
        });
        int before = last.get();
        for (int i = 0; i < MANY; i++) {
            makeAndDrop.run();
        }
        eventually().pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
            System.gc();
            assertThat(descriptors()).isLessThanOrEqualTo(before + 4); // a selector, which pools keep, has up to four
            assertThat(memory).as("mapped memory").containsAll(MappedRings.names());
        });
    }

    private static int descriptors() throws IOException {
        try (Stream<Path> open = Files.list(DESCRIPTORS)) {
            return (int) open.count();
        }
    }
}
