// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random programs say the same on the JDK's provider and on Accel's.
 *
 * <p>{@code fuzz.minutes=N} goes on for so long, with other programs each time, unless {@code fuzz.seed} says which;
 * {@code fuzz.program} runs one again, in every setting. {@code fuzz.kind} is the kind of programs; without it, all kinds.
 */
@Timeout(value = 1, unit = TimeUnit.DAYS) // each run has a limit of its own
class DifferentialTest {
    private static final int USUAL_PROGRAMS = 60;
    private static final long USUAL_SEED = 20_261_122L;
    private static final long SHRINK_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int MOST_FINDINGS = 20;
    private static final int AGAIN = 20;

    @ParameterizedTest
    @EnumSource
    void programsSayTheSame(Kind kind) {
        assumeTrue(System.getProperty("fuzz.kind", kind.name()).equals(kind.name()), "another kind was asked for");
        Fuzzer fuzzer = new Fuzzer(kind.oracle(), kind.accel(), kind, SHRINK_NANOS);
        List<Fuzzer.Finding> findings = new ArrayList<>();
        Long again = Long.getLong("fuzz.program");
        if (again != null) {
            for (int i = 0; i < AGAIN; i++) {
                tryAll(fuzzer, again, fuzzer.comparisons(), findings);
            }
        } else {
            int minutes = Integer.getInteger("fuzz.minutes", 0);
            // The same time for each kind, unless one was asked for.
            long seconds = TimeUnit.MINUTES.toSeconds(minutes)
                    / (System.getProperty("fuzz.kind") == null ? Kind.values().length : 1);
            long seed = Long.getLong("fuzz.seed", minutes == 0 ? USUAL_SEED : System.nanoTime());
            System.out.println("-Dfuzz.seed=" + seed);
            run(fuzzer, new Random(seed), seconds, findings);
        }
        fuzzer.comparisons().forEach(System.out::println);
        assertThat(findings).isEmpty();
        if (again == null) {
            assertCompared(kind, fuzzer);
        }
    }

    /** Each program in two settings, in turn; for so many seconds, or a certain number of programs if that is 0. */
    private static void run(Fuzzer fuzzer, Random seeds, long seconds, List<Fuzzer.Finding> findings) {
        List<Comparison> all = fuzzer.comparisons();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        boolean more = true;
        for (int i = 0; more && findings.size() < MOST_FINDINGS; i += 2) {
            more = seconds == 0 ? i < 2 * USUAL_PROGRAMS : System.nanoTime() - end < 0;
            List<Comparison> two = List.of(all.get(i % all.size()), all.get((i + 1) % all.size()));
            tryAll(fuzzer, seeds.nextLong(), two, findings);
        }
    }

    private static void tryAll(Fuzzer fuzzer, long seed, List<Comparison> settings, List<Fuzzer.Finding> findings) {
        for (Fuzzer.Finding finding : fuzzer.find(seed, settings)) {
            System.out.println(finding);
            findings.add(finding);
        }
    }

    /** Asserts that this was about Accel's links, and about few answers of the oracle that come and go. */
    private static void assertCompared(Kind kind, Fuzzer fuzzer) {
        int programs = 0;
        int switching = 0;
        for (Comparison comparison : fuzzer.comparisons()) {
            programs += comparison.programs();
            assertThat(comparison.ambiguous()).as("%s", comparison).isLessThan(2 + comparison.programs() / 50);
            if (comparison.setting().mustMove()) {
                assertThat(comparison.moved())
                        .as("%s", comparison)
                        .isPositive()
                        .isGreaterThanOrEqualTo(comparison.accepted() * 9 / 10);
            } else {
                switching += comparison.moved();
            }
        }
        assertThat(programs).as("programs").isGreaterThan(20);
        if (kind != Kind.DATAGRAMS) {
            assertThat(switching).as("connections that moved in the middle").isPositive();
        }
    }
}
