// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Shares out a limited number of places among destinations, in turn. Half of the places are for destinations that have none. Of the other
 * half a destination may have a quarter of what it leaves free. So a destination that keeps its places, because it does not answer, never
 * has more than a tenth of all, and others get theirs until as many destinations as half of the places keep one. One thread.
 *
 * @param <D> a destination; null is one, too
 * @param <T> the type of what waits for a place
 */
final class SearchPlaces<D, T> {
    /** Of how many parts of the free places a destination may have one. */
    private static final int PARTS = 4;

    private static final class Destination<T> {
        private final Queue<T> waiting = new ArrayDeque<>();
        private int taken;
    }

    private final Map<D, Destination<T>> destinations = new HashMap<>();
    /** The destinations for which something waits, in the order of their turns. */
    private final Queue<Destination<T>> turns = new ArrayDeque<>();

    /** How many places are for destinations that have none. */
    private final int kept;

    private int free;

    SearchPlaces(int places) {
        this.kept = places / 2;
        this.free = places;
    }

    /** Adds something that waits for a place. */
    void add(D name, T one) {
        Destination<T> destination = destinations.computeIfAbsent(name, any -> new Destination<>());
        if (destination.waiting.isEmpty()) {
            turns.add(destination);
        }
        destination.waiting.add(one);
    }

    /** Whether something waits for a place. */
    boolean isWaitedFor() {
        return !turns.isEmpty();
    }

    private boolean mayHaveMore(int taken) {
        return taken == 0 || taken * PARTS < free - kept;
    }

    /**
     * Takes a place for what has waited longest at the destination whose turn it is. Destinations that may have no further place miss their
     * turn; there are no more of them than places.
     *
     * @return what has the place now; null if nothing may have one
     */
    T next() {
        for (int left = turns.size(); left > 0 && free > 0; left--) {
            Destination<T> destination = turns.remove();
            T one = null;
            if (mayHaveMore(destination.taken)) {
                one = destination.waiting.remove();
                destination.taken++;
                free--;
            }
            if (!destination.waiting.isEmpty()) {
                turns.add(destination);
            }
            if (one != null) {
                return one;
            }
        }
        return null;
    }

    /** Gives a place back that a destination had. */
    void giveBack(D name) {
        Destination<T> destination = destinations.get(name);
        destination.taken--;
        free++;
        if (destination.taken == 0 && destination.waiting.isEmpty()) {
            destinations.remove(name);
        }
    }
}
