// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    @ParameterizedTest
    @CsvSource({
        "'', '', 0",
        "abc, '', 3",
        "'', abc, 3",
        "ring, ring, 0",
        "ring, rings, 1",
        "ring, rng, 1",
        "ring, rink, 1",
        "ring, rnig, 1",
        "kitten, sitting, 3"
    })
    void countsSlips(String a, String b, int distance) {
        assertThat(NearestName.distance(a, b)).isEqualTo(distance);
    }

    @Test
    void findsTheNearest() {
        List<String> names = List.of("ring.size", "poll.spin", "poll.yield");
        assertThat(NearestName.of("ring.sise", names)).contains("ring.size");
        assertThat(NearestName.of("Poll.Spin", names)).contains("poll.spin");
        assertThat(NearestName.of("spin", names)).contains("poll.spin");
    }

    /** A line like this may be in a file that is not a profile; comparing it letter by letter took a minute, and gigabytes. */
    @Test
    @Timeout(10)
    void aVeryLongNameIsLikeNone() {
        List<String> names = Collections.nCopies(200, "ring.size");
        assertThat(NearestName.of("x".repeat(3_000_000), names)).isEmpty();
    }

    @Test
    void guessesNothingFarFetched() {
        List<String> names = List.of("ring.size", "poll.spin", "off");
        assertThat(NearestName.of("timeout", names)).isEmpty();
        assertThat(NearestName.of("on", names)).isEmpty();
        assertThat(NearestName.of("", names)).isEmpty();
    }
}
