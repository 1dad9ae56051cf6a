// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.Optional;

/** Finds out from outside whether connections that should have been accelerated were not. */
final class FallBack {
    private FallBack() {}

    /** A sentence about it, with the program's own words, if any of {@code samples} went through the kernel. */
    static Optional<String> seen(Variant variant, List<Sample> samples) {
        if (!variant.mustNotFallBack()) {
            return Optional.empty();
        }
        return samples.stream()
                .filter(Sample::wentByKernel)
                .findFirst()
                .map(sample -> "Accel was on at both ends, yet the bytes went through the kernel"
                        + (sample.said().isEmpty() ? "" : "; the client said:\n" + sample.said()));
    }
}
