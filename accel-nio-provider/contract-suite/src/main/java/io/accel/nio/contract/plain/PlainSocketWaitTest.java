// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Task;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** java.net sockets: the effect of a close and of an interrupt on waiting threads. */
@Tag("plain")
@Tag("racing")
class PlainSocketWaitTest extends PlainSocketSupport {
    @Test
    void aCloseEndsAReadThatWaits() throws Exception {
        Sockets pair = sockets();
        Task<Integer> reading =
                start(() -> pair.server().getInputStream().read()).awaitInside("read");
        pair.server().close();
        assertThat(reading.failure()).isInstanceOf(SocketException.class).hasMessage("Socket closed");
        assertThat(pair.client().getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aCloseEndsAReadWithATimeoutThatWaits() throws Exception {
        Sockets pair = sockets();
        pair.server().setSoTimeout(20_000);
        Task<Integer> reading =
                start(() -> pair.server().getInputStream().read()).awaitInside("read");
        pair.server().close();
        assertThat(reading.failure()).isInstanceOf(SocketException.class).hasMessage("Socket closed");
    }

    @RepeatedTest(20) // only by chance does the kernel meet the end of the output before the writer hears of the close
    void aCloseEndsAWriteThatWaits() throws Exception {
        Sockets pair = sockets();
        Task<Void> writing = startFilling(pair.client()).awaitInside("write");
        pair.client().close();
        assertThat(writing.failure()).isInstanceOf(SocketException.class).hasMessage("Socket closed");
    }

    @Test
    void aCloseEndsAnAcceptThatWaits() throws Exception {
        ServerSocket server = server();
        Task<Socket> accepting = start(server::accept).awaitInside("accept");
        server.close();
        assertThat(accepting.failure()).isInstanceOf(SocketException.class).hasMessage("Socket closed");
        assertThat(server.isClosed()).isTrue();
    }

    @Test
    void anInterruptDoesNotEndARead() throws Exception {
        Sockets pair = sockets();
        Task<Boolean> reading = start(() -> {
                    assertThat(read(pair.server(), 1)).isEqualTo("x");
                    return Thread.currentThread().isInterrupted();
                })
                .awaitInside("read");
        reading.interrupt();
        assertThat(reading.finishesWithin(100)).isFalse();
        write(pair.client(), "x");
        assertThat(reading.result()).as("stays interrupted").isTrue();
        write(pair.client(), "y");
        assertThat(read(pair.server(), 1)).isEqualTo("y");
    }

    @Test
    void aThreadThatComesInterruptedReadsAndWrites() throws Exception {
        Sockets pair = sockets();
        Task<String> task = start(() -> {
            Thread.currentThread().interrupt();
            write(pair.server(), "hello");
            String answer = read(pair.server(), 5);
            return answer + Thread.currentThread().isInterrupted();
        });
        assertThat(read(pair.client(), 5)).isEqualTo("hello");
        task.awaitInside("read");
        write(pair.client(), "world");
        assertThat(task.result()).isEqualTo("worldtrue");
    }

    @Test
    void anInterruptDoesNotEndAnAccept() throws Exception {
        ServerSocket server = server();
        Task<Socket> accepting = start(server::accept).awaitInside("accept");
        accepting.interrupt();
        assertThat(accepting.finishesWithin(100)).isFalse();
        Socket client = closing(new Socket(server.getInetAddress(), server.getLocalPort()));
        Socket accepted = closing(accepting.result());
        write(client, "x");
        assertThat(read(accepted, 1)).isEqualTo("x");
    }

    @Test
    void aThreadConnectsThoughInterrupted() throws Exception {
        ServerSocket server = server();
        Task<Boolean> connecting = start(() -> {
            Thread.currentThread().interrupt();
            closing(new Socket(server.getInetAddress(), server.getLocalPort()));
            return Thread.currentThread().isInterrupted();
        });
        closing(server.accept());
        assertThat(connecting.result()).isTrue();
    }

    @Test
    void anInterruptClosesTheSocketOfAVirtualThread() throws Exception {
        assumeTrue(Task.virtualThreads(), "needs virtual threads");
        Sockets pair = sockets();
        Task<Integer> reading = startVirtual(() -> {
            try {
                return pair.server().getInputStream().read();
            } catch (SocketException e) {
                assertThat(e).hasMessage("Closed by interrupt");
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                return -2;
            }
        });
        Thread[] virtual = new Thread[1];
        Task<Integer> other = startVirtual(() -> {
            virtual[0] = Thread.currentThread();
            try {
                return pair.client().getInputStream().read();
            } catch (SocketException e) {
                assertThat(e).hasMessage("Closed by interrupt");
                return -2;
            }
        });
        eventually().until(() -> virtual[0] != null);
        other.awaitInside("read");
        virtual[0].interrupt();
        assertThat(other.result()).isEqualTo(-2);
        assertThat(pair.client().isClosed()).isTrue();
        assertThat(reading.result()).as("whose peer is closed").isEqualTo(-1);
    }

    @Test
    void virtualThreadsReadAndWrite() throws Exception {
        assumeTrue(Task.virtualThreads(), "needs virtual threads");
        ServerSocket server = server();
        Task<String> echo = startVirtual(() -> {
            Socket accepted = closing(server.accept());
            String got = read(accepted, 4);
            write(accepted, got);
            return got;
        });
        Socket client = closing(new Socket(server.getInetAddress(), server.getLocalPort()));
        echo.awaitInside("read");
        write(client, "ping");
        assertThat(read(client, 4)).isEqualTo("ping");
        assertThat(echo.result()).isEqualTo("ping");
    }
}
