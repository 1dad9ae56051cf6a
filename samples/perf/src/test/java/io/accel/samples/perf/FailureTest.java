// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureTest {
    @Test
    void whatFailedIsNamedOnce() {
        Failure failure = Failure.of(
                BenchCase.FOUR_BY_FOUR,
                Variant.BALANCED,
                "crowded-4x4 over shm balanced: the client ended (exit status 3)");
        assertThat(failure.reason()).isEqualTo("the client ended (exit status 3)");
        assertThat(failure).hasToString("crowded-4x4 over shm balanced: the client ended (exit status 3)");
    }

    @Test
    void aReasonWithoutTheNameStaysAsItIs() {
        assertThat(Failure.of(BenchCase.PINGPONG, Variant.ACCELERATED, "there is no jar"))
                .hasToString("pingpong-64 over shm: there is no jar");
    }
}
