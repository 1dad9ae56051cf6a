// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;

/** The moments after the start of young programs at which their work is looked at, and how much of it must be done by then. */
enum Milestones {
    /** Programs that begin within half a second; {@code latency} may cost more than the other profiles. */
    OF_BENCHES(List.of(500, 1000, 2000, 4000), 1000, 0.95, 0.90),
    /** Real programs: some take seconds before they listen, so the first moments say when they began, and little else. */
    OF_APPS(List.of(1000, 2000, 4000, 10_000), 10_000, 0.97, 0.97);

    /** Milliseconds after the start, in their order. */
    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    final List<Integer> millis;

    /** From this moment on a program with Accel must have done about as much as one without. */
    final int firstJudged;

    private final double must;
    private final double mustLatency;

    Milestones(List<Integer> millis, int firstJudged, double must, double mustLatency) {
        this.millis = millis;
        this.firstJudged = firstJudged;
        this.must = must;
        this.mustLatency = mustLatency;
    }

    int last() {
        return millis.get(millis.size() - 1);
    }

    /** Those that are judged. */
    List<Integer> judged() {
        return millis.stream().filter(each -> each >= firstJudged).toList();
    }

    /** The part of the operations without Accel that a program with that profile must have done. */
    double must(String profile) {
        return profile.equals("latency") ? mustLatency : must;
    }

    /** As {@code 0.5 s}. */
    static String words(int millis) {
        return (millis % 1000 == 0 ? Integer.toString(millis / 1000) : Double.toString(millis / 1e3)) + " s";
    }
}
