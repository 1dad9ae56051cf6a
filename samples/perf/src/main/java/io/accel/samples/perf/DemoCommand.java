// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code demo}: a short comparison, and one sentence about it. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description =
                "Runs plain java.nio programs with Accel and without, alone, crowded, and in their first seconds, for less than"
                        + " a minute, and says what was seen. './accel perf compare' measures more, and takes longer.")
public final class DemoCommand implements Callable<Integer> {
    /** Cases that Accel is made for, and cases that are hard for it, so that the demo does not show its best side alone. */
    private static final Set<BenchCase> CASES = Set.copyOf(EnumSet.of(
            BenchCase.PINGPONG,
            BenchCase.STREAM_64K,
            BenchCase.CONNECT_ECHO_CLOSE,
            BenchCase.FOUR_BY_FOUR_DEFAULTS,
            BenchCase.YOUNG_PAIRS));

    /** Where profiles are compared, the default profile is enough. */
    private static final Set<Variant> LEFT_OUT = Set.copyOf(EnumSet.of(
            Variant.LATENCY,
            Variant.LOW_CPU,
            Variant.YOUNG_LATENCY,
            Variant.YOUNG_THROUGHPUT,
            Variant.YOUNG_LOW_CPU,
            Variant.YOUNG_OFF));

    /** Hardly enough, but eight pairs of programs have to fit into a minute. */
    private static final Duration WARM_UP = Duration.ofSeconds(3);

    /**
     * The limit for all of these, so that the demo is over within a minute even if programs are slow to start. The young programs come last,
     * are not warmed up, and take ten seconds.
     */
    private static final Duration TOTAL = Duration.ofSeconds(45);

    private static final Duration MEASURE = Duration.ofMillis(800);

    @Mixin
    private AccelJarOption accelJar;

    @Override
    public Integer call() throws InterruptedException {
        JvmCommand jvm = new JvmCommand(accelJar.resolve(), Place.here(Cores.split()), JvmCommand.WARM);
        int runs = (int) CASES.stream()
                .filter(each -> !each.kind.isYoung())
                .flatMap(each -> each.variants().stream())
                .filter(variant -> !LEFT_OUT.contains(variant))
                .count();
        Budget budget = Budget.of(TOTAL, WARM_UP, runs, System.nanoTime());
        Comparison comparison = new Comparison(jvm, budget, MEASURE, 1, System.err);
        Result result = comparison.runWithout(LEFT_OUT, CASES);
        System.out.println();
        ResultPrinter.print(result, jvm.place().describe(), System.out);
        System.out.println();
        System.out.println(Sentence.about(result));
        System.out.println(
                "Programs here have three seconds to warm up, so their connections move after eight reads and writes"
                        + " (handover.after=8/64KiB). Those of crowded programs, and of programs in their first seconds, move when that"
                        + " has paid off, as by default.");
        result.failures().forEach(failure -> System.err.println("FAILED " + failure));
        return result.failures().isEmpty() ? 0 : 1;
    }
}
