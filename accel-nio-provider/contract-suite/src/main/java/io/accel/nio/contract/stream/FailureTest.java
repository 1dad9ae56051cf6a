// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Failure;
import io.accel.nio.contract.MachineClock.Moment;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A TCP connection that fails from outside, while the program does nothing about it: who waits is told, and who comes later. The first to
 * ask is told of the failure, and bytes that had come before it are read.
 */
@Tag("stream")
class FailureTest extends ContractSupport {
    /** The directions in which bytes have gone before. */
    enum Used {
        BOTH,
        OUT,
        IN,
        NONE
    }

    /** The ways to write. */
    enum Writing {
        ONE_BUFFER,
        SEVERAL_BUFFERS,
        A_FILE,
        AS_A_STREAM
    }

    private static final int SOME = 20_000;

    /** A connection that has carried bytes, so that it is on its path. */
    private Pair used(Used directions) throws IOException {
        Pair pair = pair();
        if (directions == Used.BOTH || directions == Used.OUT) {
            carry(pair.client(), pair.server());
        }
        if (directions == Used.BOTH || directions == Used.IN) {
            carry(pair.server(), pair.client());
        }
        return pair;
    }

    private static void carry(SocketChannel from, SocketChannel to) throws IOException {
        for (int i = 0; i < 3; i++) {
            byte[] bytes = Bytes.random(i, SOME / 10);
            Bytes.write(from, bytes);
            Bytes.assertSame(Bytes.read(to, bytes.length), bytes);
        }
    }

    private static Moment strike(Failure failure, SocketChannel end) throws Exception {
        return failure.strike(end.getLocalAddress(), end.getRemoteAddress());
    }

    /** Waits until a channel is told of a failure whatever it does. */
    private static void awaitNoticed(SocketChannel channel) throws IOException {
        boolean blocks = channel.isBlocking();
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            awaitReady(channel.register(selector, SelectionKey.OP_READ), SelectionKey.OP_READ);
        }
        channel.configureBlocking(blocks);
    }

    private static void assertReadIsTold(SocketChannel channel, Failure failure) {
        assertThatThrownBy(() -> channel.read(one()))
                .isExactlyInstanceOf(failure == Failure.RESET ? SocketException.class : IOException.class)
                .hasMessage(failure.readMessage());
    }

    private static void assertWriteIsTold(SocketChannel channel, String message) {
        ByteBuffer refused = one();
        assertThatThrownBy(() -> channel.write(refused))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage(message);
        assertThat(refused.position()).isZero();
    }

    private static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }

    /** A read has been told: a reset is told again, and anything else is the end from then on. */
    private static void assertReadWasTold(SocketChannel channel, Failure failure) throws IOException {
        for (int i = 0; i < 2; i++) {
            if (failure == Failure.RESET) {
                assertReadIsTold(channel, failure);
            } else {
                assertThat(channel.read(one())).isEqualTo(-1);
            }
            assertWriteIsTold(channel, "Broken pipe");
        }
    }

    private static void assertWriteWasTold(SocketChannel channel) throws IOException {
        for (int i = 0; i < 2; i++) {
            assertWriteIsTold(channel, "Broken pipe");
            assertThat(channel.read(one())).isEqualTo(-1);
        }
    }

    static Stream<Arguments> eachOnEachPath() {
        return Stream.of(Failure.values())
                .flatMap(failure -> Stream.of(Used.values()).map(used -> Arguments.of(failure, used)));
    }

    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void aReadThatWaits(Failure failure, Used directions) throws Exception {
        SocketChannel client = used(directions).client();
        Task<Integer> read = start(() -> client.read(one())).awaitInside("read");
        Moment struck = strike(failure, client);
        assertThat(read.failure())
                .isExactlyInstanceOf(failure == Failure.RESET ? SocketException.class : IOException.class)
                .hasMessage(failure.readMessage());
        Failure.assertJust(struck);
        assertReadWasTold(client, failure);
        assertThat(client.isOpen()).isTrue();
    }

    /** A write that has yet to choose its path, at the moment when a read has just been told. */
    @ParameterizedTest
    @EnumSource
    void aFirstWriteBehindAReadThatWasTold(Writing writing) throws Exception {
        for (Failure failure : Failure.values()) {
            SocketChannel client = used(Used.NONE).client();
            Task<Integer> read = start(() -> client.read(one())).awaitInside("read");
            strike(failure, client);
            assertThat(read.failure()).hasMessage(failure.readMessage());
            assertThatThrownBy(() -> writeOne(client, writing))
                    .isInstanceOf(IOException.class)
                    .hasMessage("Broken pipe");
        }
    }

    private static void writeOne(SocketChannel channel, Writing writing) throws IOException {
        switch (writing) {
            case ONE_BUFFER -> channel.write(one());
            case SEVERAL_BUFFERS -> channel.write(new ByteBuffer[] {one(), one()});
            case A_FILE -> {
                Path file = Files.createTempFile("sent", null);
                try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    from.write(one());
                    from.transferTo(0, 1, channel);
                } finally {
                    Files.delete(file);
                }
            }
            case AS_A_STREAM -> channel.socket().getOutputStream().write(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReadOfTheAcceptedEndThatWaits(Failure failure) throws Exception {
        SocketChannel server = used(Used.BOTH).server();
        Task<Integer> read = start(() -> server.read(one())).awaitInside("read");
        Moment struck = strike(failure, server);
        assertThat(read.failure()).hasMessage(failure.readMessage());
        Failure.assertJust(struck);
        assertReadWasTold(server, failure);
    }

    @ParameterizedTest
    @EnumSource
    void aReadWithATimeLimitThatWaits(Failure failure) throws Exception {
        SocketChannel client = used(Used.BOTH).client();
        client.socket().setSoTimeout((int) LIMIT_MILLIS * 10);
        Task<Integer> read =
                start(() -> client.socket().getInputStream().read()).awaitInside("read");
        Moment struck = strike(failure, client);
        assertThat(read.failure()).isInstanceOf(IOException.class).hasMessage(failure.readMessage());
        Failure.assertJust(struck);
    }

    @ParameterizedTest
    @EnumSource
    void aReadOfAVirtualThreadThatWaits(Failure failure) throws Exception {
        assumeTrue(Task.virtualThreads(), "this JDK has no virtual threads");
        SocketChannel client = used(Used.BOTH).client();
        AtomicLong began = new AtomicLong();
        Task<Integer> read = startVirtual(() -> {
            began.set(1);
            return client.read(one());
        });
        eventually().until(() -> began.get() == 1);
        Moment struck = strike(failure, client);
        assertThat(read.failure()).hasMessage(failure.readMessage());
        Failure.assertJust(struck);
    }

    @ParameterizedTest
    @CsvSource({"KILLED,BOTH", "KILLED,OUT", "KILLED,IN", "RESET,BOTH", "RESET,OUT", "RESET,IN"})
    void aWriteThatWaits(Failure failure, Used directions) throws Exception {
        Pair pair = used(directions);
        SocketChannel client = pair.client();
        ByteBuffer much = ByteBuffer.allocate(64 << 20);
        Task<Integer> write = startedWriting(() -> client.write(much), pair.server());
        Moment struck = strike(failure, client);
        assertThat(write.result()).isEqualTo(much.position()).isPositive();
        Failure.assertJust(struck);
        assertWriteIsTold(client, failure.writeMessage());
        assertWriteWasTold(client);
    }

    @ParameterizedTest
    @EnumSource
    void aSelectThatWaitsForBytes(Failure failure) throws Exception {
        SocketChannel client = used(Used.BOTH).client();
        Selector selector = selector();
        SelectionKey key = register(client, selector, SelectionKey.OP_READ);
        Task<Integer> select = start(selector::select).awaitInside("select");
        Moment struck = strike(failure, client);
        assertThat(select.result()).isEqualTo(1);
        Failure.assertJust(struck);
        assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_READ);
        assertReadIsTold(client, failure);
        assertReadWasTold(client, failure);
        selector.selectedKeys().clear();
        assertThat(selector.select(LIMIT_MILLIS)).isEqualTo(1); // the end stays readable
    }

    @ParameterizedTest
    @EnumSource
    void aSelectThatWaitsForRoom(Failure failure) throws Exception {
        SocketChannel client = fullPair().client();
        Selector selector = selector();
        SelectionKey key = register(client, selector, SelectionKey.OP_WRITE);
        Task<Integer> select = start(selector::select).awaitInside("select");
        Moment struck = strike(failure, client);
        assertThat(select.result()).isEqualTo(1);
        Failure.assertJust(struck);
        assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_WRITE);
        assertWriteIsTold(client, failure.writeMessage());
        assertWriteWasTold(client);
    }

    @ParameterizedTest
    @EnumSource
    void aReadThatComesLater(Failure failure) throws Exception {
        SocketChannel client = used(Used.BOTH).client();
        strike(failure, client);
        awaitNoticed(client);
        assertThat(client.read(ByteBuffer.allocate(0))).isZero();
        assertReadIsTold(client, failure);
        assertReadWasTold(client, failure);
    }

    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void aWriteThatComesLater(Failure failure, Used directions) throws Exception {
        SocketChannel client = used(directions).client();
        strike(failure, client);
        awaitNoticed(client);
        assertThat(client.write(ByteBuffer.allocate(0))).isZero();
        assertWriteIsTold(client, failure.writeMessage());
        assertWriteWasTold(client);
    }

    @ParameterizedTest
    @EnumSource
    void bytesThatHadComeAreRead(Failure failure) throws Exception {
        Pair pair = used(Used.BOTH);
        SocketChannel client = pair.client();
        byte[] bytes = Bytes.random(1, SOME);
        Bytes.write(pair.server(), bytes);
        eventually().until(() -> client.socket().getInputStream().available() == SOME);
        strike(failure, client);
        Bytes.assertSame(Bytes.read(client, SOME / 2), java.util.Arrays.copyOf(bytes, SOME / 2));
        Task<byte[]> rest = start(() -> Bytes.read(client, SOME - SOME / 2));
        Bytes.assertSame(rest.result(), java.util.Arrays.copyOfRange(bytes, SOME / 2, SOME));
        awaitNoticed(client);
        assertReadIsTold(client, failure);
        assertReadWasTold(client, failure);
    }

    @ParameterizedTest
    @EnumSource
    void aWriteIsToldBeforeBytesThatHadComeAreRead(Failure failure) throws Exception {
        Pair pair = used(Used.BOTH);
        SocketChannel client = pair.client();
        strike(failure, client);
        awaitNoticed(client);
        assertWriteIsTold(client, failure.writeMessage());
        assertWriteWasTold(client);
    }

    @ParameterizedTest
    @EnumSource
    void anOutputThatThisEndHasShut(Failure failure) throws Exception {
        SocketChannel client = used(Used.BOTH).client();
        client.shutdownOutput();
        Task<Integer> read = start(() -> client.read(one())).awaitInside("read");
        strike(failure, client);
        assertThat(read.failure()).hasMessage(failure.readMessage());
        assertThatThrownBy(() -> client.write(one())).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @ParameterizedTest
    @EnumSource
    void anInputThatThisEndHasShut(Failure failure) throws Exception {
        Pair pair = used(Used.BOTH);
        SocketChannel client = pair.client();
        client.shutdownInput();
        ByteBuffer much = ByteBuffer.allocate(64 << 20);
        Task<Integer> write = startedWriting(() -> client.write(much), pair.server());
        strike(failure, client);
        assertThat(write.result()).isEqualTo(much.position()).isPositive();
        assertWriteIsTold(client, failure.writeMessage());
        assertThat(client.read(one())).isEqualTo(-1);
        assertWriteIsTold(client, "Broken pipe");
    }

    @ParameterizedTest
    @CsvSource({
        "KILLED,BOTH,true",
        "KILLED,BOTH,false",
        "KILLED,OUT,true",
        "KILLED,OUT,false",
        "RESET,BOTH,true",
        "RESET,BOTH,false",
        "RESET,OUT,true",
        "RESET,OUT,false"
    })
    void anOutputThatThePeerHasShut(Failure failure, Used directions, boolean isEndRead) throws Exception {
        Pair pair = used(directions);
        SocketChannel client = pair.client();
        pair.server().shutdownOutput();
        awaitNoticed(client);
        if (isEndRead) {
            assertThat(client.read(one())).isEqualTo(-1);
        }
        ByteBuffer much = ByteBuffer.allocate(64 << 20);
        Task<Integer> write = startedWriting(() -> client.write(much), pair.server());
        strike(failure, client);
        assertThat(write.result()).isEqualTo(much.position()).isPositive();
        assertThat(client.read(one())).isEqualTo(-1);
        assertWriteIsTold(client, failure == Failure.RESET ? "Broken pipe" : failure.writeMessage());
        assertWriteIsTold(client, "Broken pipe");
        assertThat(client.read(one())).isEqualTo(-1);
    }

    /** The peer's end has come, and the program has yet to read it: a reader is told of nothing, whoever asks first. */
    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void anEndThatHasComeBeforeTheFailure(Failure failure, Used directions) throws Exception {
        for (boolean writesFirst : new boolean[] {true, false}) {
            Pair pair = used(directions);
            SocketChannel client = pair.client();
            pair.server().shutdownOutput();
            awaitNoticed(client);
            strike(failure, client);
            String told = failure == Failure.RESET ? "Broken pipe" : failure.writeMessage();
            if (writesFirst) {
                assertThat(messageOfRefusal(client)).isEqualTo(told);
            }
            assertThat(client.read(one())).isEqualTo(-1);
            if (!writesFirst) {
                assertThat(messageOfRefusal(client)).isEqualTo(told);
            }
            assertWriteWasTold(client);
        }
    }

    /** Writes until that is refused: a faster path may take bytes for some milliseconds, as if they had come before the failure. */
    private static String messageOfRefusal(SocketChannel channel) {
        AtomicReference<IOException> refusal = new AtomicReference<>();
        eventually().until(() -> {
            try {
                channel.write(one());
            } catch (IOException e) {
                refusal.set(e);
            }
            return refusal.get() != null;
        });
        return refusal.get().getMessage();
    }

    /** Both ends stream as fast as they can, in both directions: each thread meets its end. */
    @ParameterizedTest
    @EnumSource
    void aBusyConnection(Failure failure) throws Exception {
        Pair pair = used(Used.BOTH);
        AtomicLong carried = new AtomicLong();
        Task<Void> there = run(() -> forEver(() -> pair.client().write(ByteBuffer.allocate(SOME))));
        Task<Void> back = run(() -> forEver(() -> pair.server().write(ByteBuffer.allocate(SOME))));
        Task<Void> taken = run(() -> forEver(() -> pair.server().read(ByteBuffer.allocate(SOME))));
        Task<Void> taker = run(() -> forEver(() -> {
            int n = pair.client().read(ByteBuffer.allocate(SOME));
            carried.addAndGet(n);
            return n;
        }));
        eventually().until(() -> carried.get() > 10 * SOME);
        Moment struck = strike(failure, pair.client());
        assertThat(there.failure()).isInstanceOf(IOException.class);
        Failure.assertJust(struck);
        assertThat(back.failure()).isInstanceOf(IOException.class);
        assertThat(taken.failure()).isInstanceOf(IOException.class);
        assertThat(taker.failure()).isInstanceOf(IOException.class);
    }

    private interface Transfer {
        int run() throws IOException;
    }

    private static void forEver(Transfer transfer) throws IOException {
        while (transfer.run() >= 0) {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
        throw new IOException("the end");
    }

    /** After the failure the ends close as they do without it, and the descriptor's number serves another connection. */
    @ParameterizedTest
    @EnumSource
    void connectionsThatComeLater(Failure failure) throws Exception {
        for (int i = 0; i < 5; i++) {
            Pair pair = used(Used.BOTH);
            strike(failure, pair.client());
            awaitNoticed(pair.client());
            pair.client().close();
            pair.server().setOption(StandardSocketOptions.SO_LINGER, 0).close();
        }
        Pair later = used(Used.BOTH);
        carry(later.client(), later.server());
        Task<Integer> read = start(() -> later.client().read(one())).awaitInside("read");
        strike(failure, later.client());
        assertThat(read.failure()).hasMessage(failure.readMessage());
    }
}
