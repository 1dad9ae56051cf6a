// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** All-pairs testing: a failure that takes two settings to show needs no more than each pair of their values once. */
final class Pairwise {
    /** A value of one column beside a value of another. */
    private record Pair(int column, Object value, int otherColumn, Object otherValue) {}

    private Pairwise() {}

    /**
     * Chooses rows, greedily, until each pair of values that stands together in any row stands together in a chosen one.
     *
     * @param rows the combinations of values, each as long as the others
     * @return the chosen ones, the same for the same rows
     */
    static List<Object[]> choose(Collection<Object[]> rows) {
        Set<Pair> missing = new HashSet<>();
        rows.forEach(row -> missing.addAll(pairs(row)));
        List<Object[]> chosen = new ArrayList<>();
        while (!missing.isEmpty()) {
            Object[] best = rows.stream()
                    .max(Comparator.comparingLong(
                            row -> pairs(row).stream().filter(missing::contains).count()))
                    .orElseThrow();
            pairs(best).forEach(missing::remove);
            chosen.add(best);
        }
        return chosen;
    }

    private static List<Pair> pairs(Object[] row) {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < row.length; i++) {
            for (int j = i + 1; j < row.length; j++) {
                pairs.add(new Pair(i, row[i], j, row[j]));
            }
        }
        return pairs;
    }
}
