// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Task;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** {@code new Socket(host, port, false)}, which is deprecated, and by which JDKs before 25 make a socket of datagrams. */
@Tag("plain")
@SuppressWarnings({"deprecation", "removal"}) // by which JDK
class PlainSocketOfDatagramsTest extends PlainSocketSupport {
    private static final int MOST = 65_507;

    private DatagramSocket other;

    @BeforeEach
    void open() throws IOException {
        other = closing(new DatagramSocket(new InetSocketAddress(host(), 0)));
        other.setSoTimeout(10_000);
    }

    private Socket socket() throws IOException {
        return closing(new Socket(host(), other.getLocalPort(), false));
    }

    private String receive() throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[100], 100);
        other.receive(packet);
        return new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII);
    }

    private void reply(Socket to, byte[] bytes) throws IOException {
        other.send(new DatagramPacket(bytes, bytes.length, new InetSocketAddress(host(), to.getLocalPort())));
    }

    private void reply(Socket to, String text) throws IOException {
        reply(to, text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    @EnabledForJreRange(minVersion = 25)
    void newJdksRefuseIt() {
        assertThatThrownBy(this::socket).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_24)
    void eachWriteIsADatagram() throws Exception {
        Socket socket = socket();
        write(socket, "one");
        write(socket, "two");
        assertThat(receive()).isEqualTo("one");
        assertThat(receive()).isEqualTo("two");
        try (Socket named = new Socket(host().getHostAddress(), other.getLocalPort(), false)) {
            write(named, "by name");
            assertThat(receive()).isEqualTo("by name");
        }
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_24)
    void eachReadTakesADatagramAndDropsItsRest() throws Exception {
        Socket socket = socket();
        reply(socket, "first datagram");
        reply(socket, "second");
        assertThat(read(socket, 5)).isEqualTo("first");
        assertThat(read(socket, 6)).isEqualTo("second");
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_24)
    void theLargestDatagram() throws Exception {
        Socket socket = socket();
        byte[] bytes = new byte[MOST];
        new Random(1).nextBytes(bytes);
        OutputStream out = socket.getOutputStream();
        assertThatThrownBy(() -> out.write(new byte[MOST + 1])).isInstanceOf(IOException.class);
        out.write(bytes);
        DatagramPacket packet = new DatagramPacket(new byte[MOST + 10], MOST + 10);
        other.receive(packet);
        assertThat(Arrays.copyOf(packet.getData(), packet.getLength())).isEqualTo(bytes);
        reply(socket, bytes);
        byte[] read = new byte[MOST + 10];
        assertThat(socket.getInputStream().read(read)).isEqualTo(MOST);
        assertThat(Arrays.copyOf(read, MOST)).isEqualTo(bytes);
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_24)
    void itsStateAndOptions() throws Exception {
        Socket socket = socket();
        assertThat(socket.isConnected()).isTrue();
        assertThat(socket.isBound()).isTrue();
        assertThat(socket.getRemoteSocketAddress()).isEqualTo(new InetSocketAddress(host(), other.getLocalPort()));
        assertThat(socket.getLocalPort()).isPositive();
        assertThat(socket.getLocalAddress()).isEqualTo(host());
        assertThat(socket.supportedOptions()).isEqualTo(closing(new Socket()).supportedOptions());
        socket.setSendBufferSize(50_000);
        assertThat(socket.getSendBufferSize()).isGreaterThanOrEqualTo(50_000);
        reply(socket, "abc");
        assertThat(socket.getInputStream().available()).isEqualTo(3);
        assertThatThrownBy(() -> socket.connect(other.getLocalSocketAddress())).isInstanceOf(SocketException.class);
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_24)
    void aReadTimesOutAndACloseEndsIt() throws Exception {
        Socket socket = socket();
        InputStream in = socket.getInputStream();
        socket.setSoTimeout(20);
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(0);
        Task<Integer> reading = start(in::read).awaitInside("read");
        socket.close();
        assertThat(reading.failure()).isInstanceOf(SocketException.class).hasMessage("Socket closed");
        assertThatThrownBy(socket::getOutputStream).isInstanceOf(SocketException.class);
    }
}
