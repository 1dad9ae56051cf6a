// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that the user probably meant to write. */
final class NearestName {
    private NearestName() {}

    /** The candidate closest to {@code name}, if one is close enough to be a likely slip; ties go to the first. */
    static Optional<String> of(String name, Collection<String> candidates) {
        String wanted = name.toLowerCase(Locale.ROOT);
        // A third of the letters wrong is still a slip; more is another word.
        int limit = Math.max(1, wanted.length() / 3);
        String best = null;
        int bestDistance = limit + 1;
        for (String candidate : candidates) {
            // Each letter more or less is a change, so most words need not be compared, however long the name is.
            if (Math.abs(candidate.length() - wanted.length()) >= bestDistance) {
                continue;
            }
            int distance = distance(wanted, candidate.toLowerCase(Locale.ROOT));
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        if (best == null && !wanted.isEmpty()) {
            String end = "." + wanted;
            best = candidates.stream()
                    .filter(candidate -> candidate.endsWith(end))
                    .findFirst()
                    .orElse(null);
        }
        return Optional.ofNullable(best);
    }

    /** {@code "; did you mean 'x'?"}, or nothing. */
    static String hint(String name, Collection<String> candidates) {
        return of(name, candidates)
                .map(nearest -> "; did you mean '" + nearest + "'?")
                .orElse("");
    }

    /** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours count one each. */
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                int least = Math.min(cost[i - 1][j - 1] + change, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    least = Math.min(least, cost[i - 2][j - 2] + 1);
                }
                cost[i][j] = least;
            }
        }
        return cost[a.length()][b.length()];
    }
}
