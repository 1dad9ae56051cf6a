// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class RequestIdTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "63, 0", "0, 16777215", "63, 16777215", "17, 4711"})
    void placeAndGenerationAreFoundAgain(int place, int generation) {
        long base = RequestId.base(place, generation);
        for (long id : new long[] {RequestId.receive(base), RequestId.send(base, 0), RequestId.send(base, -1L >>> 1)}) {
            assertThat(RequestId.place(id)).isEqualTo(place);
            assertThat(RequestId.generation(id)).isEqualTo(generation);
        }
        assertThat(RequestId.isReceive(RequestId.receive(base))).isTrue();
        assertThat(RequestId.isReceive(RequestId.send(base, -1L >>> 1))).isFalse();
    }

    /** Requests that are outstanding at a time lie close together, wherever the count is. */
    @ParameterizedTest
    @ValueSource(longs = {0, Integer.MAX_VALUE - 3L, Integer.MAX_VALUE, 1L << 31, (1L << 32) - 1, 1L << 40})
    void numbersAreFoundAgain(long least) {
        long base = RequestId.base(63, 16777215);
        for (long number = least; number < least + 8_192; number++) {
            assertThat(RequestId.number(RequestId.send(base, number), least)).isEqualTo(number);
        }
    }

    @Test
    void generationsGoRound() {
        assertThat(RequestId.nextGeneration(0)).isEqualTo(1);
        assertThat(RequestId.nextGeneration(16777215)).isZero();
    }
}
