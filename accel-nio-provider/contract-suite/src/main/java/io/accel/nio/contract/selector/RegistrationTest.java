// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.SelectorProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Registering channels, in one selector and in several. */
@Tag("selector")
class RegistrationTest extends ContractSupport {
    private Selector selector;

    @BeforeEach
    void openSelector() throws IOException {
        selector = selector();
    }

    /** A selectable channel that no provider has made. */
    private static final class Foreign extends AbstractSelectableChannel {
        Foreign() {
            super(SelectorProvider.provider());
        }

        @Override
        protected void implCloseSelectableChannel() {}

        @Override
        protected void implConfigureBlocking(boolean block) {}

        @Override
        public int validOps() {
            return OP_READ;
        }
    }

    @Test
    void registeringMakesAKey() throws IOException {
        Pair pair = pair().nonBlocking();
        assertThat(pair.client().isRegistered()).isFalse();
        assertThat(pair.client().keyFor(selector)).isNull();
        SelectionKey key = pair.client().register(selector, OP_READ, this);
        assertThat(pair.client().isRegistered()).isTrue();
        assertThat(pair.client().keyFor(selector)).isSameAs(key);
        assertThat(key.attachment()).isSameAs(this);
        assertThat(key.interestOps()).isEqualTo(OP_READ);
        assertThat(key.readyOps()).isZero();
    }

    @Test
    void registeringAgainChangesInterestAndAttachment() throws IOException {
        Pair pair = pair().nonBlocking();
        SelectionKey key = pair.client().register(selector, OP_READ, "first");
        assertThat(pair.client().register(selector, OP_WRITE, "second")).isSameAs(key);
        assertThat(key.interestOps()).isEqualTo(OP_WRITE);
        assertThat(key.attachment()).isEqualTo("second");
        assertThat(pair.client().register(selector, 0)).isSameAs(key);
        assertThat(key.attachment()).isNull();
        assertThat(selector.keys()).hasSize(1);
    }

    @Test
    void channelInBlockingModeIsRefused() throws IOException {
        Pair pair = pair();
        assertThatThrownBy(() -> pair.client().register(selector, OP_READ))
                .isInstanceOf(IllegalBlockingModeException.class);
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void registeredChannelDoesNotBecomeBlocking() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.client(), selector, OP_READ);
        assertThatThrownBy(() -> pair.client().configureBlocking(true))
                .isInstanceOf(IllegalBlockingModeException.class);
        assertThat(pair.client().isBlocking()).isFalse();
        pair.client().configureBlocking(false);
        key.cancel();
        pair.client().configureBlocking(true);
        assertThat(pair.client().isBlocking()).as("once its key is cancelled").isTrue();
    }

    @Test
    void operationsThatTheChannelDoesNotHaveAreRefused() throws IOException {
        Pair pair = pair().nonBlocking();
        assertThatThrownBy(() -> pair.client().register(selector, OP_ACCEPT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.client().register(selector, -1)).isInstanceOf(IllegalArgumentException.class);
        var listener = listener();
        listener.configureBlocking(false);
        for (int ops : new int[] {OP_READ, OP_WRITE, OP_CONNECT}) {
            assertThatThrownBy(() -> listener.register(selector, ops)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void closedChannelIsRefused() throws IOException {
        Pair pair = pair().nonBlocking();
        pair.client().close();
        assertThatThrownBy(() -> pair.client().register(selector, OP_READ)).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void foreignChannelIsRefused() throws IOException {
        Foreign foreign = closing(new Foreign());
        foreign.configureBlocking(false);
        assertThatThrownBy(() -> foreign.register(selector, OP_READ)).isInstanceOf(IllegalSelectorException.class);
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void unconnectedChannelMayBeRegistered() throws IOException {
        var channel = nonBlockingChannel();
        SelectionKey key = channel.register(selector, 0);
        selector.selectNow();
        assertThat(key.isValid()).isTrue();
        var listener = listener();
        if (!channel.connect(destination(listener))) {
            key.interestOps(OP_CONNECT);
            awaitReady(key, OP_CONNECT);
            assertThat(channel.finishConnect()).isTrue();
        }
        key.interestOps(OP_WRITE);
        awaitReady(key, OP_WRITE);
    }

    @Test
    void registeringDoesNotWaitForTheThreadThatSelects() throws Exception {
        Pair pair = pair().nonBlocking();
        Bytes.write(pair.client(), Bytes.ascii("x"));
        Task<Integer> select = start(selector::select).awaitInside("select");
        Task<SelectionKey> registering = start(() -> pair.server().register(selector, OP_READ));
        SelectionKey key = registering.result();
        assertThat(key.isValid()).isTrue();
        assertThat(selector.keys()).containsExactly(key);
        selector.wakeup();
        select.result();
        awaitReady(key, OP_READ);
    }

    @Test
    void oneChannelInTwoSelectors() throws IOException {
        Selector other = selector();
        Pair pair = pair().nonBlocking();
        SelectionKey first = pair.server().register(selector, OP_READ);
        SelectionKey second = pair.server().register(other, OP_READ | OP_WRITE);
        assertThat(first).isNotSameAs(second);
        assertThat(pair.server().keyFor(other)).isSameAs(second);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(first, OP_READ);
        awaitReady(second, OP_READ);
        assertThat(first.readyOps()).isEqualTo(OP_READ);
        assertThat(second.readyOps()).isEqualTo(OP_READ | OP_WRITE);
        first.cancel();
        selector.selectNow();
        assertThat(pair.server().isRegistered()).isTrue();
        assertThat(second.isValid()).isTrue();
        awaitReady(second, OP_READ);
        pair.server().close();
        assertThat(second.isValid()).isFalse();
        other.selectNow();
        assertThat(pair.server().isRegistered()).isFalse();
    }

    /** For reading in one selector and for writing in another, as some programs do with two threads. */
    @Test
    void onePerDirection() throws Exception {
        Selector writing = selector();
        Pair pair = pair().nonBlocking();
        SelectionKey readKey = pair.server().register(selector, OP_READ);
        SelectionKey writeKey = pair.server().register(writing, OP_WRITE);
        byte[] request = Bytes.random(1, 500_000);
        byte[] answer = Bytes.random(2, 500_000);
        pair.client().configureBlocking(true);
        Task<Void> reader = run(() -> Bytes.assertSame(readSelecting(readKey, request.length), request));
        Task<Void> writer = run(() -> {
            var source = ByteBuffer.wrap(answer);
            while (source.hasRemaining()) {
                awaitReady(writeKey, OP_WRITE);
                pair.server().write(source);
            }
        });
        Task<Void> sender = run(() -> Bytes.write(pair.client(), request));
        Bytes.assertSame(Bytes.read(pair.client(), answer.length), answer);
        sender.result();
        reader.result();
        writer.result();
    }

    @Test
    void channelMovesFromSelectorToSelectorUnderTraffic() throws Exception {
        Selector[] selectors = {selector, selector(), selector()};
        Pair pair = pair();
        byte[] expected = Bytes.random(3, 1_000_000);
        Task<Void> sender = run(() -> {
            Bytes.write(pair.client(), expected);
            pair.client().shutdownOutput();
        });
        pair.server().configureBlocking(false);
        byte[] received = new byte[expected.length];
        int at = 0;
        for (int turn = 0; at < received.length; turn++) {
            Selector current = selectors[turn % selectors.length];
            SelectionKey key = pair.server().register(current, OP_READ);
            awaitReady(key, OP_READ);
            at += pair.server().read(ByteBuffer.wrap(received, at, Math.min(3000, received.length - at)));
            key.cancel();
            current.selectNow();
        }
        sender.result();
        Bytes.assertSame(received, expected);
        assertThat(pair.server().isRegistered()).isFalse();
    }

    @Test
    void closedAndReopenedChannelsNeverShareAKey() throws IOException {
        for (int i = 0; i < 100; i++) {
            Pair pair = pair();
            SelectionKey key = register(pair.server(), selector, OP_READ);
            Bytes.write(pair.client(), Bytes.ascii("x"));
            awaitReady(key, OP_READ);
            pair.server().close();
            pair.client().close();
        }
        selector.selectNow();
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void pipeEndsHaveTheirOwnOperations() throws IOException {
        Pipe pipe = Pipe.open();
        closing(pipe.source()).configureBlocking(false);
        closing(pipe.sink()).configureBlocking(false);
        assertThatThrownBy(() -> pipe.source().register(selector, OP_WRITE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pipe.sink().register(selector, OP_READ)).isInstanceOf(IllegalArgumentException.class);
    }

    private static byte[] readSelecting(SelectionKey key, int length) throws IOException {
        var channel = (SocketChannel) key.channel();
        var buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            awaitReady(key, OP_READ);
            assertThat(channel.read(buffer)).isNotNegative();
        }
        return buffer.array();
    }
}
