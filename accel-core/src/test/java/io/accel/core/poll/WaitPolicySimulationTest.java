// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nowhere may looking be worse than sleeping at once, which is what a program without Accel does. Some settings of each seed by
 * default; {@code -Daccel.test.settings=3000} tries more, {@code -Daccel.test.seed=5} others, {@code -Daccel.test.print=true}
 * prints all as a table.
 */
class WaitPolicySimulationTest {
    private static final long MILLI = 1_000_000;
    private static final long BALANCED = 20_000;
    private static final long LATENCY = 1_000 * MILLI;
    private static final int SETTINGS = Integer.getInteger("accel.test.settings", 40);
    /** None of them is one that the policy was made with. */
    private static final long[] SEEDS = Long.getLong("accel.test.seed") == null
            ? new long[] {1, 2, 3}
            : new long[] {Long.getLong("accel.test.seed")};
    /**
     * What is learnt is learnt by trying, and a few threads may be placed well or badly on their cores for a while: what a
     * short run shows counts if some long ones show it, too.
     */
    private static final int LONG_RUNS = 6;

    private static final boolean PRINT = Boolean.getBoolean("accel.test.print");

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES) // for thousands of them
    void noSettingIsWorseThanSleepingByMoreThanATenth() {
        List<String> worse = new ArrayList<>();
        for (long seed : SEEDS) {
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < SETTINGS; i++) {
                SimulatedMachine.Setting setting = randomSetting(random);
                long spin = random.nextBoolean() ? BALANCED : LATENCY;
                compare(setting, spin, worse);
            }
        }
        assertThat(worse).isEmpty();
    }

    private static SimulatedMachine.Setting randomSetting(SplittableRandom random) {
        int cores = 1 + random.nextInt(4);
        boolean limited = random.nextInt(5) == 0;
        return new SimulatedMachine.Setting(
                cores,
                1 + random.nextInt(6),
                random.nextBoolean() ? 0 : random.nextInt(cores + 1),
                2_000 << random.nextInt(6),
                2_000 << random.nextInt(6),
                random.nextInt(3) == 0 ? 10_000L << random.nextInt(9) : 0,
                MILLI * (1 + random.nextInt(4)),
                limited ? 0.5 * (1 + random.nextInt(2 * cores)) : 0);
    }

    private static void compare(SimulatedMachine.Setting setting, long spin, List<String> worse) {
        boolean isWorse = false;
        String row = "";
        for (int runs : new int[] {1, LONG_RUNS}) {
            long nanos = runs == 1 ? 200 * MILLI : 1_000 * MILLI;
            SimulatedMachine.Outcome sleeping = SimulatedMachine.run(setting, 0, nanos, runs);
            SimulatedMachine.Outcome outcome = SimulatedMachine.run(setting, spin, nanos, runs);
            double rate = (double) outcome.trips() / sleeping.trips();
            double cpu = outcome.cpuPerTrip() / sleeping.cpuPerTrip();
            row = String.format(
                    "%s spin=%dus: rate %.2f, cpu %.2f, p99 %d us (asleep %d us, %d trips)",
                    setting,
                    spin / 1_000,
                    rate,
                    cpu,
                    outcome.p99Nanos() / 1_000,
                    sleeping.p99Nanos() / 1_000,
                    sleeping.trips());
            // With cores to spare a look that pays may cost some time of one; who asked for long looks asked for that.
            double demand = sleeping.cpuNanos() / (runs * nanos / 2.0) + setting.hogs();
            double supply = setting.quota() > 0 ? Math.min(setting.quota(), setting.cores()) : setting.cores();
            boolean crowded = demand > 0.9 * supply;
            isWorse = rate < 0.9 || (crowded && spin <= BALANCED && cpu > 1.1 && cpu > rate);
            if (!isWorse) {
                break;
            }
        }
        if (PRINT) {
            System.out.println(row);
        }
        if (isWorse) {
            worse.add(row);
        }
    }
}
