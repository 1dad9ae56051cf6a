// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether a program's trace in some setting is possible on the oracle. An answer that the oracle gives only now and then
 * is right, too: before two traces are said to differ the oracle runs again.
 */
final class Comparison {
    private static final int RUNS = 10;

    private final Setting oracle;
    private final Setting setting;
    private final int limitSeconds;
    private int programs;
    private int accepted;
    private int moved;
    private int ambiguous;

    /**
     * A comparison.
     *
     * @param oracle the setting that is right
     * @param setting the setting that is compared with it
     * @param limitSeconds how long a program may take
     */
    Comparison(Setting oracle, Setting setting, int limitSeconds) {
        this.oracle = oracle;
        this.setting = setting;
        this.limitSeconds = limitSeconds;
    }

    /**
     * A program's two traces.
     *
     * @param expected the oracle's
     * @param actual the other trace, which the oracle never gave
     */
    record Difference(List<String> expected, List<String> actual) {
        /** The first line in which they differ, twice. */
        String first() {
            int at = firstAt();
            return "expected " + line(expected, at) + "\n     but " + line(actual, at);
        }

        /**
         * Whether a write passed where the peer's kernel should have answered the one before with a reset. Linux loses a segment that comes
         * just when a delayed acknowledgement makes the closed socket one that only waits: the JDK's own channels show it once in some thousand
         * closes on a busy machine, too seldom for the oracle to be asked.
         */
        boolean mayBeLostSegment() {
            int at = firstAt();
            return line(expected, at).endsWith("threw java.io.IOException: Broken pipe")
                    && line(actual, at).endsWith(" bytes");
        }

        private int firstAt() {
            int at = 0;
            while (line(expected, at).equals(line(actual, at))) {
                at++;
            }
            return at;
        }

        private static String line(List<String> trace, int at) {
            return at < trace.size() ? trace.get(at) : "nothing";
        }
    }

    /** The oracle's answers. */
    List<String> expected(List<Step> program) {
        return Run.of(oracle, program, limitSeconds).trace();
    }

    /**
     * Runs a program.
     *
     * @param expected what the oracle has said
     * @return null if this says the same
     */
    Difference of(List<Step> program, List<String> expected) {
        programs++;
        Run run = Run.of(setting, program, limitSeconds);
        accepted += run.accepted();
        moved += run.moved();
        if (run.trace().equals(expected)) {
            return null;
        }
        Set<List<String>> possible = new HashSet<>();
        for (int i = 0; i < RUNS; i++) {
            possible.add(expected(program));
            if (possible.contains(run.trace())) {
                ambiguous++;
                return null;
            }
        }
        Difference difference = new Difference(expected, run.trace());
        if (difference.mayBeLostSegment()
                && Run.of(setting, program, limitSeconds).trace().equals(expected)) {
            ambiguous++;
            return null;
        }
        return difference;
    }

    Setting setting() {
        return setting;
    }

    int programs() {
        return programs;
    }

    int ambiguous() {
        return ambiguous;
    }

    int accepted() {
        return accepted;
    }

    int moved() {
        return moved;
    }

    @Override
    public String toString() {
        return String.format(
                "%-16s %6d programs, %d of %d connections moved, %d answers that the oracle gave another time",
                setting.name(), programs, moved, accepted, ambiguous);
    }
}
