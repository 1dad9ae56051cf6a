// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairwiseTest {
    @Test
    void everyPairOfValuesIsChosenInFewRows() {
        List<Object[]> all = new ArrayList<>();
        for (int bits = 0; bits < 64; bits++) {
            for (String word : List.of("a", "b", "c")) {
                all.add(new Object[] {word, bits & 1, bits & 2, bits & 4, bits & 8, bits & 16, bits & 32});
            }
        }
        List<Object[]> chosen = Pairwise.choose(all);
        for (Object[] row : all) {
            for (int i = 0; i < row.length; i++) {
                for (int j = 0; j < row.length; j++) {
                    int one = i;
                    int other = j;
                    assertThat(chosen).anyMatch(c -> c[one].equals(row[one]) && c[other].equals(row[other]));
                }
            }
        }
        assertThat(chosen.size()).isLessThan(20);
    }

    @Test
    void aCombinationThatDoesNotOccurIsNotAskedFor() {
        List<Object[]> two = List.of(new Object[] {1, 1}, new Object[] {2, 2});
        assertThat(Pairwise.choose(two)).containsExactlyInAnyOrderElementsOf(two);
    }
}
