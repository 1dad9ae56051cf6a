// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code java.net.DatagramSocket} where it differs from the socket of a channel: interrupts. {@code DatagramSocketAdaptorTest} and {@code
 * DatagramSocketWaitTest} test the socket of a channel. With Accel's provider this tests the socket that the agent puts under
 * that class, which hands everything on.
 */
@Tag("plain")
class PlainDatagramSocketTest extends DatagramSupport {
    private static final int INTERRUPTED_MILLIS = 300;

    private DatagramSocket socket() throws IOException {
        SelectorProvider provider = SelectorProvider.provider();
        DatagramSocket socket =
                provider instanceof Supplier<?> own ? ((DatagramChannel) own.get()).socket() : new DatagramSocket(null);
        closing(socket);
        socket.bind(anyPort());
        return socket;
    }

    private static void send(DatagramSocket from, String text, DatagramSocket to) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        from.send(new DatagramPacket(bytes, bytes.length, to.getLocalSocketAddress()));
    }

    @Test
    void anInterruptDoesNotEndAReceive() throws Exception {
        DatagramSocket receiver = socket();
        DatagramSocket sender = socket();
        Task<String> task = start(() -> text(receivePacket(receiver, 10))
                        + (Thread.currentThread().isInterrupted() ? ", interrupted" : ""))
                .awaitInside("receive");
        task.interrupt();
        task.awaitInside("receive");
        send(sender, "late", receiver);
        assertThat(task.result()).isEqualTo("late, interrupted");
        assertThat(receiver.isClosed()).isFalse();
        send(receiver, "alive", sender);
        assertThat(text(receivePacket(sender, 10))).isEqualTo("alive");
    }

    @Test
    void anInterruptedThreadSendsAndReceives() throws Exception {
        DatagramSocket left = socket();
        DatagramSocket right = socket();
        Task<String> task = start(() -> {
            Thread.currentThread().interrupt();
            String texts = "";
            for (int i = 0; i < 200; i++) {
                send(left, "there", right);
                texts = text(receivePacket(right, 10));
                send(right, "back", left);
                texts += " and " + text(receivePacket(left, 10));
            }
            return texts + " " + Thread.interrupted();
        });
        assertThat(task.result()).isEqualTo("there and back true");
    }

    @Test
    void anInterruptDoesNotShortenATimeout() throws Exception {
        DatagramSocket socket = socket();
        socket.setSoTimeout(INTERRUPTED_MILLIS);
        long start = System.nanoTime();
        Task<DatagramPacket> task = start(() -> receivePacket(socket, 10));
        task.interrupt();
        assertThat(task.failure()).isExactlyInstanceOf(SocketTimeoutException.class);
        assertThat(System.nanoTime() - start)
                .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(INTERRUPTED_MILLIS) - 1_000_000);
        assertThat(socket.isClosed()).isFalse();
    }

    @Test
    void aCloseEndsAReceiveWhetherInterruptedOrNot() throws Exception {
        for (boolean interrupted : new boolean[] {false, true}) {
            DatagramSocket socket = socket();
            Task<DatagramPacket> task = start(() -> receivePacket(socket, 10)).awaitInside("receive");
            if (interrupted) {
                task.interrupt();
                task.awaitInside("receive");
            }
            socket.close();
            assertThat(task.failure())
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Socket closed");
        }
    }

    @Test
    void anInterruptOfAVirtualThreadClosesIt() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads");
        DatagramSocket socket = socket();
        Task<Boolean> task = startVirtual(() -> {
            assertThatThrownBy(() -> receivePacket(socket, 10))
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Closed by interrupt");
            return Thread.currentThread().isInterrupted();
        });
        task.awaitInside("receive").interrupt();
        assertThat(task.result()).as("interrupted status").isTrue();
        assertThat(socket.isClosed()).isTrue();
    }
}
