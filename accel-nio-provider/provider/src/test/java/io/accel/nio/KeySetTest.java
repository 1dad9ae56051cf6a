// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.SelectionKey;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class KeySetTest {

    private final KeySet keys = new KeySet();
    private final FakeKey one = new FakeKey(1);
    private final FakeKey two = new FakeKey(2);

    @Test
    void theViewIsLive() {
        Set<SelectionKey> view = keys.view();
        assertThat(view).isEmpty();
        assertThat(keys.add(one)).isTrue();
        assertThat(keys.add(one)).isFalse();
        keys.add(two);
        assertThat(view).containsExactlyInAnyOrder(one, two).isSameAs(keys.view());
        assertThat(keys.remove(one)).isTrue();
        assertThat(keys.remove(one)).isFalse();
        assertThat(view).containsExactly(two);
        assertThat(keys.isEmpty()).isFalse();
    }

    @Test
    void theProgramCannotChangeIt() {
        keys.add(one);
        Set<SelectionKey> view = keys.view();
        assertThatThrownBy(() -> view.add(two)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> view.addAll(Set.of(two))).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> view.remove(one)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> view.removeAll(Set.of(one))).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> view.retainAll(Set.of())).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> view.removeIf(key -> true)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(view::clear).isInstanceOf(UnsupportedOperationException.class);
        Iterator<SelectionKey> i = view.iterator();
        i.next();
        assertThatThrownBy(i::remove).isInstanceOf(UnsupportedOperationException.class);
        assertThat(view).containsExactly(one);
    }

    @Test
    void theSelectorRemovesWhileItIterates() {
        keys.add(one);
        keys.add(two);
        for (Iterator<IndexedKey> i = keys.iterator(); i.hasNext(); ) {
            i.next();
            i.remove();
        }
        assertThat(keys.isEmpty()).isTrue();
    }

    @Test
    void iteratingNeverFailsWhileOthersRegister() throws Exception {
        keys.add(one);
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Void> registering = CompletableFuture.runAsync(() -> {
            for (int i = 0; !stop.get(); i++) {
                FakeKey key = new FakeKey(i);
                keys.add(key);
                keys.remove(key);
            }
        });
        for (int i = 0; i < 20_000; i++) {
            boolean seen = false;
            for (SelectionKey key : keys.view()) {
                seen |= key == one;
            }
            assertThat(seen).isTrue();
        }
        assertThat(registering).isNotDone();
        stop.set(true);
        registering.get();
    }
}
