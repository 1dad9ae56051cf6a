// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static final double NONE = Double.NaN;

    private static Figures roundTrips(double micros) {
        return new Figures(micros, 2 * micros, 3 * micros, 1e6 / micros, 64e6 / micros, 0, micros);
    }

    private static Figures stream(double bytesPerSecond) {
        return new Figures(NONE, NONE, NONE, bytesPerSecond / 64, bytesPerSecond, 0, 1);
    }

    @Test
    void theMedianIsOfEachFigureByItself() {
        Figures median = Figures.median(List.of(
                new Figures(5, 1, 9, 100, NONE, 0, 7),
                new Figures(1, 9, 5, 300, NONE, 8, 7),
                new Figures(9, 5, 1, 200, NONE, 4, 7)));
        assertThat(median).isEqualTo(new Figures(5, 5, 5, 200, NONE, 4, 7));
    }

    @Test
    void theMedianOfTwoIsBetweenThem() {
        assertThat(Figures.median(List.of(roundTrips(2), roundTrips(4))).p50Micros())
                .isEqualTo(3);
    }

    @Test
    void theLimitOfRoundTripsIsTheCacheLine() {
        assertThat(Ratios.versusRaw(Kind.PINGPONG, roundTrips(2), roundTrips(0.5), stream(20e9)))
                .isEqualTo(4);
    }

    @Test
    void theLimitOfStreamsIsACopy() {
        assertThat(Ratios.versusRaw(Kind.STREAM_SMALL, stream(8e9), roundTrips(0.5), stream(20e9)))
                .isCloseTo(2.5, within(1e-9));
    }

    @Test
    void aLimitThatIsBeatenWasDisturbedItself() {
        assertThat(Ratios.versusRaw(Kind.PINGPONG, roundTrips(2), roundTrips(3000), stream(20e9)))
                .isNaN();
        assertThat(Ratios.versusRaw(Kind.NETTY_STREAM, stream(40e9), roundTrips(1), stream(20e9)))
                .isCloseTo(0.5, within(1e-9));
    }

    @Test
    void theBestOfALimitIsTheLeastTimeAndTheHighestRate() {
        Figures best = Figures.best(List.of(roundTrips(4), roundTrips(2), roundTrips(900)));
        assertThat(best.p50Micros()).isEqualTo(2);
        assertThat(best.bytesPerSecond()).isEqualTo(32e6);
        assertThat(Figures.best(List.of()).p50Micros()).isNaN();
    }

    @Test
    void withoutAReferenceThereIsNoRatio() {
        assertThat(Ratios.versusRaw(Kind.STREAM_LARGE, stream(8e9), roundTrips(1), Figures.unknown()))
                .isNaN();
    }
}
