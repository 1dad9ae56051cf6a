// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The length of a selection's wait, and all events that end it. */
@Tag("selector")
class SelectTest extends ContractSupport {
    private Selector selector;

    @BeforeEach
    void openSelector() throws IOException {
        selector = selector();
    }

    @Test
    void selectNowDoesNotWait() throws IOException {
        register(pair().server(), selector, OP_READ);
        long start = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            assertThat(selector.selectNow()).isZero();
        }
        assertThat(millisSince(start)).isLessThan(LIMIT_MILLIS);
    }

    @ParameterizedTest(name = "{0} ms")
    @ValueSource(longs = {1, 10, 100, 300})
    void timeoutIsRespected(long timeout) throws IOException {
        register(pair().server(), selector, OP_READ);
        long start = System.nanoTime();
        assertThat(selector.select(timeout)).isZero();
        long elapsed = System.nanoTime() - start;
        assertThat(elapsed).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(timeout));
        assertThat(TimeUnit.NANOSECONDS.toMillis(elapsed)).isLessThan(timeout + LIMIT_MILLIS);
    }

    @Test
    void timeoutIsRespectedWithNoChannels() throws IOException {
        long start = System.nanoTime();
        assertThat(selector.select(50)).isZero();
        assertThat(millisSince(start)).isGreaterThanOrEqualTo(50);
    }

    @Test
    void negativeTimeoutIsRefused() {
        assertThatThrownBy(() -> selector.select(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> selector.select(key -> {}, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void zeroTimeoutWaitsForever() throws Exception {
        Task<Integer> select = start(() -> selector.select(0)).awaitInside("select");
        assertThat(select.isDone()).isFalse();
        selector.wakeup();
        assertThat(select.result()).isZero();
    }

    @ParameterizedTest(name = "timeout {0}")
    @ValueSource(longs = {0, 60_000})
    void readinessEndsTheWait(long timeout) throws Exception {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        Task<Integer> select = start(() -> selector.select(timeout)).awaitInside("select");
        Bytes.write(pair.client(), Bytes.ascii("x"));
        assertThat(select.result()).isEqualTo(1);
        assertThat(selector.selectedKeys()).containsExactly(key);
    }

    @Test
    void wakeupEndsTheWait() throws Exception {
        register(pair().server(), selector, OP_READ);
        Task<Integer> select = start(selector::select).awaitInside("select");
        assertThat(selector.wakeup()).isSameAs(selector);
        assertThat(select.result()).isZero();
    }

    @Test
    void wakeupBeforehandEndsTheNextSelectOnly() throws IOException {
        selector.wakeup();
        selector.wakeup();
        assertThat(selector.select()).isZero();
        long start = System.nanoTime();
        assertThat(selector.select(50)).isZero();
        assertThat(millisSince(start)).isGreaterThanOrEqualTo(50);
    }

    @Test
    void selectNowTakesAWakeupAway() throws IOException {
        selector.wakeup();
        assertThat(selector.selectNow()).isZero();
        long start = System.nanoTime();
        assertThat(selector.select(50)).isZero();
        assertThat(millisSince(start)).isGreaterThanOrEqualTo(50);
    }

    @Test
    void wakeupDoesNotHideWhatIsReady() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(key, OP_READ);
        selector.selectedKeys().clear();
        selector.wakeup();
        assertThat(selector.select()).isEqualTo(1);
    }

    @Test
    void everyWakeupOfManyIsSeen() throws Exception {
        Task<Integer> loop = start(() -> {
            int turns = 0;
            while (turns < 2000) {
                selector.select();
                turns++;
            }
            return turns;
        });
        while (!loop.isDone()) {
            selector.wakeup();
        }
        assertThat(loop.result()).isEqualTo(2000);
    }

    @Test
    void interruptEndsTheWaitAndKeepsTheSelectorOpen() throws Exception {
        register(pair().server(), selector, OP_READ);
        Task<Boolean> select = start(() -> {
            assertThat(selector.select()).isZero();
            return Thread.currentThread().isInterrupted();
        });
        select.awaitInside("select").interrupt();
        assertThat(select.result()).as("interrupted status").isTrue();
        assertThat(selector.isOpen()).isTrue();
        assertThat(selector.selectNow()).isZero();
    }

    @Test
    void interruptBeforehandEndsTheWait() throws Exception {
        Task<Boolean> select = start(() -> {
            Thread.currentThread().interrupt();
            selector.select();
            selector.select(60_000);
            return Thread.currentThread().isInterrupted();
        });
        assertThat(select.result()).as("interrupted status").isTrue();
        assertThat(selector.isOpen()).isTrue();
    }

    @Test
    void closeEndsTheWait() throws Exception {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        Task<Integer> select = start(selector::select).awaitInside("select");
        selector.close();
        assertThat(select.result()).as("as if woken up").isZero();
        assertThatThrownBy(selector::select).isInstanceOf(ClosedSelectorException.class);
        assertThat(key.isValid()).isFalse();
        assertThat(pair.server().isOpen()).isTrue();
    }

    @Test
    void closedSelectorRefusesEverythingButTheHarmless() throws IOException {
        Set<SelectionKey> keys = selector.keys();
        assertThat(keys).isEmpty();
        selector.close();
        selector.close();
        assertThat(selector.isOpen()).isFalse();
        assertThat(selector.wakeup()).isSameAs(selector);
        assertThat(selector.provider()).isNotNull();
        assertThatThrownBy(selector::select).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(() -> selector.select(1)).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(selector::selectNow).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(() -> selector.select(key -> {})).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(() -> selector.select(key -> {}, 1)).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(() -> selector.selectNow(key -> {})).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(selector::keys).isInstanceOf(ClosedSelectorException.class);
        assertThatThrownBy(selector::selectedKeys).isInstanceOf(ClosedSelectorException.class);
        var channel = pair().nonBlocking().client();
        assertThatThrownBy(() -> channel.register(selector, OP_READ)).isInstanceOf(ClosedSelectorException.class);
    }

    @Test
    void closeInvalidatesTheKeysAndFreesTheChannels() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        assertThat(pair.server().isRegistered()).isTrue();
        selector.close();
        assertThat(key.isValid()).isFalse();
        assertThat(pair.server().isRegistered()).isFalse();
        assertThat(pair.server().keyFor(selector)).isNull();
        pair.server().configureBlocking(true);
        Bytes.write(pair.client(), Bytes.ascii("still usable"));
        assertThat(Bytes.readAscii(pair.server(), 12)).isEqualTo("still usable");
    }

    @Test
    void eachOfManyArrivalsIsSeen() throws Exception {
        Pair pair = pair();
        int rounds = 3000;
        SelectionKey key = register(pair.server(), selector, OP_READ);
        Task<Void> echo = run(() -> {
            for (int i = 0; i < rounds; i++) {
                awaitReady(key, OP_READ);
                Bytes.write(pair.server(), Bytes.read(pair.server(), 1));
            }
        });
        for (int i = 0; i < rounds; i++) {
            Bytes.write(pair.client(), new byte[] {(byte) i});
            assertThat(Bytes.read(pair.client(), 1)[0]).isEqualTo((byte) i);
        }
        echo.result();
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
