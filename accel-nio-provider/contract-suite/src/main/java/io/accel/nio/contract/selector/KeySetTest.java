// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A selector's two public key sets, and the number that a selection returns. */
@Tag("selector")
class KeySetTest extends ContractSupport {
    private Selector selector;

    @BeforeEach
    void openSelector() throws IOException {
        selector = selector();
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"}) // like a program from before generics
    void nothingIsAddedWhateverItIs() throws IOException {
        Selector selector = selector();
        Set raw = selector.selectedKeys();
        assertThatThrownBy(() -> raw.add(new Object())).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> raw.add(null)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> raw.addAll(List.of(new Object()))).isInstanceOf(UnsupportedOperationException.class);
        assertThat(raw.contains(new Object())).isFalse();
        assertThat(raw.remove(new Object())).isFalse();
    }

    @Test
    void keysIsOneLiveView() throws IOException {
        Set<SelectionKey> keys = selector.keys();
        assertThat(keys).isEmpty();
        SelectionKey key = register(pair().server(), selector, OP_READ);
        assertThat(keys).containsExactly(key);
        assertThat(keys.contains(key)).isTrue();
        assertThat(selector.keys()).isSameAs(keys);
        key.cancel();
        assertThat(keys).as("until the next selection").containsExactly(key);
        selector.selectNow();
        assertThat(keys).isEmpty();
    }

    @Test
    void keysMayNotBeModified() throws IOException {
        SelectionKey key = register(pair().server(), selector, OP_READ);
        Set<SelectionKey> keys = selector.keys();
        assertThatThrownBy(() -> keys.add(key)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> keys.remove(key)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(keys::clear).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> keys.removeAll(Set.of(key))).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> keys.retainAll(Set.of())).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> keys.addAll(List.of(key))).isInstanceOf(UnsupportedOperationException.class);
        Iterator<SelectionKey> iterator = keys.iterator();
        iterator.next();
        assertThatThrownBy(iterator::remove).isInstanceOf(UnsupportedOperationException.class);
        assertThat(keys).containsExactly(key);
    }

    @Test
    void keysMayBeIteratedWhileOthersRegister() throws Exception {
        for (int i = 0; i < 20; i++) {
            register(pair().server(), selector, OP_READ);
        }
        Task<Void> registering = run(() -> {
            for (int i = 0; i < 100; i++) {
                register(pair().server(), selector, OP_READ);
            }
        });
        int least = 20;
        while (!registering.isDone()) {
            int seen = 0;
            for (SelectionKey key : selector.keys()) {
                assertThat(key).isNotNull();
                seen++;
            }
            assertThat(seen).isGreaterThanOrEqualTo(least);
            least = seen;
        }
        registering.result();
        assertThat(selector.keys()).hasSize(120);
    }

    @Test
    void selectedKeysMayBeRemovedButNotAdded() throws IOException {
        SelectionKey first = register(pair().client(), selector, OP_WRITE);
        SelectionKey second = register(pair().client(), selector, OP_WRITE);
        eventually().until(() -> {
            selector.selectNow();
            return selector.selectedKeys().size() == 2;
        });
        Set<SelectionKey> selected = selector.selectedKeys();
        assertThat(selector.selectedKeys()).isSameAs(selected);
        assertThat(selected).containsExactlyInAnyOrder(first, second);
        assertThatThrownBy(() -> selected.add(first)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> selected.addAll(List.of(first))).isInstanceOf(UnsupportedOperationException.class);
        assertThat(selected.remove(first)).isTrue();
        assertThat(selected.remove(first)).isFalse();
        Iterator<SelectionKey> iterator = selected.iterator();
        assertThat(iterator.next()).isSameAs(second);
        iterator.remove();
        assertThat(selected).isEmpty();
        assertThat(selector.keys()).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void selectReturnsHowManyKeysWereUpdated() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ | OP_WRITE);
        awaitReady(key, OP_WRITE);
        assertThat(selector.selectNow()).as("nothing new").isZero();
        assertThat(selector.selectedKeys()).containsExactly(key);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        // On its way the byte is not news, and a select would not wait for it, since OP_WRITE is ready.
        eventually().until(() -> pair.server().socket().getInputStream().available() > 0);
        assertThat(selector.select(LIMIT_MILLIS)).as("OP_READ is new").isEqualTo(1);
        assertThat(selector.selectNow()).as("nothing new").isZero();
        selector.selectedKeys().clear();
        assertThat(selector.selectNow()).as("selected anew").isEqualTo(1);
    }

    @Test
    void readySetGrowsWhileTheKeyStaysSelected() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(key, OP_READ);
        assertThat(key.readyOps()).isEqualTo(OP_READ);
        Bytes.read(pair.server(), 1);
        key.interestOps(OP_WRITE);
        assertThat(selector.select(LIMIT_MILLIS)).as("OP_WRITE is new").isEqualTo(1);
        assertThat(key.readyOps()).as("what was ready stays").isEqualTo(OP_READ | OP_WRITE);
        key.interestOps(OP_READ);
        assertThat(selector.selectNow()).isZero();
        assertThat(key.readyOps()).isEqualTo(OP_READ | OP_WRITE);
    }

    @Test
    void readySetStartsAnewOnceTheKeyIsRemoved() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ | OP_WRITE);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(key, OP_READ);
        Bytes.read(pair.server(), 1);
        selector.selectedKeys().remove(key);
        assertThat(selector.selectNow()).isEqualTo(1);
        assertThat(key.readyOps()).isEqualTo(OP_WRITE);
    }

    @Test
    void readySetOfAKeyThatIsNotReadyIsKeptUntilItIsSelected() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        assertThat(key.readyOps()).isZero();
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(key, OP_READ);
        Bytes.read(pair.server(), 1);
        selector.selectedKeys().clear();
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.selectedKeys()).isEmpty();
    }

    @Test
    void cancelledKeyLeavesBothSetsInTheNextSelection() throws IOException {
        SelectionKey key = register(pair().client(), selector, OP_WRITE);
        awaitReady(key, OP_WRITE);
        key.cancel();
        assertThat(selector.selectedKeys()).containsExactly(key);
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.selectedKeys()).isEmpty();
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void closedChannelsKeyLeavesBothSetsInTheNextSelection() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.client(), selector, OP_WRITE);
        awaitReady(key, OP_WRITE);
        pair.client().close();
        assertThat(key.isValid()).isFalse();
        assertThat(selector.keys()).containsExactly(key);
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.selectedKeys()).isEmpty();
        assertThat(selector.keys()).isEmpty();
        assertThat(pair.client().isRegistered()).isFalse();
    }
}
