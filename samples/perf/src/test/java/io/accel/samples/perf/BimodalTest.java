// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BimodalTest {
    private static final double NONE = Double.NaN;

    private static Figures roundTrips(double micros) {
        return new Figures(micros, 2 * micros, 3 * micros, 1e6 / micros, 64e6 / micros, 0, 7);
    }

    private static Figures idle(double cpu) {
        return new Figures(NONE, NONE, NONE, 0, 0, NONE, cpu);
    }

    @Test
    void roundsThatAreAlikeAreAveraged() {
        List<Figures> rounds = List.of(roundTrips(10), roundTrips(12), roundTrips(19));
        assertThat(Bimodal.are(rounds)).isFalse();
        assertThat(Bimodal.represent(rounds)).isEqualTo(Figures.median(rounds));
    }

    @Test
    void roundsThatDifferByMoreThanTwoTimesAreNot() {
        List<Figures> rounds = List.of(roundTrips(10), roundTrips(121), roundTrips(30));
        assertThat(Bimodal.are(rounds)).isTrue();
        assertThat(Bimodal.represent(rounds)).isEqualTo(roundTrips(121));
        assertThat(Bimodal.words(rounds)).isEqualTo("bimodal (8.26k to 100k/s)");
    }

    @Test
    void twoTimesIsNotMoreThanTwoTimes() {
        assertThat(Bimodal.are(List.of(roundTrips(10), roundTrips(20)))).isFalse();
        assertThat(Bimodal.are(List.of(roundTrips(10), roundTrips(20.1)))).isTrue();
    }

    @Test
    void timesThatDifferAtTheSameRateCount() {
        Figures quick = new Figures(10, 20, 30, 4_000, 256_000, 0, 20);
        Figures late = new Figures(90, 95, 99, 4_000, 256_000, 0, 20);
        assertThat(Bimodal.are(List.of(quick, late))).isTrue();
        assertThat(Bimodal.represent(List.of(quick, late, quick))).isEqualTo(late);
        assertThat(Bimodal.words(List.of(quick, late))).isEqualTo("bimodal (10.0 to 90.0 us)");
    }

    @Test
    void whereNothingHappensTheCpuTimeDecides() {
        assertThat(Bimodal.are(List.of(idle(1000), idle(1900)))).isFalse();
        assertThat(Bimodal.are(List.of(idle(1000), idle(2100)))).isTrue();
        assertThat(Bimodal.represent(List.of(idle(1000), idle(2100), idle(1000))))
                .isEqualTo(idle(2100));
    }

    @Test
    void oneRoundOrNoneIsNotOfTwoKinds() {
        assertThat(Bimodal.are(List.of())).isFalse();
        assertThat(Bimodal.are(List.of(roundTrips(10)))).isFalse();
        assertThat(Bimodal.are(List.of(Figures.unknown(), Figures.unknown()))).isFalse();
    }
}
