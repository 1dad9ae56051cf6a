// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Failure;
import io.accel.nio.contract.MachineClock.Moment;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A TCP connection that fails from outside: a thread that waits is told, and so is the first that comes later. */
@Tag("plain")
@Tag("racing")
class PlainSocketFailureTest extends PlainSocketSupport {
    /** The directions in which bytes have gone before. */
    enum Used {
        BOTH,
        OUT,
        IN,
        NONE
    }

    static Stream<Arguments> eachOnEachPath() {
        return Stream.of(Failure.values())
                .flatMap(failure -> Stream.of(Used.values()).map(used -> Arguments.of(failure, used)));
    }

    private Sockets used(Used directions) throws IOException {
        Sockets sockets = sockets();
        for (int i = 0; i < 3; i++) {
            if (directions == Used.BOTH || directions == Used.OUT) {
                write(sockets.client(), "there");
                assertThat(read(sockets.server(), "there".length())).isEqualTo("there");
            }
            if (directions == Used.BOTH || directions == Used.IN) {
                write(sockets.server(), "back");
                assertThat(read(sockets.client(), "back".length())).isEqualTo("back");
            }
        }
        return sockets;
    }

    private Sockets used() throws IOException {
        Set<String> before = MappedRings.names();
        Sockets sockets = sockets();
        for (int i = 0; i < 3; i++) {
            write(sockets.client(), "there");
            assertThat(read(sockets.server(), "there".length())).isEqualTo("there");
            write(sockets.server(), "back");
            assertThat(read(sockets.client(), "back".length())).isEqualTo("back");
        }
        assertOnPath(before);
        return sockets;
    }

    private static Moment strike(Failure failure, Socket end) throws Exception {
        return failure.strike(end.getLocalSocketAddress(), end.getRemoteSocketAddress());
    }

    private static void assertReadIsTold(Socket socket, Failure failure) {
        assertThatThrownBy(() -> socket.getInputStream().read())
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage(failure.readMessage());
    }

    private static void assertWriteIsTold(Socket socket, String message) {
        assertThatThrownBy(() -> socket.getOutputStream().write(1))
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage(message);
    }

    private static void assertReadWasTold(Socket socket, Failure failure) throws IOException {
        for (int i = 0; i < 2; i++) {
            if (failure == Failure.RESET) {
                assertReadIsTold(socket, failure);
            } else {
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            assertWriteIsTold(socket, "Broken pipe");
        }
    }

    private static void assertWriteWasTold(Socket socket) throws IOException {
        for (int i = 0; i < 2; i++) {
            assertWriteIsTold(socket, "Broken pipe");
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReadThatWaits(Failure failure) throws Exception {
        Socket client = used().client();
        Task<Integer> read = start(() -> client.getInputStream().read()).awaitInside("read");
        Moment struck = strike(failure, client);
        assertThat(read.failure()).isExactlyInstanceOf(SocketException.class).hasMessage(failure.readMessage());
        Failure.assertJust(struck);
        assertReadWasTold(client, failure);
    }

    @ParameterizedTest
    @EnumSource
    void aReadWithATimeLimitThatWaits(Failure failure) throws Exception {
        Socket server = used().server();
        server.setSoTimeout((int) LIMIT_MILLIS * 10);
        Task<Integer> read = start(() -> server.getInputStream().read()).awaitInside("read");
        Moment struck = strike(failure, server);
        assertThat(read.failure()).isExactlyInstanceOf(SocketException.class).hasMessage(failure.readMessage());
        Failure.assertJust(struck);
        assertReadWasTold(server, failure);
    }

    @ParameterizedTest
    @EnumSource
    void aWriteThatWaits(Failure failure) throws Exception {
        Sockets sockets = used();
        Task<Void> write = startFilling(sockets.client()).awaitInside("write");
        eventually().until(() -> sockets.server().getInputStream().available() > 0);
        Moment struck = strike(failure, sockets.client());
        assertThat(write.failure()).isExactlyInstanceOf(SocketException.class).hasMessage(failure.writeMessage());
        Failure.assertJust(struck);
        assertWriteWasTold(sockets.client());
    }

    @ParameterizedTest
    @EnumSource
    void bytesThatHadComeAreRead(Failure failure) throws Exception {
        Sockets sockets = used();
        write(sockets.server(), "unread");
        eventually().until(() -> sockets.client().getInputStream().available() == "unread".length());
        strike(failure, sockets.client());
        assertThat(read(sockets.client(), "unread".length())).isEqualTo("unread");
        assertReadIsTold(sockets.client(), failure);
        assertReadWasTold(sockets.client(), failure);
    }

    /** A write that may have yet to choose its path, at the moment when a read has just been told. */
    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void aWriteBehindAReadThatWasTold(Failure failure, Used directions) throws Exception {
        Socket client = used(directions).client();
        Task<Integer> read = start(() -> client.getInputStream().read()).awaitInside("read");
        strike(failure, client);
        assertThat(read.failure()).hasMessage(failure.readMessage());
        assertWriteIsTold(client, "Broken pipe");
        assertReadWasTold(client, failure);
    }

    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void aWriteThatComesLater(Failure failure, Used directions) throws Exception {
        Socket client = used(directions).client();
        strike(failure, client);
        assertThat(refusal(client)).isExactlyInstanceOf(SocketException.class).hasMessage(failure.writeMessage());
        assertWriteWasTold(client);
    }

    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void anEndThatHasComeBeforeTheFailure(Failure failure, Used directions) throws Exception {
        for (boolean writesFirst : new boolean[] {true, false}) {
            Sockets sockets = used(directions);
            Socket client = sockets.client();
            sockets.server().shutdownOutput();
            // Over loopback the end comes while it is sent.
            strike(failure, client);
            String told = failure == Failure.RESET ? "Broken pipe" : failure.writeMessage();
            if (writesFirst) {
                assertThat(refusal(client)).hasMessage(told);
            }
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            if (!writesFirst) {
                assertThat(refusal(client)).hasMessage(told);
            }
            assertWriteWasTold(client);
        }
    }

    /** Writes until that is refused: a faster path may take bytes for some milliseconds, as if they had come before the failure. */
    private static IOException refusal(Socket socket) {
        AtomicReference<IOException> refusal = new AtomicReference<>();
        eventually().until(() -> {
            try {
                socket.getOutputStream().write(1);
            } catch (IOException e) {
                refusal.set(e);
            }
            return refusal.get() != null;
        });
        return refusal.get();
    }
}
