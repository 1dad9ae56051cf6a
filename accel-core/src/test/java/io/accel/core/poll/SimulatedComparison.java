// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

/**
 * The effect of looking in a simulated machine, compared with sleeping at once, as a program without Accel does. Above 1 is
 * more than asleep.
 *
 * @param setting the simulated setting
 * @param spinNanos how long threads look
 * @param rate round trips
 * @param cpu processor time of a round trip
 * @param p99 99th percentile of a round trip's time
 * @param sleeping the result with sleeping
 * @param isCrowded whether sleepers and busy loops want nearly all of the machine, so that there is no core to spare
 */
record SimulatedComparison(
        SimulatedMachine.Setting setting,
        long spinNanos,
        double rate,
        double cpu,
        double p99,
        SimulatedMachine.Outcome sleeping,
        boolean isCrowded) {
    /** The longest look that has to pay; a profile that asks for longer looks accepts their cost. */
    private static final long FRUGAL_NANOS = 20_000;

    /**
     * Simulates both, from the same beginnings.
     *
     * @param nanos how long each run lasts
     * @param runs the number of runs
     */
    static SimulatedComparison of(SimulatedMachine.Setting setting, long spinNanos, long nanos, int runs) {
        SimulatedMachine.Outcome sleeping = SimulatedMachine.run(setting, 0, nanos, runs);
        SimulatedMachine.Outcome outcome = SimulatedMachine.run(setting, spinNanos, nanos, runs);
        double demand = sleeping.cpuNanos() / (runs * nanos / 2.0) + setting.hogs();
        double supply = setting.quota() > 0 ? Math.min(setting.quota(), setting.cores()) : setting.cores();
        return new SimulatedComparison(
                setting,
                spinNanos,
                (double) outcome.trips() / sleeping.trips(),
                outcome.cpuPerTrip() / sleeping.cpuPerTrip(),
                (double) outcome.p99Nanos() / sleeping.p99Nanos(),
                sleeping,
                demand > 0.9 * supply);
    }

    /** Whether it falls short of sleeping by more than a tenth. With cores to spare a look that pays may cost some time of one. */
    boolean isWorse() {
        return rate < 0.9 || (isCrowded && spinNanos <= FRUGAL_NANOS && cpu > 1.1 && cpu > rate);
    }

    @Override
    public String toString() {
        return String.format(
                "%s spin=%dus: rate %.2f, cpu %.2f, p99 %.2f of asleep, which is %d us (%d trips)",
                setting, spinNanos / 1_000, rate, cpu, p99, sleeping.p99Nanos() / 1_000, sleeping.trips());
    }
}
