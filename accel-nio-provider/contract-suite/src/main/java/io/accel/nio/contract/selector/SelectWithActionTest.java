// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Selections that hand each ready key to an action instead of to the selected-key set. */
@Tag("selector")
class SelectWithActionTest extends ContractSupport {
    enum Form {
        SELECT {
            @Override
            int select(Selector selector, Consumer<SelectionKey> action) throws IOException {
                return selector.select(action);
            }
        },
        SELECT_WITH_TIMEOUT {
            @Override
            int select(Selector selector, Consumer<SelectionKey> action) throws IOException {
                return selector.select(action, LIMIT_MILLIS);
            }
        },
        SELECT_NOW {
            @Override
            int select(Selector selector, Consumer<SelectionKey> action) throws IOException {
                return selector.selectNow(action);
            }
        };

        abstract int select(Selector selector, Consumer<SelectionKey> action) throws IOException;
    }

    private Selector selector;
    private Pair pair;
    private SelectionKey key;

    @BeforeEach
    void readableChannel() throws IOException {
        selector = selector();
        pair = pair();
        key = register(pair.server(), selector, OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(key, OP_READ);
        selector.selectedKeys().clear();
    }

    @ParameterizedTest
    @EnumSource
    void readyKeyIsHandedOver(Form form) throws IOException {
        List<SelectionKey> seen = new ArrayList<>();
        assertThat(form.select(selector, seen::add)).isEqualTo(1);
        assertThat(seen).containsExactly(key);
        assertThat(key.readyOps()).isEqualTo(OP_READ);
        assertThat(selector.selectedKeys()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void selectedKeySetIsNeitherReadNorChanged(Form form) throws IOException {
        assertThat(selector.selectNow()).isEqualTo(1);
        List<SelectionKey> seen = new ArrayList<>();
        assertThat(form.select(selector, seen::add)).isEqualTo(1);
        assertThat(seen).containsExactly(key);
        assertThat(selector.selectedKeys()).containsExactly(key);
    }

    @ParameterizedTest
    @EnumSource
    void readySetIsReplacedNotAddedTo(Form form) throws IOException {
        key.interestOps(OP_READ | OP_WRITE);
        awaitReady(key, OP_WRITE);
        key.interestOps(OP_WRITE);
        assertThat(form.select(selector, ready -> assertThat(ready.readyOps()).isEqualTo(OP_WRITE)))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void everyReadyKeyIsHandedOverOnce(Form form) throws IOException {
        Set<SelectionKey> expected = new HashSet<>(Set.of(key));
        for (int i = 0; i < 20; i++) {
            expected.add(register(pair().client(), selector, OP_WRITE));
        }
        List<SelectionKey> seen = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS);
        while (seen.size() < expected.size() && System.nanoTime() < deadline) {
            seen.clear();
            assertThat(form.select(selector, seen::add)).isEqualTo(seen.size());
        }
        assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @EnumSource
    void exceptionOfTheActionReachesTheCaller(Form form) throws IOException {
        IllegalArgumentException thrown = new IllegalArgumentException("by the action");
        assertThatThrownBy(() -> form.select(selector, ready -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(form.select(selector, ready -> {})).as("still ready").isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void selectingInTheActionIsRefused(Form form) throws IOException {
        assertThat(form.select(selector, ready -> {
                    assertThatThrownBy(selector::selectNow).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(selector::select).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(() -> selector.select(1)).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(() -> form.select(selector, any -> {}))
                            .isInstanceOf(IllegalStateException.class);
                }))
                .isEqualTo(1);
        assertThat(selector.selectNow()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void actionMayCancelItsKey(Form form) throws IOException {
        assertThat(form.select(selector, SelectionKey::cancel)).isEqualTo(1);
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.keys()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void actionMayCloseTheChannel(Form form) throws IOException {
        assertThat(form.select(selector, ready -> {
                    try {
                        ready.channel().close();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }))
                .isEqualTo(1);
        assertThat(key.isValid()).isFalse();
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.keys()).isEmpty();
        assertThat(Bytes.readToEnd(pairClient())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void actionMayChangeTheInterest(Form form) throws IOException {
        assertThat(form.select(selector, ready -> ready.interestOps(0))).isEqualTo(1);
        assertThat(selector.selectNow()).isZero();
        key.interestOps(OP_READ);
        assertThat(form.select(selector, ready -> {})).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void actionMayRegisterAnotherChannel(Form form) throws IOException {
        Pair other = pair().nonBlocking();
        assertThat(form.select(selector, ready -> {
                    try {
                        other.client().register(selector, OP_WRITE);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }))
                .isEqualTo(1);
        awaitReady(other.client().keyFor(selector), OP_WRITE);
    }

    @ParameterizedTest
    @EnumSource
    void actionMayCloseTheSelector(Form form) {
        assertThatThrownBy(() -> form.select(selector, ready -> {
                    try {
                        selector.close();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }))
                .isInstanceOf(ClosedSelectorException.class);
        assertThat(selector.isOpen()).isFalse();
        assertThat(key.isValid()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void nullActionIsRefused(Form form) {
        assertThatThrownBy(() -> form.select(selector, null)).isInstanceOf(NullPointerException.class);
    }

    @ParameterizedTest
    @EnumSource
    void nothingReadyCallsNothing(Form form) throws IOException {
        Bytes.read(pair.server(), 1);
        selector.wakeup();
        assertThat(form.select(selector, ready -> {
                    throw new AssertionError("not ready: " + ready);
                }))
                .isZero();
    }

    private SocketChannel pairClient() throws IOException {
        pair.client().configureBlocking(true);
        return pair.client();
    }
}
