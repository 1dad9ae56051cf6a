// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.KernelPair;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Task;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** java.net.Socket: bytes, timeouts, the end, state and options. */
@Tag("plain")
class PlainSocketTest extends PlainSocketSupport {
    @Test
    void bytesGoBothWaysOnThePathOfThisRun() throws Exception {
        Set<String> before = MappedRings.names();
        Sockets pair = sockets();
        write(pair.client(), "there");
        assertThat(read(pair.server(), 5)).isEqualTo("there");
        write(pair.server(), "and back");
        assertThat(read(pair.client(), 8)).isEqualTo("and back");
        assertOnPath(before);
    }

    @Test
    void manyBytesArriveWholeInBothDirectionsAtOnce() throws Exception {
        Sockets pair = sockets();
        byte[] bytes = new byte[3 << 20];
        new Random(1).nextBytes(bytes);
        Task<Void> there = run(() -> send(pair.client(), bytes));
        Task<Void> back = run(() -> send(pair.server(), bytes));
        Task<byte[]> atServer = start(() -> pair.server().getInputStream().readAllBytes());
        assertThat(pair.client().getInputStream().readAllBytes()).isEqualTo(bytes);
        assertThat(atServer.result()).isEqualTo(bytes);
        there.result();
        back.result();
    }

    /** The length is cut to the room that the kernel has; every kernel has room for two MiB. */
    @ParameterizedTest(name = "{0} MiB")
    @ValueSource(ints = {1, 2, 3, 5})
    void bothEndsWriteAllBeforeEitherReads(int mib) throws Exception {
        int length = mib <= 2 ? mib << 20 : KernelPair.exchanges(mib << 20, 1, 0);
        assertThat(length).isGreaterThanOrEqualTo(Math.min(mib, 2) << 20);
        Sockets pair = sockets();
        byte[] bytes = Bytes.random(3, length);
        Task<byte[]> atServer = start(() -> {
            pair.server().getOutputStream().write(bytes);
            return pair.server().getInputStream().readNBytes(bytes.length);
        });
        Task<byte[]> atClient = start(() -> {
            pair.client().getOutputStream().write(bytes);
            return pair.client().getInputStream().readNBytes(bytes.length);
        });
        Bytes.assertSame(atClient.result(), bytes);
        Bytes.assertSame(atServer.result(), bytes);
    }

    private static void send(Socket socket, byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        Random random = new Random(2);
        for (int at = 0; at < bytes.length; ) {
            int n = Math.min(bytes.length - at, 1 + random.nextInt(100_000));
            out.write(bytes, at, n);
            at += n;
        }
        socket.shutdownOutput();
    }

    @Test
    void transferToAndSkip() throws Exception {
        Sockets pair = sockets();
        write(pair.client(), "0123456789");
        pair.client().close();
        InputStream in = pair.server().getInputStream();
        assertThat(in.skip(4)).isPositive().isLessThanOrEqualTo(4);
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        assertThat(in.transferTo(rest)).isEqualTo(6);
        assertThat(rest.toString(java.nio.charset.StandardCharsets.US_ASCII)).isEqualTo("456789");
    }

    @Test
    void availableTellsWhatCanBeReadWithoutWaiting() throws Exception {
        Sockets pair = sockets();
        InputStream in = pair.server().getInputStream();
        assertThat(in.available()).isZero();
        write(pair.client(), "abc");
        eventually().until(() -> in.available() == 3);
        assertThat(in.read()).isEqualTo('a');
        assertThat(in.available()).isEqualTo(2);
        pair.server().close();
        assertThatThrownBy(in::available).isInstanceOf(SocketException.class);
    }

    @Test
    void aReadThatTimesOutLosesNothing() throws Exception {
        Sockets pair = sockets();
        pair.server().setSoTimeout(50);
        assertThat(pair.server().getSoTimeout()).isEqualTo(50);
        long start = System.nanoTime();
        assertThatThrownBy(() -> pair.server().getInputStream().read())
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessage("Read timed out");
        assertThat(System.nanoTime() - start).isBetween(50_000_000L, 5_000_000_000L);
        write(pair.client(), "x");
        pair.server().setSoTimeout(5_000);
        assertThat(read(pair.server(), 1)).isEqualTo("x");
        pair.server().setSoTimeout(0);
        Task<String> waiting = start(() -> read(pair.server(), 1)).awaitInside("read");
        write(pair.client(), "y");
        assertThat(waiting.result()).isEqualTo("y");
    }

    @Test
    void theTimeoutCountsWhileAnotherThreadReads() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "older JDKs wait for the other thread without a limit");
        Sockets pair = sockets();
        Task<String> first = start(() -> read(pair.server(), 1)).awaitInside("read");
        pair.server().setSoTimeout(50);
        assertThatThrownBy(() -> pair.server().getInputStream().read())
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessage("Read timed out");
        write(pair.client(), "x");
        assertThat(first.result()).isEqualTo("x");
    }

    @Test
    void theEndComesAfterTheLastByteAndStays() throws Exception {
        Sockets pair = sockets();
        write(pair.client(), "end");
        pair.client().close();
        assertThat(read(pair.server(), 3)).isEqualTo("end");
        assertThat(pair.server().getInputStream().read()).isEqualTo(-1);
        assertThat(pair.server().getInputStream().read(new byte[5])).isEqualTo(-1);
    }

    @Test
    void halfClose() throws Exception {
        Sockets pair = sockets();
        write(pair.client(), "question");
        pair.client().shutdownOutput();
        assertThat(pair.client().isOutputShutdown()).isTrue();
        assertThatThrownBy(() -> pair.client().getOutputStream()).hasMessage("Socket output is shutdown");
        assertThat(pair.server().getInputStream().readAllBytes()).hasSize(8);
        write(pair.server(), "answer");
        assertThat(read(pair.client(), 6)).isEqualTo("answer");
    }

    @Test
    void writingAfterShutdownOutputFails() throws Exception {
        Sockets pair = sockets();
        OutputStream out = pair.client().getOutputStream();
        pair.client().shutdownOutput();
        assertThatThrownBy(() -> out.write(1))
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("Broken pipe");
        assertThat(pair.client().isClosed()).isFalse();
    }

    @Test
    void shutdownInputEndsReadingAtOnce() throws Exception {
        Sockets pair = sockets();
        InputStream in = pair.client().getInputStream();
        Task<Integer> waiting = start(in::read).awaitInside("read");
        pair.client().shutdownInput();
        assertThat(waiting.result()).isEqualTo(-1);
        assertThat(in.read()).isEqualTo(-1);
        assertThatThrownBy(() -> pair.client().getInputStream()).hasMessage("Socket input is shutdown");
    }

    @Test
    void aCloseWithUnreadBytesEndsInOrder() throws Exception {
        Sockets pair = sockets();
        write(pair.client(), "never read");
        eventually().until(() -> pair.server().getInputStream().available() > 0);
        pair.server().close();
        assertThat(pair.client().getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aCloseWithLingerZeroResets() throws Exception {
        Sockets pair = sockets();
        pair.server().setSoLinger(true, 0);
        pair.server().close();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> pair.client().getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
        }
    }

    @Test
    void writingToAClosedPeerFailsInTheEnd() throws Exception {
        Sockets pair = sockets();
        pair.server().close();
        Task<Void> writing = startFilling(pair.client());
        assertThat(writing.failure()).isInstanceOf(SocketException.class);
    }

    @Test
    void closedStreamsCloseTheSocket() throws Exception {
        Sockets pair = sockets();
        pair.client().getInputStream().close();
        assertThat(pair.client().isClosed()).isTrue();
        pair.server().getOutputStream().close();
        assertThat(pair.server().isClosed()).isTrue();
        assertThatThrownBy(() -> pair.client().getOutputStream()).hasMessage("Socket is closed");
    }

    @Test
    void addressesAndState() throws Exception {
        ServerSocket listener = server();
        Socket client = closing(new Socket());
        assertThat(client.isBound()).isFalse();
        assertThat(client.getLocalPort()).isEqualTo(-1);
        client.bind(anyPort());
        int port = client.getLocalPort();
        assertThat(port).isPositive();
        client.connect(new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()), 5_000);
        Socket server = closing(listener.accept());
        assertThat(client.isConnected()).isTrue();
        assertThat(client.getLocalPort()).isEqualTo(port);
        assertThat(client.getLocalAddress()).isEqualTo(host());
        assertThat(client.getRemoteSocketAddress()).isEqualTo(listener.getLocalSocketAddress());
        assertThat(server.getRemoteSocketAddress()).isEqualTo(client.getLocalSocketAddress());
        assertThat(server.getLocalSocketAddress()).isEqualTo(client.getRemoteSocketAddress());
        assertThat(server.getPort()).isEqualTo(port);
        assertThat(client.toString()).contains("port=" + listener.getLocalPort(), "localport=" + port);
        client.close();
        assertThat(client.getPort()).isEqualTo(listener.getLocalPort());
        assertThat(client.isConnected()).as("as the JDK has it").isTrue();
    }

    @Test
    void optionsAreKeptBeforeAndAfterConnecting() throws Exception {
        ServerSocket listener = server();
        Socket socket = closing(new Socket());
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        socket.setReuseAddress(true);
        socket.setSoLinger(true, 7);
        socket.connect(listener.getLocalSocketAddress());
        assertThat(socket.getTcpNoDelay()).isTrue();
        assertThat(socket.getKeepAlive()).isTrue();
        assertThat(socket.getReuseAddress()).isTrue();
        assertThat(socket.getSoLinger()).isEqualTo(7);
        socket.setSoLinger(false, 0);
        assertThat(socket.getSoLinger()).isEqualTo(-1);
        socket.setTcpNoDelay(false);
        assertThat(socket.getOption(StandardSocketOptions.TCP_NODELAY)).isFalse();
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        assertThat(socket.getTcpNoDelay()).isTrue();
        socket.setTrafficClass(0x10);
        assertThat(socket.getTrafficClass()).isEqualTo(0x10);
        socket.setSendBufferSize(30_000);
        socket.setReceiveBufferSize(30_000);
        assertThat(socket.getSendBufferSize()).isPositive();
        assertThat(socket.getReceiveBufferSize()).isPositive();
        socket.setOOBInline(true);
        assertThat(socket.getOOBInline()).isTrue();
        assertThat(socket.supportedOptions()).contains(StandardSocketOptions.SO_LINGER, StandardSocketOptions.IP_TOS);
        assertThatThrownBy(() -> socket.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> socket.setSoTimeout(-1)).isInstanceOf(IllegalArgumentException.class);
        Socket accepted = closing(listener.accept());
        accepted.setTcpNoDelay(true);
        assertThat(accepted.getTcpNoDelay()).isTrue();
    }

    @Test
    void anUrgentByteIsDroppedUnlessWantedInline() throws Exception {
        Sockets pair = sockets();
        write(pair.client(), "a");
        pair.client().sendUrgentData('!');
        write(pair.client(), "b");
        assertThat(read(pair.server(), 2)).isEqualTo("ab");
        pair.server().setOOBInline(true);
        pair.client().sendUrgentData('?');
        write(pair.client(), "c");
        assertThat(read(pair.server(), 2)).isEqualTo("?c");
    }

    @Test
    void connectingInVainSaysWhy() throws Exception {
        InetSocketAddress nobody = nobodyListens();
        assertThatThrownBy(() -> new Socket(nobody.getAddress(), nobody.getPort()))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("Connection refused");
        Socket socket = closing(new Socket());
        assertThatThrownBy(() -> socket.connect(nobody, 2_000)).isInstanceOf(ConnectException.class);
        assertThatThrownBy(
                        () -> closing(new Socket()).connect(InetSocketAddress.createUnresolved("nowhere.invalid", 80)))
                .isInstanceOf(UnknownHostException.class);
        assertThatThrownBy(() -> closing(new Socket()).connect(null)).isInstanceOf(IllegalArgumentException.class);
        Sockets pair = sockets();
        assertThatThrownBy(() -> pair.client().connect(anyPort())).isInstanceOf(SocketException.class);
    }

    @Test
    void socketsAndChannelsConnectToEachOther() throws Exception {
        Set<String> before = MappedRings.names();
        ServerSocket socketListener = server();
        SocketChannel channel = closing(SocketChannel.open(socketListener.getLocalSocketAddress()));
        Socket accepted = closing(socketListener.accept());
        Bytes.write(channel, Bytes.ascii("from a channel"));
        assertThat(read(accepted, 14)).isEqualTo("from a channel");
        assertOnPath(before);
        before = MappedRings.names();

        ServerSocketChannel channelListener = listener();
        InetSocketAddress address = (InetSocketAddress) channelListener.getLocalAddress();
        Socket socket = closing(new Socket(address.getAddress(), address.getPort()));
        SocketChannel other = closing(channelListener.accept());
        write(socket, "from a socket");
        assertThat(Bytes.readAscii(other, 13)).isEqualTo("from a socket");
        assertOnPath(before);
    }

    @Test
    void emptyReadsAndWritesDoNothing() throws Exception {
        Sockets pair = sockets();
        pair.client().getOutputStream().write(new byte[0]);
        assertThat(pair.server().getInputStream().read(new byte[0])).isZero();
        byte[] few = new byte[3];
        assertThatThrownBy(() -> pair.server().getInputStream().read(few, 1, 3))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pair.server().getOutputStream().write(few, -1, 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        write(pair.client(), "x");
        byte[] one = new byte[10];
        assertThat(pair.server().getInputStream().read(one, 4, 6)).isEqualTo(1);
        assertThat(Arrays.copyOfRange(one, 3, 6)).containsExactly(0, 'x', 0);
    }
}
