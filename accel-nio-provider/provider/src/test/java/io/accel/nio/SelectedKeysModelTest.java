// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Does the same random things to {@link SelectedKeys} and to a {@link HashSet}, which must stay equal. */
class SelectedKeysModelTest {

    private static final int STEPS = 2_000;

    private final SelectedKeys set = new SelectedKeys();
    private final Set<SelectionKey> model = new HashSet<>();

    static LongStream seeds() {
        return LongStream.range(0, 50);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void behavesLikeAHashSet(long seed) {
        Random random = new Random(seed);
        List<FakeKey> keys = IntStream.range(0, 1 + random.nextInt(100))
                .mapToObj(FakeKey::new)
                .toList();
        for (int step = 0; step < STEPS; step++) {
            FakeKey key = keys.get(random.nextInt(keys.size()));
            int action = random.nextInt(100);
            if (action < 50) {
                assertThat(set.addKey(key)).isEqualTo(model.add(key));
            } else if (action < 70) {
                assertThat(set.remove(key)).isEqualTo(model.remove(key));
            } else if (action < 90) {
                removeWhileIterating(random);
            } else {
                changeInBulk(keys, random);
            }
            assertThat(set.contains(key)).isEqualTo(model.contains(key));
            assertSame();
        }
    }

    /** Each key must be seen exactly once, and be removed exactly if it had to be. */
    private void removeWhileIterating(Random random) {
        int percent = random.nextInt(101);
        int stopAfter = random.nextInt(2 * model.size() + 1);
        List<SelectionKey> seen = new ArrayList<>();
        Iterator<SelectionKey> i = set.iterator();
        while (i.hasNext() && seen.size() < stopAfter) {
            SelectionKey key = i.next();
            assertThat(model).contains(key);
            seen.add(key);
            if (random.nextInt(100) < percent) {
                i.remove();
                assertThat(set.contains(key)).isFalse();
            }
        }
        assertThat(seen).doesNotHaveDuplicates();
        if (stopAfter >= model.size()) {
            assertThat(seen).containsExactlyInAnyOrderElementsOf(model);
        }
        model.removeIf(key -> !set.contains(key));
    }

    private void changeInBulk(List<FakeKey> keys, Random random) {
        Collection<SelectionKey> some = new ArrayList<>();
        keys.stream().filter(key -> random.nextInt(4) > 0).forEach(some::add);
        switch (random.nextInt(6)) {
            case 0 -> assertThat(set.retainAll(some)).isEqualTo(model.retainAll(some));
            case 1 ->
                assertThat(set.removeAll(some.stream().limit(3).toList()))
                        .isEqualTo(model.removeAll(some.stream().limit(3).toList()));
            case 2 ->
                assertThat(set.removeIf(key -> !some.contains(key)))
                        .isEqualTo(model.removeIf(key -> !some.contains(key)));
            case 3 -> assertThat(set.containsAll(some)).isEqualTo(model.containsAll(some));
            case 4 ->
                some.forEach(key -> assertThat(set.addKey((IndexedKey) key)).isEqualTo(model.add(key)));
            default -> {
                set.clear();
                model.clear();
            }
        }
    }

    private void assertSame() {
        assertThat(set.size()).isEqualTo(model.size());
        assertThat(set.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(set.equals(model)).isTrue();
        Set<SelectionKey> visited = new HashSet<>();
        set.forEach(key -> assertThat(visited.add(key)).isTrue());
        assertThat(visited.equals(model)).isTrue();
        assertThat(new HashSet<>(Arrays.asList(set.toArray())).equals(model)).isTrue();
    }
}
