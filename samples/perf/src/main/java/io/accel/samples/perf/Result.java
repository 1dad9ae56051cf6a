// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.Optional;

/**
 * The result of a comparison.
 *
 * @param failures the ways to run a case that failed, or did not go as they should have
 */
record Result(List<Row> rows, List<Failure> failures) {
    Result {
        rows = List.copyOf(rows);
        failures = List.copyOf(failures);
    }

    /** The row of a case and a way to run it, if it went that way. */
    Optional<Row> row(BenchCase benchCase, Variant variant) {
        return rows.stream()
                .filter(row -> row.benchCase().equals(benchCase.label)
                        && row.path().equals(variant.path)
                        && (variant.profile == null || row.profile().equals(variant.profile)))
                .findFirst();
    }
}
