// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.testing.Background;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The streams of the socket adaptor. */
class SocketStreamsTest {

    private ConnectedPair pair;

    @BeforeEach
    void connect() throws Exception {
        pair = ConnectedPair.open();
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
    }

    private void farWrites(int... bytes) throws Exception {
        ByteBuffer data = ByteBuffer.allocate(bytes.length);
        for (int b : bytes) {
            data.put((byte) b);
        }
        data.flip();
        while (data.hasRemaining()) {
            pair.far().write(data);
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void bytesGoBothWays(Adaptor adaptor) throws Exception {
        Socket socket = pair.nearSocket(adaptor);
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        farWrites(0xff, 0, 1);
        assertThat(in.read()).isEqualTo(0xff);
        assertThat(in.read()).isZero();
        byte[] b = {9, 9, 9};
        assertThat(in.read(b, 1, 2)).isEqualTo(1);
        assertThat(b).containsExactly(9, 1, 9);
        out.write(0x1ff);
        out.write(new byte[] {1, 2, 3, 4}, 1, 2);
        out.write(new byte[] {5});
        ByteBuffer received = ByteBuffer.allocate(4);
        while (received.hasRemaining()) {
            pair.far().read(received);
        }
        assertThat(received.array()).containsExactly(-1, 2, 3, 5);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void theEndOfTheStreamComesAfterTheLastByte(Adaptor adaptor) throws Exception {
        InputStream in = pair.nearSocket(adaptor).getInputStream();
        farWrites(7);
        pair.far().shutdownOutput();
        assertThat(in.read()).isEqualTo(7);
        assertThat(in.read()).isEqualTo(-1);
        assertThat(in.read(new byte[4])).isEqualTo(-1);
        assertThat(in.skip(4)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void argumentsAreCheckedBeforeAnythingElse(Adaptor adaptor) throws Exception {
        Socket socket = pair.nearSocket(adaptor);
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        socket.close();
        byte[] b = new byte[4];
        assertThatThrownBy(() -> in.read(b, 2, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> in.read(b, -1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> in.read(null, 0, 1)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> out.write(b, 2, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> out.write(null, 0, 1)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> in.transferTo(null)).isInstanceOf(NullPointerException.class);
        assertThat(in.read(b, 4, 0)).isZero();
        assertThat(in.skip(-1)).isZero();
        out.write(b, 4, 0);
        assertThatThrownBy(in::read).isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(in::available).isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> out.write(1)).isExactlyInstanceOf(ClosedChannelException.class);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void readsTimeOutAndGoOn(Adaptor adaptor) throws Exception {
        Socket socket = pair.nearSocket(adaptor);
        InputStream in = socket.getInputStream();
        socket.setSoTimeout(50);
        long start = System.nanoTime();
        assertThatThrownBy(in::read)
                .isExactlyInstanceOf(SocketTimeoutException.class)
                .hasMessage("Read timed out");
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000L);
        farWrites(3);
        assertThat(in.read()).isEqualTo(3);
        socket.setSoTimeout(0);
        Background<Integer> read = Background.start(in::read);
        read.awaitIn(in.getClass(), "read");
        farWrites(4);
        assertThat(read.get()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void aWaitingReadHoldsUpNoWrite(Adaptor adaptor) throws Exception {
        Socket socket = pair.nearSocket(adaptor);
        InputStream in = socket.getInputStream();
        Background<Integer> read = Background.start(in::read);
        read.awaitIn(in.getClass(), "read");
        socket.getOutputStream().write(5);
        ByteBuffer echo = ByteBuffer.allocate(1);
        assertThat(pair.far().read(echo)).isEqualTo(1);
        assertThat(read.isDone()).isFalse();
        echo.flip();
        pair.far().write(echo);
        assertThat(read.get()).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void streamsRefuseANonBlockingChannel(Adaptor adaptor) throws Exception {
        Socket socket = pair.nearSocket(adaptor);
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        farWrites(1);
        await().until(() -> in.available() == 1);
        pair.near().configureBlocking(false);
        assertThatThrownBy(in::read).isExactlyInstanceOf(IllegalBlockingModeException.class);
        assertThatThrownBy(() -> out.write(1)).isExactlyInstanceOf(IllegalBlockingModeException.class);
        assertThat(in.available()).isEqualTo(1);
        pair.near().configureBlocking(true);
        assertThat(in.read()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void skipAndTransferToTakeAllThereIs(Adaptor adaptor) throws Exception {
        byte[] data = new byte[300_000];
        new Random(1).nextBytes(data);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            try (SocketChannel far = pair.far()) {
                far.socket().getOutputStream().write(data);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        InputStream in = pair.nearSocket(adaptor).getInputStream();
        assertThat(in.skip(100_001)).isEqualTo(100_001);
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        assertThat(in.transferTo(rest)).isEqualTo(data.length - 100_001);
        writer.get();
        assertThat(rest.toByteArray()).isEqualTo(Arrays.copyOfRange(data, 100_001, data.length));
        assertThat(in.skip(1)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void shuttingDownInputEndsTheStream(Adaptor adaptor) throws Exception {
        Socket socket = pair.nearSocket(adaptor);
        InputStream in = socket.getInputStream();
        socket.shutdownInput();
        socket.shutdownInput();
        assertThat(socket.isInputShutdown()).isTrue();
        assertThat(in.read()).isEqualTo(-1);
        assertThat(in.available()).isZero();
        assertThatThrownBy(socket::getInputStream)
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage("Socket input is shutdown");
        assertThat(socket.getOutputStream()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void shuttingDownOutputEndsTheFarStream(Adaptor adaptor) throws Exception {
        Socket socket = pair.nearSocket(adaptor);
        OutputStream out = socket.getOutputStream();
        socket.shutdownOutput();
        assertThat(socket.isOutputShutdown()).isTrue();
        assertThat(pair.far().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThatThrownBy(() -> out.write(1)).isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(socket::getOutputStream)
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage("Socket output is shutdown");
        assertThat(socket.getInputStream()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void streamsNeedAnOpenConnection(Adaptor adaptor) throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            assertThatThrownBy(socket::getInputStream).hasMessage("Socket is not connected");
            assertThatThrownBy(socket::getOutputStream).hasMessage("Socket is not connected");
            socket.close();
            assertThatThrownBy(socket::getInputStream).hasMessage("Socket is closed");
            assertThatThrownBy(socket::getOutputStream).hasMessage("Socket is closed");
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void closingAStreamClosesTheSocket(Adaptor adaptor) throws Exception {
        Socket socket = pair.nearSocket(adaptor);
        socket.getInputStream().close();
        assertThat(socket.isClosed()).isTrue();
        Socket far = adaptor.over(pair.far());
        far.getOutputStream().close();
        assertThat(far.isClosed()).isTrue();
        assertThat(pair.far().isOpen()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void closeAndInterruptEndAWaitingRead(Adaptor adaptor) throws Exception {
        Socket near = pair.nearSocket(adaptor);
        assertThat(readEndedBy(near, reader -> near.close())).isExactlyInstanceOf(AsynchronousCloseException.class);
        Socket far = adaptor.over(pair.far());
        assertThat(pair.far().isOpen()).isTrue();
        pair = ConnectedPair.open();
        Socket interrupted = pair.nearSocket(adaptor);
        assertThat(readEndedBy(interrupted, Thread::interrupt)).isExactlyInstanceOf(ClosedByInterruptException.class);
        assertThat(interrupted.isClosed()).isTrue();
        far.close();
    }

    private interface Ending {
        void end(Thread reader) throws Exception;
    }

    private static Throwable readEndedBy(Socket socket, Ending ending) throws Exception {
        InputStream in = socket.getInputStream();
        AtomicReference<Throwable> seen = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            try {
                in.read();
            } catch (IOException e) {
                seen.set(e);
            }
        });
        reader.start();
        await().until(() -> waitsInKernel(reader));
        ending.end(reader);
        reader.join(10_000);
        return seen.get();
    }

    private static boolean waitsInKernel(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0
                && stack[0].isNativeMethod()
                && stack[0].getClassName().startsWith("sun.nio.ch");
    }
}
