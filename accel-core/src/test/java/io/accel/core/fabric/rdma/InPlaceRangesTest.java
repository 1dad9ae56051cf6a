// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which bytes of the stream lie in place, and when their owners are told. */
class InPlaceRangesTest {
    private final InPlaceRanges ranges = new InPlaceRanges();
    private final List<Object> done = new ArrayList<>();

    @Test
    void splitsTheStreamAtItsRanges() {
        assertThat(ranges.covers(0)).isFalse();
        assertThat(ranges.limit(0, 500)).isEqualTo(500);
        assertThat(ranges.add(100, 200, 1000, 7, "a", done::add)).isTrue();
        assertThat(ranges.add(200, 300, 5000, 8, "b", done::add)).isTrue();
        assertThat(ranges.covers(0)).isFalse();
        assertThat(ranges.limit(0, 500)).isEqualTo(100);

        ranges.posted(100);
        assertThat(ranges.covers(100)).isTrue();
        assertThat(ranges.limit(100, 500)).isEqualTo(200);
        assertThat(ranges.limit(100, 150)).isEqualTo(150);
        assertThat(ranges.address(100)).isEqualTo(1000);
        assertThat(ranges.key()).isEqualTo(7);
        assertThat(ranges.endsAt(150)).isFalse();

        ranges.posted(150);
        assertThat(ranges.address(150)).isEqualTo(1050);
        assertThat(ranges.endsAt(200)).isTrue();
        ranges.posted(200);
        assertThat(ranges.address(200)).isEqualTo(5000);
        assertThat(ranges.key()).isEqualTo(8);
        ranges.posted(300);
        assertThat(ranges.covers(300)).isFalse();
        assertThat(ranges.limit(300, 500)).isEqualTo(500);
    }

    @Test
    void tellsOwnersOnceAndNotBeforeTheEndOfTheirRange() {
        ranges.add(0, 100, 1000, 7, "a", done::add);
        ranges.add(100, 200, 2000, 7, "b", done::add);
        ranges.posted(150);
        ranges.completed(99);
        assertThat(done).isEmpty();
        ranges.completed(150);
        assertThat(done).containsExactly("a");
        ranges.releaseAll();
        assertThat(done).containsExactly("a", "b");
        ranges.releaseAll();
        assertThat(done).containsExactly("a", "b");
    }

    @Test
    void takesAsManyAsAreDone() {
        long cursor = 0;
        while (ranges.add(cursor, cursor + 10, cursor, 1, cursor, done::add)) {
            cursor += 10;
        }
        assertThat(cursor).isGreaterThan(100);
        for (int i = 0; i < 1000; i++) {
            ranges.posted((i + 1) * 10L);
            ranges.completed((i + 1) * 10L);
            assertThat(ranges.add(cursor, cursor + 10, cursor, 1, cursor, done::add))
                    .isTrue();
            cursor += 10;
        }
        assertThat(done).hasSize(1000).startsWith(0L, 10L, 20L);
    }
}
