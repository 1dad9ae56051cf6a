// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.adaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The streams of SocketChannel.socket(). */
@Tag("adaptor")
class SocketStreamTest extends ContractSupport {
    @Test
    void bytesGoThrough() throws IOException {
        Pair pair = pair();
        OutputStream out = pair.client().socket().getOutputStream();
        InputStream in = pair.server().socket().getInputStream();
        out.write(200);
        assertThat(in.read()).isEqualTo(200);
        out.write(new byte[] {1, 2, 3, 4, 5}, 1, 3);
        byte[] bytes = new byte[8];
        assertThat(in.readNBytes(bytes, 2, 3)).isEqualTo(3);
        assertThat(bytes).containsExactly(0, 0, 2, 3, 4, 0, 0, 0);
        assertThat(in.read(new byte[0])).isZero();
        out.write(new byte[0]);
        out.flush();
        pair.client().shutdownOutput();
        assertThat(in.read()).isEqualTo(-1);
        assertThat(in.read(bytes)).isEqualTo(-1);
    }

    @Test
    void badRangesAreRefused() throws IOException {
        Pair pair = pair();
        InputStream in = pair.client().socket().getInputStream();
        OutputStream out = pair.client().socket().getOutputStream();
        assertThatThrownBy(() -> in.read(new byte[4], 2, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> out.write(new byte[4], -1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> in.read(null, 0, 1)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> out.write(null, 0, 1)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void availableTellsWhatCanBeRead() throws IOException {
        Pair pair = pair();
        InputStream in = pair.server().socket().getInputStream();
        assertThat(in.available()).isZero();
        Bytes.write(pair.client(), new byte[1234]);
        eventually().until(() -> in.available() == 1234);
        assertThat(in.readNBytes(1000)).hasSize(1000);
        assertThat(in.available()).isEqualTo(234);
    }

    @Test
    void largeWriteReturnsOnlyWhenAllIsWritten() throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(1, 5_000_000);
        Task<Void> writer = run(() -> {
            pair.client().socket().getOutputStream().write(expected);
            pair.client().shutdownOutput();
        });
        Bytes.assertSame(pair.server().socket().getInputStream().readAllBytes(), expected);
        writer.result();
    }

    /** A request that is answered while its sender is still writing it. */
    @Test
    void oneSocketReadsAndWritesAtTheSameTime() throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(2, 4_000_000);
        Task<Void> echo = run(() -> {
            InputStream in = pair.server().socket().getInputStream();
            in.transferTo(pair.server().socket().getOutputStream());
            pair.server().shutdownOutput();
        });
        Task<byte[]> reader =
                start(() -> pair.client().socket().getInputStream().readAllBytes());
        pair.client().socket().getOutputStream().write(expected);
        pair.client().shutdownOutput();
        Bytes.assertSame(reader.result(), expected);
        echo.result();
    }

    @Test
    void blockedReaderDoesNotHoldAWriterUp() throws Exception {
        Pair pair = pair();
        InputStream in = pair.client().socket().getInputStream();
        Task<Integer> reader = start(() -> in.read()).awaitInside("read");
        Task<Void> writer = run(() -> pair.client().socket().getOutputStream().write(new byte[] {1, 2, 3}));
        writer.result();
        assertThat(Bytes.read(pair.server(), 3)).containsExactly(1, 2, 3);
        Bytes.write(pair.server(), new byte[] {9});
        assertThat(reader.result()).isEqualTo(9);
    }

    @Test
    void timedReaderDoesNotHoldAWriterUp() throws Exception {
        Pair pair = pair();
        pair.client().socket().setSoTimeout((int) LIMIT_MILLIS);
        InputStream in = pair.client().socket().getInputStream();
        Task<Integer> reader = start(() -> in.read()).awaitInside("read");
        run(() -> pair.client().socket().getOutputStream().write(7)).result();
        assertThat(Bytes.read(pair.server(), 1)).containsExactly(7);
        Bytes.write(pair.server(), new byte[] {9});
        assertThat(reader.result()).isEqualTo(9);
    }

    @Test
    void timeoutEndsAReadAndLeavesTheSocketUsable() throws IOException {
        Pair pair = pair();
        pair.server().socket().setSoTimeout(60);
        InputStream in = pair.server().socket().getInputStream();
        for (int i = 0; i < 3; i++) {
            long start = System.nanoTime();
            assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isBetween(60L, 60 + LIMIT_MILLIS);
            Bytes.write(pair.client(), new byte[] {(byte) i});
            pair.server().socket().setSoTimeout((int) LIMIT_MILLIS);
            assertThat(in.read()).isEqualTo(i);
            pair.server().socket().setSoTimeout(60);
        }
        assertThat(pair.server().isOpen()).isTrue();
        assertThat(pair.server().isBlocking()).isTrue();
        pair.server().socket().getOutputStream().write(5);
        assertThat(Bytes.read(pair.client(), 1)).containsExactly(5);
    }

    @Test
    void timeoutIsNotTheChannels() throws Exception {
        Pair pair = pair();
        pair.server().socket().setSoTimeout(1);
        Task<byte[]> reader = start(() -> Bytes.read(pair.server(), 1)).awaitInside("read");
        Bytes.write(pair.client(), new byte[] {4});
        assertThat(reader.result()).containsExactly(4);
    }

    @Test
    void endOfStreamBeatsTheTimeout() throws Exception {
        Pair pair = pair();
        pair.server().socket().setSoTimeout(60_000);
        InputStream in = pair.server().socket().getInputStream();
        Task<Integer> reader = start(() -> in.read()).awaitInside("read");
        pair.client().close();
        assertThat(reader.result()).isEqualTo(-1);
    }

    @Test
    void channelInNonBlockingModeIsRefused() throws IOException {
        Pair pair = pair().nonBlocking();
        SocketChannel channel = pair.client();
        InputStream in = channel.socket().getInputStream();
        OutputStream out = channel.socket().getOutputStream();
        assertThatThrownBy(() -> in.read()).isInstanceOf(IllegalBlockingModeException.class);
        assertThatThrownBy(() -> out.write(1)).isInstanceOf(IllegalBlockingModeException.class);
        assertThat(channel.isOpen()).isTrue();
        channel.configureBlocking(true);
        out.write(1);
        pair.server().configureBlocking(true);
        assertThat(Bytes.read(pair.server(), 1)).containsExactly(1);
    }

    @Test
    void closingAStreamClosesTheChannel() throws IOException {
        Pair pair = pair();
        pair.client().socket().getInputStream().close();
        assertThat(pair.client().isOpen()).isFalse();
        pair.server().socket().getOutputStream().close();
        assertThat(pair.server().isOpen()).isFalse();
    }

    @Test
    void closeEndsABlockedStream() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            Pair pair = pair();
            pair.client().socket().setSoTimeout(timeout);
            InputStream in = pair.client().socket().getInputStream();
            Task<Integer> reader = start(() -> in.read()).awaitInside("read");
            pair.client().socket().close();
            assertThat(reader.failure()).isInstanceOf(AsynchronousCloseException.class);
        }
    }

    @Test
    void shutdownInputEndsABlockedStream() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            Pair pair = pair();
            pair.client().socket().setSoTimeout(timeout);
            InputStream in = pair.client().socket().getInputStream();
            Task<Integer> reader = start(() -> in.read()).awaitInside("read");
            pair.client().socket().shutdownInput();
            assertThat(reader.result()).isEqualTo(-1);
            assertThat(in.available()).isZero();
        }
    }

    @Test
    void resetReachesTheStreams() throws Exception {
        Pair pair = pair();
        InputStream in = pair.client().socket().getInputStream();
        Task<Integer> reader = start(() -> in.read()).awaitInside("read");
        pair.server().socket().setSoLinger(true, 0);
        pair.server().socket().close();
        assertThat(reader.failure()).isInstanceOf(IOException.class).hasMessage("Connection reset");
        OutputStream out = pair.client().socket().getOutputStream();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1000; i++) {
                        out.write(new byte[1000]);
                    }
                })
                .isInstanceOf(IOException.class);
    }
}
