// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.adaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connecting through SocketChannel.socket(). */
@Tag("adaptor")
class SocketConnectTest extends ContractSupport {
    @ParameterizedTest
    @ValueSource(ints = {0, 10_000})
    void connects(int timeout) throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel channel = channel();
        channel.socket().connect(destination(listener), timeout);
        assertThat(channel.isConnected()).isTrue();
        assertThat(channel.isBlocking()).isTrue();
        SocketChannel server = closing(listener.accept());
        Bytes.write(server, Bytes.ascii("welcome"));
        assertThat(channel.socket().getInputStream().readNBytes(7)).asString().isEqualTo("welcome");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10_000})
    void refusedConnectClosesTheSocket(int timeout) throws IOException {
        Socket socket = channel().socket();
        var nobody = nobodyListens();
        assertThatThrownBy(() -> socket.connect(nobody, timeout)).isInstanceOf(ConnectException.class);
        assertThat(socket.isClosed()).isTrue();
    }

    @Test
    void channelInNonBlockingModeIsRefused() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel channel = nonBlockingChannel();
        assertThatThrownBy(() -> channel.socket().connect(destination(listener), 100))
                .isInstanceOf(IllegalBlockingModeException.class);
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.isConnected()).isFalse();
    }

    /**
     * A listener that nobody accepts from stops taking connections once its backlog is full; the number depends on the
     * system, and a provider that lets them all through breaks no promise.
     */
    @Test
    void connectThatWaitsTooLongTimesOutAndClosesTheSocket() throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open()).bind(anyPort(), 1);
        for (int i = 0; i < 10; i++) {
            Socket socket = channel().socket();
            long start = System.nanoTime();
            try {
                socket.connect(destination(listener), 200);
            } catch (SocketTimeoutException e) {
                assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
                        .isBetween(200L, 200 + LIMIT_MILLIS);
                assertThat(socket.isClosed()).isTrue();
                return;
            }
            assertThat(socket.isConnected()).isTrue();
        }
        assertThat(Path.current()).as("the kernel fills up").isNotIn(Path.JDK, Path.KERNEL);
    }
}
