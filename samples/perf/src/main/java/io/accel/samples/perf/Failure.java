// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

/**
 * A path of a case that failed, or whose bytes took another path than they should have.
 *
 * @param benchCase the case's name
 * @param way the path, and the profile if there are several
 * @param reason what happened, perhaps in several lines
 */
record Failure(String benchCase, String way, String reason) {
    /** @param reason may begin with the path's name, as the name of a program does */
    static Failure of(BenchCase benchCase, Variant variant, String reason) {
        String name = benchCase.label + " over " + variant.words() + ": ";
        return new Failure(
                benchCase.label, variant.words(), reason.startsWith(name) ? reason.substring(name.length()) : reason);
    }

    @Override
    public String toString() {
        return benchCase + " over " + way + ": " + reason;
    }
}
