// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

/**
 * Tells when programs are warm: for two windows of time in a row the compilers have had almost nothing to do, and the programs
 * were about equally fast. Used by one thread.
 */
final class WarmUp {
    /** Processors that the compilers of both ends may use and count as quiet. */
    private static final double QUIET = 0.02;

    /** The part of the faster one by which two windows may differ. */
    private static final double AGREE = 0.1;

    private double lastRate = Double.NaN;
    private boolean lastQuiet;
    private boolean warm;

    /**
     * A window has passed.
     *
     * @param rate operations a second
     * @param compiler how many processors the compilers of both ends used
     */
    void window(double rate, double compiler) {
        boolean quiet = compiler <= QUIET;
        boolean agree = Math.abs(rate - lastRate) <= AGREE * Math.max(rate, lastRate);
        warm = quiet && lastQuiet && agree;
        lastRate = rate;
        lastQuiet = quiet;
    }

    /** Whether the last two windows say so. */
    boolean isWarm() {
        return warm;
    }
}
