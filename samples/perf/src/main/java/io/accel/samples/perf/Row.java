// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;

/**
 * One line of the result.
 *
 * @param benchCase the case's name
 * @param path the path that the bytes really took, as far as it can be seen from outside
 * @param profile Accel's profile, or {@code none} where no Accel took part
 * @param on the device, and whether it is a real one; empty if there is none
 * @param rounds the result of each round
 * @param latencies all times of operations, of all rounds together; empty where there are none
 * @param vsKernel the comparison with the kernel
 * @param vsRstream the factor by which the row is better than rstream; NaN if there is nothing to compare with
 * @param vsRaw the ratio to the machine's own limit; NaN if there is nothing to compare with
 * @param crowd the programs that shared processors, and which; empty if that was not part of the case
 * @param conditions the machine's other work meanwhile
 * @param cpu the work for which both ends used their processors; empty where that was not asked
 */
record Row(
        String benchCase,
        String path,
        String profile,
        String on,
        List<Figures> rounds,
        Latencies latencies,
        Verdict vsKernel,
        double vsRstream,
        double vsRaw,
        String crowd,
        Conditions conditions,
        CpuBreakdown cpu) {
    Row {
        rounds = List.copyOf(rounds);
    }

    /** A row of this host, without a device, of a case that shares nothing. */
    Row(
            String benchCase,
            String path,
            String profile,
            List<Figures> rounds,
            Latencies latencies,
            Verdict vsKernel,
            double vsRaw) {
        this(
                benchCase,
                path,
                profile,
                "",
                rounds,
                latencies,
                vsKernel,
                Double.NaN,
                vsRaw,
                "",
                Conditions.UNKNOWN,
                CpuBreakdown.NONE);
    }

    /** The figures that stand for the rounds: the medians, or the worst round if the rounds are of two kinds. */
    Figures figures() {
        return Bimodal.represent(rounds);
    }

    /** Whether the rounds are of two kinds. */
    boolean bimodal() {
        return Bimodal.are(rounds);
    }

    /** The remarks about the row, in words; empty if there are none. */
    String words() {
        String verdict = profile.equals("none") ? "" : vsKernel.words();
        if (!bimodal()) {
            return verdict;
        }
        return Bimodal.words(rounds) + (verdict.isEmpty() ? "" : "; " + verdict);
    }
}
