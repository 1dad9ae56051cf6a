// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each end is told, in which words, when the peer has ended a Unix-domain connection; much of it differs from TCP. */
@Tag("unix")
@Tag("racing")
class UnixEndingsTest extends UnixSupport {
    private static final int TIMES = 3;

    /** Each of three writes is told that nobody reads, even the first after the close: unlike on TCP, none is accepted. */
    private static void assertWritesAreBroken(SocketChannel channel) throws IOException {
        for (int i = 0; i < TIMES; i++) {
            assertThatThrownBy(() -> channel.write(one()))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("Broken pipe");
        }
        assertThat(channel.write(ByteBuffer.allocate(0))).isZero();
    }

    private static void assertReadsAreReset(SocketChannel channel) {
        for (int i = 0; i < TIMES; i++) {
            assertThatThrownBy(() -> channel.read(one()))
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
        }
    }

    private static void assertReadsHaveEnded(SocketChannel channel) throws IOException {
        for (int i = 0; i < TIMES; i++) {
            assertThat(channel.read(one())).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCloseInOrder(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.server(), Bytes.ascii("last"));
        pair.server().close();
        assertWritesAreBroken(pair.client());
        assertThat(Bytes.readAscii(pair.client(), 4)).isEqualTo("last");
        assertReadsHaveEnded(pair.client());
        assertWritesAreBroken(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCloseWithBytesUnreadIsAResetBehindTheBytesSent(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        Bytes.write(pair.server(), Bytes.ascii("last"));
        pair.server().close();
        assertThat(Bytes.readAscii(pair.client(), 2)).isEqualTo("la");
        assertThat(Bytes.readAscii(pair.client(), 2)).isEqualTo("st");
        assertReadsAreReset(pair.client());
        assertWritesAreBroken(pair.client());
        assertReadsAreReset(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriteDoesNotTakeTheResetFromTheReader(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        pair.server().close();
        assertWritesAreBroken(pair.client());
        assertReadsAreReset(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReadWithoutRoomTellsNothingOfAResetThatNoReadHasMet(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        pair.server().close();
        assertThat(pair.client().read(ByteBuffer.allocate(0))).isZero();
        assertReadsAreReset(pair.client());
        assertThatThrownBy(() -> pair.client().read(ByteBuffer.allocate(0))).isExactlyInstanceOf(SocketException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aResetBehindBytesThatWereReadWithOthersLeft(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        assertThat(Bytes.readAscii(pair.server(), 5)).isEqualTo("unrea");
        pair.server().close();
        assertReadsAreReset(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCloseAfterEverythingWasReadIsInOrder(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.client(), Bytes.ascii("read"));
        assertThat(Bytes.readAscii(pair.server(), 4)).isEqualTo("read");
        pair.server().close();
        assertReadsHaveEnded(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerThatShutsItsInputBreaksThePipe(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        pair.server().shutdownInput();
        assertWritesAreBroken(pair.client());
        assertThat(pair.server().read(one())).isEqualTo(-1);
        Bytes.write(pair.server(), Bytes.ascii("still"));
        assertThat(Bytes.readAscii(pair.client(), 5)).isEqualTo("still");
        pair.server().close();
        assertReadsHaveEnded(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerThatShutsItsInputWithBytesUnreadResetsAtItsClose(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        pair.server().shutdownInput();
        assertWritesAreBroken(pair.client());
        assertThat(pair.server().read(one())).isEqualTo(-1);
        pair.server().close();
        assertReadsAreReset(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerThatShutsItsOutputReadsOn(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.server(), Bytes.ascii("last"));
        pair.server().shutdownOutput();
        assertThat(Bytes.readAscii(pair.client(), 4)).isEqualTo("last");
        assertReadsHaveEnded(pair.client());
        Bytes.write(pair.client(), Bytes.ascii("still"));
        assertThat(Bytes.readAscii(pair.server(), 5)).isEqualTo("still");
        assertThatThrownBy(() -> pair.server().write(one())).isInstanceOf(AsynchronousCloseException.class);
        assertThat(pair.server().isOpen()).isTrue();
        pair.client().close();
        assertReadsHaveEnded(pair.server());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothEndsShutTheirOutput(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        pair.client().shutdownOutput();
        pair.server().shutdownOutput();
        assertReadsHaveEnded(pair.client());
        assertReadsHaveEnded(pair.server());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndThatHasShutItsInputIsNotToldOfAReset(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        pair.client().shutdownInput();
        pair.server().close();
        assertReadsHaveEnded(pair.client());
        assertWritesAreBroken(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void selectorsAreToldOfACloseByBothOperations(boolean hasTalked) throws IOException {
        for (boolean resets : new boolean[] {false, true}) {
            Pair pair = unixPair(hasTalked);
            Selector selector = selector();
            SelectionKey key = register(pair.client(), selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            if (resets) {
                Bytes.write(pair.client(), Bytes.ascii("unread"));
            }
            pair.server().close();
            awaitReady(key, SelectionKey.OP_READ);
            awaitReady(key, SelectionKey.OP_WRITE);
            if (resets) {
                assertReadsAreReset(pair.client());
            } else {
                assertReadsHaveEnded(pair.client());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderThatWaitsIsToldOfACloseAndOfAReset(boolean hasTalked) throws Exception {
        Pair orderly = unixPair(hasTalked);
        Task<Integer> reader = start(() -> orderly.client().read(one())).awaitInside("read");
        orderly.server().close();
        assertThat(reader.result()).isEqualTo(-1);

        Pair reset = unixPair(hasTalked);
        Bytes.write(reset.client(), Bytes.ascii("unread"));
        Task<Integer> other = start(() -> reset.client().read(one())).awaitInside("read");
        reset.server().close();
        assertThat(other.failure()).isExactlyInstanceOf(SocketException.class).hasMessage("Connection reset");
    }

    /**
     * One of the two is told of the reset. A writer that was only about to write when the reset came finds a broken pipe, as
     * later writers do.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterThatWaitsTakesTheResetFromTheReader(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        Task<Void> writer = waitingWriter(() -> pair.client().write(one()));
        pair.server().close();
        Throwable told = writer.failure();
        assertThat(told).isExactlyInstanceOf(IOException.class);
        assertThat(told.getMessage()).isIn("Connection reset by peer", "Broken pipe");
        assertWritesAreBroken(pair.client());
        if (told.getMessage().equals("Broken pipe")) {
            assertReadsAreReset(pair.client());
        } else {
            assertReadsHaveEnded(pair.client());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterThatWaitsIsToldOfAShutInput(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        Task<Void> writer = waitingWriter(() -> pair.client().write(one()));
        pair.server().shutdownInput();
        assertThat(writer.failure()).isExactlyInstanceOf(IOException.class).hasMessage("Broken pipe");
    }

    /** The JDK ends its output at once, and the rest waits for the selector. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCloseUnderASelectorEndsAtOnceAndResetsAfterTheNextSelection(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Selector selector = selector();
        SelectionKey key = register(pair.server(), selector, SelectionKey.OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        Bytes.write(pair.server(), Bytes.ascii("last"));
        pair.server().close();
        assertThat(key.isValid()).isFalse();
        assertThat(Bytes.readAscii(pair.client(), 4)).isEqualTo("last");
        assertReadsHaveEnded(pair.client());
        assertThat(pair.client().write(one())).isEqualTo(1);
        assertReadsHaveEnded(pair.client());
        selector.selectNow();
        eventually().untilAsserted(() -> assertReadsAreReset(pair.client()));
        assertWritesAreBroken(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCloseUnderASelectorIsOverWhenThatCloses(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Selector selector = selector();
        SelectionKey key = register(pair.server(), selector, SelectionKey.OP_READ);
        pair.server().close();
        assertThat(key.isValid()).isFalse();
        assertThat(pair.client().write(one())).isEqualTo(1);
        selector.close();
        eventually().untilAsserted(() -> assertReadsAreReset(pair.client()));
        assertWritesAreBroken(pair.client());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCloseUnderASelectorWithoutLingeringSaysNothingBeforeTheNextSelection(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        Selector selector = selector();
        pair.server().setOption(StandardSocketOptions.SO_LINGER, 0);
        SelectionKey key = register(pair.server(), selector, SelectionKey.OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        pair.server().close();
        assertThat(key.isValid()).isFalse();
        pair.client().configureBlocking(false);
        assertThat(pair.client().read(one())).isZero();
        assertThat(pair.client().write(one())).isEqualTo(1);
        selector.selectNow();
        eventually().untilAsserted(() -> assertReadsAreReset(pair.client()));
        assertWritesAreBroken(pair.client());
    }

    @Test
    void manyConnectionsEndInOrderAfterAnEcho() throws IOException {
        var listener = unixListener();
        for (int i = 0; i < times(300); i++) {
            Pair pair = unixPair(listener);
            talk(pair);
            (i % 2 == 0 ? pair.client() : pair.server()).close();
            assertReadsHaveEnded(i % 2 == 0 ? pair.server() : pair.client());
            pair.client().close();
            pair.server().close();
        }
    }
}
