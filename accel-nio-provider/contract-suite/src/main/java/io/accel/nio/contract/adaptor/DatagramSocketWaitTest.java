// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.adaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The waits of a channel's socket for a datagram, and the events that end them early. */
@Tag("adaptor")
class DatagramSocketWaitTest extends DatagramSupport {
    @Test
    void receiveTimesOut() throws Exception {
        Ends ends = ends();
        DatagramSocket socket = ends.right().socket();
        assertThat(socket.getSoTimeout()).isZero();
        socket.setSoTimeout(50);
        assertThat(socket.getSoTimeout()).isEqualTo(50);
        for (int i = 0; i < 2; i++) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> receivePacket(socket, 10)).isInstanceOf(SocketTimeoutException.class);
            assertThat(System.nanoTime() - start).isBetween(49_000_000L, LIMIT_MILLIS * 1_000_000);
            send(ends.left(), "in time", addressOf(ends.right()));
            assertThat(text(receivePacket(socket, 10))).isEqualTo("in time");
        }
        socket.setSoTimeout((int) LIMIT_MILLIS);
        Task<String> receiver = start(() -> text(receivePacket(socket, 10))).awaitInside("receive");
        send(ends.left(), "awaited", addressOf(ends.right()));
        assertThat(receiver.result()).isEqualTo("awaited");
        socket.setSoTimeout(0);
        Task<String> untimed = start(() -> receiveText(ends.right())).awaitInside("receive");
        send(ends.left(), "by the channel", addressOf(ends.right()));
        assertThat(untimed.result()).isEqualTo("by the channel");
        assertThatThrownBy(() -> socket.setSoTimeout(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void unreachablePort() throws IOException {
        DatagramChannel gone = bound();
        DatagramSocket socket = bound().socket();
        socket.connect(addressOf(gone));
        gone.close();
        socket.send(new DatagramPacket(new byte[1], 1));
        socket.setSoTimeout((int) LIMIT_MILLIS);
        assertThatThrownBy(() -> receivePacket(socket, 1)).isInstanceOf(PortUnreachableException.class);
    }

    @Test
    void closeWhileReceiving() throws Exception {
        for (int timeout : new int[] {0, (int) LIMIT_MILLIS}) {
            DatagramChannel channel = ends().right();
            channel.socket().setSoTimeout(timeout);
            Task<DatagramPacket> receiver =
                    start(() -> receivePacket(channel.socket(), 1)).awaitInside("receive");
            channel.socket().close();
            assertThat(receiver.failure()).isInstanceOf(SocketException.class);
            assertThat(channel.isOpen()).isFalse();
        }
    }

    /** Since JDK 19 the receiver is told of its interrupt; before, that the socket is closed. */
    @ParameterizedTest
    @ValueSource(ints = {0, (int) LIMIT_MILLIS})
    void interruptWhileReceiving(int timeout) throws Exception {
        DatagramChannel channel = ends().right();
        channel.socket().setSoTimeout(timeout);
        Task<DatagramPacket> receiver =
                start(() -> receivePacket(channel.socket(), 1)).awaitInside("receive");
        receiver.interrupt();
        assertInterrupted(receiver.failure());
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void receiveOfAnInterruptedThread() throws Exception {
        DatagramChannel channel = ends().right();
        Task<DatagramPacket> receiver = start(() -> {
            Thread.currentThread().interrupt();
            return receivePacket(channel.socket(), 1);
        });
        assertInterrupted(receiver.failure());
        assertThat(channel.isOpen()).isFalse();
    }

    private static void assertInterrupted(Throwable failure) {
        if (Runtime.version().feature() >= 19) {
            assertThat(failure).isExactlyInstanceOf(ClosedByInterruptException.class);
        } else {
            assertThat(failure)
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Socket closed")
                    .hasCauseExactlyInstanceOf(ClosedByInterruptException.class);
        }
    }
}
