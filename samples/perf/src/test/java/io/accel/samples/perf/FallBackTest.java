// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FallBackTest {
    private static final Sample BY_MEMORY = new Sample(Figures.unknown(), 0.01, "");
    private static final Sample BY_KERNEL = new Sample(Figures.unknown(), 0.99, "no peer: VERSION_MISMATCH");
    private static final Sample UNKNOWN = new Sample(Figures.unknown(), Double.NaN, "");

    @Test
    void oneRoundByTheKernelIsEnoughAndItsReasonIsShown() {
        assertThat(FallBack.seen(Variant.ACCELERATED, List.of(BY_MEMORY, BY_KERNEL)))
                .hasValueSatisfying(said -> assertThat(said).contains("through the kernel", "VERSION_MISMATCH"));
    }

    @Test
    void bytesThatTheKernelDidNotSeeWereAccelerated() {
        assertThat(FallBack.seen(Variant.ACCELERATED, List.of(BY_MEMORY))).isEmpty();
    }

    @Test
    void nothingIsClaimedWhereTheSystemDoesNotTell() {
        assertThat(FallBack.seen(Variant.ACCELERATED, List.of(UNKNOWN))).isEmpty();
    }

    @Test
    void whereTheKernelIsMeantItIsNoFallBack() {
        assertThat(FallBack.seen(Variant.ONE_END, List.of(BY_KERNEL))).isEmpty();
        assertThat(FallBack.seen(Variant.CHOICE, List.of(BY_KERNEL))).isEmpty();
        assertThat(FallBack.seen(Variant.KERNEL, List.of(BY_KERNEL))).isEmpty();
    }
}
