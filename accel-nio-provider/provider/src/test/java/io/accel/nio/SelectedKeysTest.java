// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SelectedKeysTest {

    private final SelectedKeys set = new SelectedKeys();
    private final List<FakeKey> keys =
            IntStream.range(0, 40).mapToObj(FakeKey::new).toList();

    private void select(int from, int to) {
        keys.subList(from, to).forEach(set::addKey);
    }

    @Test
    void theProgramCannotAdd() {
        assertThatThrownBy(() -> set.add(keys.get(0))).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> set.addAll(Set.of())).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> set.addAll(keys)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(set).isEmpty();
    }

    @Test
    void aKeyIsAddedOnce() {
        assertThat(set.addKey(keys.get(0))).isTrue();
        assertThat(set.addKey(keys.get(0))).isFalse();
        assertThat(set).hasSize(1);
    }

    @Test
    void keysComeInTheOrderOfTheirReadiness() {
        select(0, 40);
        List<SelectionKey> seen = new ArrayList<>();
        for (Iterator<SelectionKey> i = set.iterator(); i.hasNext(); ) {
            seen.add(i.next());
            i.remove();
        }
        assertThat(seen).containsExactlyElementsOf(keys);
        assertThat(set).isEmpty();
    }

    @Test
    void containsAndRemoveTakeAnything() {
        select(0, 2);
        assertThat(set.contains(null)).isFalse();
        Object noKey = "key 0";
        assertThat(set.contains(noKey)).isFalse();
        assertThat(set.contains(keys.get(2))).isFalse();
        assertThat(set.remove(null)).isFalse();
        assertThat(set.remove(keys.get(2))).isFalse();
        assertThat(set.remove(keys.get(1))).isTrue();
        assertThat(set.remove(keys.get(1))).isFalse();
        assertThat(set).containsExactly(keys.get(0));
    }

    @Test
    void aKeyOfAnotherSetIsNotContained() {
        SelectedKeys other = new SelectedKeys();
        keys.forEach(other::addKey);
        set.addKey(new FakeKey(-1));
        assertThat(keys.stream().anyMatch(set::contains)).isFalse();
        assertThat(keys.stream().anyMatch(set::remove)).isFalse();
        assertThat(set.removeAll(other)).isFalse();
        assertThat(set).hasSize(1);
    }

    @Test
    void removingWithinAnIterationMissesNoKey() {
        for (int removed = 0; removed < 5; removed++) {
            set.clear();
            select(0, 5);
            List<SelectionKey> seen = new ArrayList<>();
            for (Iterator<SelectionKey> i = set.iterator(); i.hasNext(); ) {
                SelectionKey key = i.next();
                seen.add(key);
                if (key == keys.get(removed)) {
                    i.remove();
                }
            }
            assertThat(seen).containsExactlyInAnyOrderElementsOf(keys.subList(0, 5));
            assertThat(set).hasSize(4).doesNotContain(keys.get(removed));
        }
    }

    @Test
    void iteratorsKeepTheirContract() {
        select(0, 2);
        Iterator<SelectionKey> i = set.iterator();
        assertThatThrownBy(i::remove).isInstanceOf(IllegalStateException.class);
        i.next();
        i.remove();
        assertThatThrownBy(i::remove).isInstanceOf(IllegalStateException.class);
        i.next();
        assertThatThrownBy(i::next).isInstanceOf(NoSuchElementException.class);
        i.remove();
        assertThat(i.hasNext()).isFalse();
        assertThatThrownBy(i::next).isInstanceOf(NoSuchElementException.class);
        assertThat(set.iterator().hasNext()).isFalse();
    }

    @Test
    void iterationsFailFast() {
        select(0, 4);
        Iterator<SelectionKey> i = set.iterator();
        i.next();
        set.remove(keys.get(2));
        assertThatThrownBy(i::next).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(i::remove).isInstanceOf(ConcurrentModificationException.class);
        Iterator<SelectionKey> j = set.iterator();
        set.addKey(keys.get(5));
        assertThatThrownBy(j::next).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(() -> set.forEach(set::remove)).isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    void aPartlyDrainedSetGrowsAndShifts() {
        int live = 10;
        select(0, live);
        for (int n = 0; n < 1_000; n++) {
            FakeKey oldest = keys.get(n % keys.size());
            assertThat(set.iterator().next()).isSameAs(oldest);
            assertThat(set.remove(oldest)).isTrue();
            FakeKey next = keys.get((n + live) % keys.size());
            assertThat(set.addKey(next)).isTrue();
            assertThat(set).hasSize(live).contains(next).doesNotContain(oldest);
        }
    }

    @Test
    void equalsAndHashCodeAreThoseOfASet() {
        select(0, 5);
        Set<SelectionKey> same = new HashSet<>(keys.subList(0, 5));
        assertThat(set).isEqualTo(same).hasSameHashCodeAs(same);
        assertThat(same).isEqualTo(set);
        same.remove(keys.get(0));
        assertThat(set).isNotEqualTo(same);
    }
}
