// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.poll.SimulatedMachine.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Looking may nowhere be worse than sleeping at once, as a program without Accel does. Some settings of each seed run by
 * default; {@code -Daccel.test.settings=3000} tries more, {@code -Daccel.test.seed=5} others, {@code -Daccel.test.print=true}
 * prints the tables of docs/BENCHMARKS.md.
 */
class WaitPolicySimulationTest {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long BALANCED = 20 * MICRO;
    private static final long LATENCY = 1_000 * MILLI;
    private static final int SETTINGS = Integer.getInteger("accel.test.settings", 40);
    /** The policy was not developed with any of them. */
    private static final long[] SEEDS = Long.getLong("accel.test.seed") == null
            ? new long[] {1, 2, 3}
            : new long[] {Long.getLong("accel.test.seed")};
    /**
     * The policy learns by trying, and a few threads may be placed well or badly on their cores for a while. So the result
     * of a short run counts only if some long runs show it, too.
     */
    private static final int LONG_RUNS = 6;

    /** One of so many settings may fall short by more than a tenth, and by a fifth at most; if fewer are tried, none may. */
    private static final int ONE_OF = 3_000;

    private static final boolean PRINT = Boolean.getBoolean("accel.test.print");

    /** A setting, and how long threads look there. */
    private record Trial(Setting setting, long spinNanos) {}

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES) // for thousands of them
    void noSettingIsWorseThanSleepingByMoreThanATenth() {
        List<SimulatedComparison> worse = new ArrayList<>();
        for (long seed : SEEDS) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Trial> trials = new ArrayList<>();
            for (int i = 0; i < SETTINGS; i++) {
                Setting setting = randomSetting(random);
                trials.add(new Trial(setting, random.nextBoolean() ? BALANCED : LATENCY));
            }
            List<SimulatedComparison> all = trials.parallelStream()
                    .map(WaitPolicySimulationTest::compare)
                    .toList();
            List<SimulatedComparison> fallShort =
                    all.stream().filter(SimulatedComparison::isWorse).toList();
            print("seed " + seed + ":\n" + SimulationTable.ofKinds(all, BALANCED, LATENCY)
                    + "\nworse by more than a tenth: " + fallShort);
            worse.addAll(fallShort);
        }
        assertThat(worse).hasSizeLessThanOrEqualTo(SEEDS.length * SETTINGS / ONE_OF);
        assertThat(worse).noneMatch(each -> each.rate() < 0.8);
    }

    /** The cases {@code crowded-*} of {@code accel perf compare}, as far as the model covers them. */
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void theSettingsThatAreMeasuredAreNotWorseEither() {
        long work = 500;
        long slice = 4 * MILLI;
        Map<String, Setting> settings = new LinkedHashMap<>();
        settings.put("both ends on one core", new Setting(1, 1, 0, work, work, 0, slice, 0));
        settings.put("the same with a busy loop", new Setting(1, 1, 1, work, work, 0, slice, 0));
        settings.put("4 + 4 threads on two cores", new Setting(2, 4, 0, work, work, 0, slice, 0));
        settings.put("half a core's time", new Setting(2, 1, 0, work, work, 0, slice, 0.5));
        List<String> names = new ArrayList<>();
        List<Trial> trials = new ArrayList<>();
        settings.forEach((name, setting) -> {
            for (long spin : new long[] {BALANCED, LATENCY}) {
                names.add(spin == BALANCED ? name : "");
                trials.add(new Trial(setting, spin));
            }
        });
        List<SimulatedComparison> all = trials.parallelStream()
                .map(trial -> SimulatedComparison.of(trial.setting(), trial.spinNanos(), 1_000 * MILLI, LONG_RUNS))
                .toList();
        print(SimulationTable.ofNamed(names, all));
        assertThat(all).noneMatch(SimulatedComparison::isWorse);
    }

    private static void print(String table) {
        if (PRINT) {
            System.out.println(table);
        }
    }

    private static Setting randomSetting(SplittableRandom random) {
        int cores = 1 + random.nextInt(4);
        boolean limited = random.nextInt(5) == 0;
        return new Setting(
                cores,
                1 + random.nextInt(6),
                random.nextBoolean() ? 0 : random.nextInt(cores + 1),
                2_000 << random.nextInt(6),
                2_000 << random.nextInt(6),
                random.nextInt(3) == 0 ? 10_000L << random.nextInt(9) : 0,
                MILLI * (1 + random.nextInt(4)),
                limited ? 0.5 * (1 + random.nextInt(2 * cores)) : 0);
    }

    private static SimulatedComparison compare(Trial trial) {
        SimulatedComparison soon = SimulatedComparison.of(trial.setting(), trial.spinNanos(), 200 * MILLI, 1);
        return soon.isWorse()
                ? SimulatedComparison.of(trial.setting(), trial.spinNanos(), 1_000 * MILLI, LONG_RUNS)
                : soon;
    }
}
