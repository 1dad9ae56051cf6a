// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import io.accel.nio.fuzz.Comparison.Difference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.Shrinkable;
import net.jqwik.api.sessions.JqwikSession;

/**
 * Makes programs, compares their traces, and reduces programs with different traces as far as possible. Each program has a seed,
 * by which it can be made again. One thread.
 */
final class Fuzzer {
    /** A difference may show only now and then. */
    private static final int TRIES = 4;

    private static final int SIZES = 1_000;
    /** More than the time of a program's steps that wait in vain for something that must happen. */
    private static final int LIMIT_SECONDS = 20;

    private final Kind kind;
    private final List<Comparison> comparisons;
    private final RandomGenerator<List<Step>> generator;
    private final long shrinkNanos;

    /**
     * A difference that was found.
     *
     * @param kind of the program
     * @param seed by which its program can be made again
     * @param setting the setting that differs
     * @param program the program, reduced as far as possible
     * @param traces its traces
     */
    record Finding(Kind kind, long seed, Setting setting, List<Step> program, Difference traces) {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(
                    "-Dfuzz.kind=" + kind + " -Dfuzz.program=" + seed + " finds in '" + setting.name() + "'\n");
            text.append(traces.first()).append("\n  of the program\n");
            program.forEach(step -> text.append("    ").append(step).append('\n'));
            text.append("  expected\n");
            traces.expected().forEach(line -> text.append("    ").append(line).append('\n'));
            text.append("  actual\n");
            traces.actual().forEach(line -> text.append("    ").append(line).append('\n'));
            return text.toString();
        }
    }

    /**
     * A fuzzer.
     *
     * @param oracle the setting that is right
     * @param settings the settings that are compared with it, in turn
     * @param kind the kind of programs
     * @param shrinkNanos how long to make a program smaller
     */
    Fuzzer(Setting oracle, List<Setting> settings, Kind kind, long shrinkNanos) {
        this.comparisons = settings.stream()
                .map(each -> new Comparison(oracle, each, LIMIT_SECONDS))
                .toList();
        this.kind = kind;
        this.shrinkNanos = shrinkNanos;
        AtomicReference<RandomGenerator<List<Step>>> made = new AtomicReference<>();
        JqwikSession.run(() -> made.set(kind.programs().generator(SIZES)));
        this.generator = made.get();
    }

    List<Comparison> comparisons() {
        return comparisons;
    }

    /**
     * Compares one program in some settings.
     *
     * @param seed the program's
     * @param some the comparisons, each of this fuzzer's
     * @return the differences
     */
    List<Finding> find(long seed, List<Comparison> some) {
        List<Finding> found = new ArrayList<>();
        JqwikSession.run(() -> {
            Shrinkable<List<Step>> program = generator.next(new Random(seed));
            List<String> expected = some.get(0).expected(program.value());
            for (Comparison comparison : some) {
                Difference difference = comparison.of(program.value(), expected);
                if (difference != null) {
                    Finding same = found.isEmpty()
                            ? null
                            : again(seed, comparison, found.get(0).program());
                    found.add(same != null ? same : shrink(seed, comparison, program, difference));
                }
            }
        });
        return found;
    }

    private Finding shrink(long seed, Comparison comparison, Shrinkable<List<Step>> found, Difference traces) {
        Shrinkable<List<Step>> smallest = found;
        Difference difference = traces;
        long start = System.nanoTime();
        for (boolean smaller = true; smaller; ) {
            smaller = false;
            Iterator<Shrinkable<List<Step>>> candidates = smallest.shrink().iterator();
            while (!smaller && candidates.hasNext() && System.nanoTime() - start < shrinkNanos) {
                Shrinkable<List<Step>> candidate = candidates.next();
                Difference again = tryAgain(comparison, candidate.value());
                if (again != null) {
                    smallest = candidate;
                    difference = again;
                    smaller = true;
                }
            }
        }
        return new Finding(kind, seed, comparison.setting(), smallest.value(), difference);
    }

    /** A program that was reduced for one setting may do for another. */
    private Finding again(long seed, Comparison comparison, List<Step> program) {
        Difference difference = tryAgain(comparison, program);
        return difference == null ? null : new Finding(kind, seed, comparison.setting(), program, difference);
    }

    private static Difference tryAgain(Comparison comparison, List<Step> program) {
        List<String> expected = comparison.expected(program);
        for (int i = 0; i < TRIES; i++) {
            Difference difference = comparison.of(program, expected);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }
}
