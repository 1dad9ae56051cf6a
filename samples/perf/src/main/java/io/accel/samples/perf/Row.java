// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;

/**
 * One line of the result.
 *
 * @param benchCase the case's name
 * @param path what the bytes really went over, as far as it can be seen from outside
 * @param profile Accel's profile, or {@code none} where no Accel took part
 * @param on the device, where there is one, and whether it is a real one; empty otherwise
 * @param rounds what each round gave
 * @param latencies all times of operations, of all rounds together; empty where there are none
 * @param vsKernel how it compares with the kernel
 * @param vsRstream how many times better than rstream; NaN if there is nothing to compare with
 * @param vsRaw how many times the machine's own limit; NaN likewise
 * @param crowd who shared which processors; empty if that was not part of the case
 * @param conditions what else went on
 * @param cpu the work that both ends used their processors for; empty where that was not asked
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

    /** The figures that stand for the rounds: medians, or the worst round if they are of two kinds. */
    Figures figures() {
        return Bimodal.represent(rounds);
    }

    /** Whether the rounds are of two kinds. */
    boolean bimodal() {
        return Bimodal.are(rounds);
    }

    /** Remarks about it in words; empty if there are none. */
    String words() {
        String verdict = profile.equals("none") ? "" : vsKernel.words();
        if (!bimodal()) {
            return verdict;
        }
        return Bimodal.words(rounds) + (verdict.isEmpty() ? "" : "; " + verdict);
    }
}
