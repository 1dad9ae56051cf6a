// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.00",
        "0.0123, 0.012",
        "0.9994, 0.999",
        "0.9996, 1.00",
        "9.99, 9.99",
        "9.996, 10.0",
        "99.94, 99.9",
        "99.96, 100",
        "1234, 1234"
    })
    void microsecondsHaveThreeDigitsThatCount(double value, String text) {
        assertThat(Quantity.micros(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, '0 '",
        "7, '7 '",
        "999, '999 '",
        "999.7, '1.00 k'",
        "154085, '154 k'",
        "999600, '1.00 M'",
        "1.0098e10, '10.1 G'",
        "5e15, '5000 T'"
    })
    void amountsGetAPrefix(double value, String text) {
        assertThat(Quantity.scaled(value)).isEqualTo(text);
    }

    @Test
    void whatThereIsNotIsADash() {
        assertThat(Quantity.micros(Double.NaN)).isEqualTo("-");
        assertThat(Quantity.scaled(Double.NaN)).isEqualTo("-");
        assertThat(Quantity.times(Double.NaN)).isEqualTo("-");
        assertThat(Quantity.times(Double.POSITIVE_INFINITY)).isEqualTo("-");
    }
}
