// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

/** One round of fractions of a second, without a drop-in jar. */
final class ShortComparison {
    private ShortComparison() {}

    static JvmCommand withoutAccel() {
        return new JvmCommand(Path.of("no-such.jar").toAbsolutePath(), Place.here(Cores.ANY), List.of());
    }

    static Result of(BenchCase... cases) throws InterruptedException {
        EnumSet<BenchCase> set = EnumSet.noneOf(BenchCase.class);
        set.addAll(List.of(cases));
        return new Comparison(
                        withoutAccel(), Budget.unlimited(Duration.ofMillis(300)), Duration.ofMillis(400), 1, System.err)
                .run(set);
    }
}
