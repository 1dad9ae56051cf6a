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
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A key: its interest, its attachment, and its end. */
@Tag("selector")
class SelectionKeyTest extends ContractSupport {
    private Selector selector;
    private Pair pair;
    private SelectionKey key;

    @BeforeEach
    void registerOneEnd() throws IOException {
        selector = selector();
        pair = pair().nonBlocking();
        key = pair.server().register(selector, OP_READ, "attached");
    }

    @Test
    void knowsItsChannelAndSelector() {
        assertThat(key.channel()).isSameAs(pair.server());
        assertThat(key.selector()).isSameAs(selector);
        assertThat(key.isValid()).isTrue();
        assertThat(key.toString()).isNotEmpty();
    }

    @Test
    void attachmentIsExchanged() {
        assertThat(key.attachment()).isEqualTo("attached");
        assertThat(key.attach("other")).isEqualTo("attached");
        assertThat(key.attachment()).isEqualTo("other");
        assertThat(key.attach(null)).isEqualTo("other");
        assertThat(key.attachment()).isNull();
    }

    @Test
    void interestIsSetAndCombined() {
        assertThat(key.interestOps()).isEqualTo(OP_READ);
        assertThat(key.interestOps(OP_WRITE)).isSameAs(key);
        assertThat(key.interestOps()).isEqualTo(OP_WRITE);
        assertThat(key.interestOpsOr(OP_READ)).as("the old interest").isEqualTo(OP_WRITE);
        assertThat(key.interestOps()).isEqualTo(OP_READ | OP_WRITE);
        assertThat(key.interestOpsAnd(~OP_WRITE)).as("the old interest").isEqualTo(OP_READ | OP_WRITE);
        assertThat(key.interestOps()).isEqualTo(OP_READ);
        assertThat(key.interestOpsAnd(0)).isEqualTo(OP_READ);
        assertThat(key.interestOps()).isZero();
    }

    @Test
    void interestInWhatTheChannelCannotDoIsRefused() throws IOException {
        assertThatThrownBy(() -> key.interestOps(OP_ACCEPT)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> key.interestOpsOr(OP_ACCEPT)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> key.interestOps(1 << 20)).isInstanceOf(IllegalArgumentException.class);
        assertThat(key.interestOps()).isEqualTo(OP_READ);
        SelectionKey accepting = register(listener(), selector, OP_ACCEPT);
        for (int op : new int[] {OP_READ, OP_WRITE, OP_CONNECT}) {
            assertThatThrownBy(() -> accepting.interestOps(op)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void cancelledKeyRefusesEverythingButTheHarmless() throws IOException {
        key.cancel();
        key.cancel();
        assertThat(key.isValid()).isFalse();
        for (int phase = 0; phase < 2; phase++) {
            assertThatThrownBy(key::interestOps).isInstanceOf(CancelledKeyException.class);
            assertThatThrownBy(() -> key.interestOps(OP_READ)).isInstanceOf(CancelledKeyException.class);
            assertThatThrownBy(() -> key.interestOpsOr(OP_READ)).isInstanceOf(CancelledKeyException.class);
            assertThatThrownBy(() -> key.interestOpsAnd(OP_READ)).isInstanceOf(CancelledKeyException.class);
            assertThatThrownBy(key::readyOps).isInstanceOf(CancelledKeyException.class);
            assertThatThrownBy(key::isReadable).isInstanceOf(CancelledKeyException.class);
            assertThatThrownBy(key::isWritable).isInstanceOf(CancelledKeyException.class);
            assertThat(key.attachment()).isEqualTo("attached");
            assertThat(key.channel()).isSameAs(pair.server());
            assertThat(key.selector()).isSameAs(selector);
            assertThat(key.toString()).isNotEmpty();
            selector.selectNow();
        }
    }

    @Test
    void registeringAgainWithACancelledKeyIsRefusedUntilTheNextSelection() throws IOException {
        key.cancel();
        assertThat(pair.server().isRegistered()).isTrue();
        assertThatThrownBy(() -> pair.server().register(selector, OP_READ)).isInstanceOf(CancelledKeyException.class);
        selector.selectNow();
        assertThat(pair.server().isRegistered()).isFalse();
        SelectionKey again = pair.server().register(selector, OP_READ);
        assertThat(again).isNotSameAs(key);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(again, OP_READ);
    }

    @Test
    void interestChangedByAnotherThreadReachesARunningSelect() throws Exception {
        key.interestOps(0);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        Task<Integer> select = start(() -> selector.select(LIMIT_MILLIS)).awaitInside("select");
        key.interestOps(OP_READ);
        selector.wakeup();
        if (select.result() == 0) {
            awaitReady(key, OP_READ);
        }
        assertThat(selector.selectedKeys()).containsExactly(key);
    }

    @Test
    void interestChangedByAnotherThreadDuringSelectIsSeenByTheNext() throws Exception {
        Task<Integer> select = start(() -> selector.select(LIMIT_MILLIS)).awaitInside("select");
        key.interestOpsOr(OP_WRITE);
        selector.wakeup();
        select.result();
        awaitReady(key, OP_WRITE);
    }

    @Test
    void keyCancelledDuringSelectIsGoneWhenItReturns() throws Exception {
        Task<Integer> select = start(selector::select).awaitInside("select");
        key.cancel();
        assertThat(key.isValid()).isFalse();
        Bytes.write(pair.client(), Bytes.ascii("x"));
        selector.wakeup();
        assertThat(select.result()).isZero();
        assertThat(selector.keys()).isEmpty();
        assertThat(pair.server().isRegistered()).isFalse();
    }

    @Test
    void concurrentInterestChangesAreAtomic() throws Exception {
        key.interestOps(0);
        List<Task<Void>> tasks = IntStream.of(OP_READ, OP_WRITE)
                .mapToObj(op -> run(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        assertThat(key.interestOpsOr(op) & op).isZero();
                        assertThat(key.interestOpsAnd(~op) & op).isEqualTo(op);
                    }
                }))
                .toList();
        while (!tasks.get(0).isDone() || !tasks.get(1).isDone()) {
            selector.selectNow();
        }
        for (Task<Void> task : tasks) {
            task.result();
        }
        assertThat(key.interestOps()).isZero();
    }

    @Test
    void keysAreCancelledByManyThreadsAtOnce() throws Exception {
        List<SelectionKey> keys = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            keys.add(register(pair().server(), selector, OP_READ));
        }
        List<Task<Void>> tasks = IntStream.range(0, 4)
                .mapToObj(i -> run(() -> keys.forEach(SelectionKey::cancel)))
                .toList();
        while (tasks.stream().anyMatch(task -> !task.isDone())) {
            selector.selectNow();
        }
        for (Task<Void> task : tasks) {
            task.result();
        }
        selector.selectNow();
        assertThat(selector.keys()).containsExactly(key);
    }
}
