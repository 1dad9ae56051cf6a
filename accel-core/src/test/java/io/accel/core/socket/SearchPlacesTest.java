// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No destination keeps others from having a place, and no place is lost. */
@Timeout(30)
class SearchPlacesTest {
    private static final int PLACES = 256;
    private static final int DESTINATIONS = 5;

    private final SearchPlaces<Integer, Integer> places = new SearchPlaces<>(PLACES);

    /** Adds a thousand for a destination, and returns how many of those that wait got a place. */
    private int crowd(int destination) {
        for (int i = 0; i < 1000; i++) {
            places.add(destination, destination);
        }
        return begin();
    }

    private int begin() {
        int begun = 0;
        while (places.next() != null) {
            begun++;
        }
        return begun;
    }

    @Test
    void oneDestinationHasATenthOfThePlaces() {
        assertThat(crowd(1)).isBetween(PLACES / 11, PLACES / 9);
        places.add(2, 2);
        assertThat(places.next()).isEqualTo(2);
    }

    /** Each of them takes what it can get, one after the other. */
    @ParameterizedTest
    @ValueSource(ints = {2, 10, 100, PLACES / 2})
    void greedyDestinationsLeaveAPlaceForAnother(int greedy) {
        for (int each = 1; each <= greedy; each++) {
            assertThat(crowd(each)).isPositive();
        }
        places.add(0, 0);
        assertThat(places.next()).isZero();
    }

    @Test
    void destinationsTakeTurns() {
        for (int i = 0; i < 3; i++) {
            places.add(1, 1);
            places.add(1, 1);
            places.add(2, 2);
        }
        List<Integer> order = new ArrayList<>();
        for (Integer one = places.next(); one != null; one = places.next()) {
            order.add(one);
        }
        assertThat(order).containsExactly(1, 2, 1, 2, 1, 2, 1, 1, 1);
    }

    /** Places come back in any order, and all that wait are served, each once. */
    @Test
    void everyPlaceComesBackAndAllAreServed() {
        Random random = new Random(7);
        List<Integer> underWay = new ArrayList<>();
        int[] left = new int[DESTINATIONS];
        for (int i = 0; i < 20_000; i++) {
            int destination = random.nextInt(DESTINATIONS);
            left[destination]++;
            places.add(destination, destination);
        }
        while (places.isWaitedFor() || !underWay.isEmpty()) {
            for (Integer one = places.next(); one != null; one = places.next()) {
                underWay.add(one);
                left[one]--;
            }
            assertThat(underWay).hasSizeBetween(1, PLACES);
            for (int ended = random.nextInt(underWay.size()) + 1; ended > 0; ended--) {
                places.giveBack(underWay.remove(random.nextInt(underWay.size())));
            }
        }
        assertThat(left).containsOnly(0);
        assertThat(crowd(1)).as("as at the beginning").isBetween(PLACES / 11, PLACES / 9);
    }
}
