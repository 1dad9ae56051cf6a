// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.Link;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The answers of both halves when the peer closed or reset the connection. */
class EndingsTest {
    private static final int SIZE = 1 << 12;

    private final LoopbackLink[] ends = LoopbackLink.pair(SIZE);
    private final StreamReceiver receiver = new StreamReceiver(ends[0]);
    private final StreamSender sender = new StreamSender(ends[0], 1, receiver);

    @Test
    void aResetMetByAReadIsABrokenPipeToWrites() throws IOException {
        ends[1].signal(Link.RST);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(this::read)
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
            assertThatThrownBy(this::write)
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("Broken pipe");
        }
        assertThat(sender.write(ByteBuffer.allocate(0))).isZero();
        assertThatThrownBy(() -> receiver.read(ByteBuffer.allocate(0))).isInstanceOf(SocketException.class);
    }

    @Test
    void aResetMetByAWriteIsTheEndToReads() throws IOException {
        ends[1].signal(Link.RST);
        assertThat(sender.write(ByteBuffer.allocate(0))).isZero();
        assertThat(receiver.read(ByteBuffer.allocate(0))).isZero();
        assertThatThrownBy(this::write).hasMessage("Connection reset by peer");
        assertThatThrownBy(this::write).hasMessage("Broken pipe");
        assertThat(read()).isEqualTo(-1);
        assertThat(read()).isEqualTo(-1);
    }

    /** A close tells the peer of the end while another thread still writes; that thread's bytes do not count as accepted. */
    @Test
    void nothingIsReadBehindTheEnd() throws IOException {
        StreamSender peer = new StreamSender(ends[1], 1);
        assertThat(peer.write(ByteBuffer.allocate(1))).isEqualTo(1);
        ends[1].closeBesideWriter();
        assertThat(read()).isEqualTo(1);
        assertThat(read()).isEqualTo(-1);
        assertThat(peer.write(ByteBuffer.allocate(1))).isEqualTo(1);
        assertThat(read()).isEqualTo(-1);
        assertThat(receiver.lend(1, 1)).isEqualTo(-1);
    }

    /** The kernel knows at once what a peer of this host does. */
    @Test
    void noWriteOfAUnixStreamIsAcceptedBehindTheClose() {
        StreamReceiver reader = new StreamReceiver(ends[0], Endings.UNIX);
        StreamSender writer = new StreamSender(ends[0], 1, reader);
        ends[1].signal(Link.CLOSED | Link.FIN);
        assertThat(writer.ready()).isTrue();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1)))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("Broken pipe");
        }
    }

    @Test
    void noWriteOfAUnixStreamIsAcceptedByAShutInput() throws IOException {
        StreamReceiver reader = new StreamReceiver(ends[0], Endings.UNIX);
        StreamSender writer = new StreamSender(ends[0], 1, reader);
        ends[1].signal(Link.DEAF);
        assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1))).hasMessage("Broken pipe");
        assertThat(reader.read(ByteBuffer.allocate(1))).as("the peer may write").isZero();
        assertThat(sender.write(ByteBuffer.allocate(1))).as("by TCP").isEqualTo(1);
    }

    /** This is as in the kernel, where such a write sleeps on the socket that the reset reaches. */
    @Test
    void aWriteOfAUnixStreamThatHasWaitedTakesTheReset() throws IOException {
        StreamReceiver reader = new StreamReceiver(ends[0], Endings.UNIX);
        StreamSender writer = new StreamSender(ends[0], 1, reader);
        ends[1].signal(Link.RST | Link.CLOSED);
        writer.waited(true);
        assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1))).hasMessage("Connection reset by peer");
        writer.waited(false);
        assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1))).hasMessage("Broken pipe");
        assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    @Test
    void aWriteOfAUnixStreamLeavesTheResetToTheReaderAlsoBehindAnEnd() throws IOException {
        StreamReceiver reader = new StreamReceiver(ends[0], Endings.UNIX);
        StreamSender writer = new StreamSender(ends[0], 1, reader);
        StreamSender peer = new StreamSender(ends[1], 1);
        assertThat(peer.write(ByteBuffer.allocate(3))).isEqualTo(3);
        ends[1].signal(Link.FIN);
        assertThat(reader.read(ByteBuffer.allocate(9))).isEqualTo(3);
        assertThat(reader.read(ByteBuffer.allocate(9))).isEqualTo(-1);
        ends[1].signal(Link.RST | Link.CLOSED);
        assertThatThrownBy(() -> writer.write(ByteBuffer.allocate(1))).hasMessage("Broken pipe");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> reader.read(ByteBuffer.allocate(9))).isExactlyInstanceOf(SocketException.class);
        }
    }

    @Test
    void oneWriteAfterTheClosePublishesNothing() throws IOException {
        ends[1].signal(Link.FIN | Link.CLOSED);
        assertThat(sender.write(ByteBuffer.allocate(10 * SIZE))).isEqualTo(10 * SIZE);
        assertThat(ends[0].publishes()).isZero();
        assertThatThrownBy(this::write).hasMessage("Broken pipe");
        assertThat(read()).isEqualTo(-1);
    }

    @Test
    void oneFlushAfterTheClosePublishesNothing() throws IOException {
        ends[1].signal(Link.FIN | Link.CLOSED);
        for (int i = 0; i < 3; i++) {
            assertThat(sender.room(100)).isEqualTo(100);
            sender.append(100);
        }
        sender.flush();
        assertThat(ends[0].publishes()).isZero();
        assertThatThrownBy(() -> sender.room(1)).hasMessage("Broken pipe");
    }

    /** Nobody makes room any more. */
    @Test
    void aFullRingIsABrokenPipeToWhoeverAsksForRoom() throws IOException {
        assertThat(sender.write(ByteBuffer.allocate(SIZE))).isEqualTo(SIZE);
        ends[1].signal(Link.FIN | Link.CLOSED);
        assertThatThrownBy(() -> sender.room(1)).hasMessage("Broken pipe");
        assertThatThrownBy(() -> sender.room(1)).hasMessage("Broken pipe");
    }

    private int read() throws IOException {
        return receiver.read(ByteBuffer.allocate(1));
    }

    private int write() throws IOException {
        return sender.write(ByteBuffer.allocate(1));
    }
}
