// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.handover.LinkTrial.Verdict;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process that decides about the links of its connections by prices, gate and trials, in simulated time, beside one that knows the
 * future: that one gives a connection its link at once, if the link saves more than it costs, or none. Costs are processor time: of each
 * unit of traffic through the kernel what a link would have saved, and of each link its price.
 */
class DecisionSimulationTest {
    private static final long STEP_NANOS = UpgradeGate.LOOK_NANOS;
    private static final int STEPS = 20 * 60;
    private static final int CONNECTIONS = 40;
    private static final int BYTES = 64;

    /** What a link really costs at both ends, and what a unit really saves. */
    private static final long PRICE_NANOS = 600_000L;

    /** The traffic of a connection in units a step. */
    private enum Trace {
        /** An exchange, and the connection closes. */
        SHORT {
            @Override
            int units(SplittableRandom random, int age) {
                return age == 0 ? 4 : 0;
            }
        },
        LONG {
            @Override
            int units(SplittableRandom random, int age) {
                return 800 + random.nextInt(400);
            }
        },
        BURSTY {
            @Override
            int units(SplittableRandom random, int age) {
                return age / 20 % 5 == 0 ? random.nextInt(2_000) : 0;
            }
        },
        /** A message now and then. */
        IDLE {
            @Override
            int units(SplittableRandom random, int age) {
                return random.nextInt(40) == 0 ? 2 : 0;
            }
        },
        MIXED {
            @Override
            int units(SplittableRandom random, int age) {
                throw new AssertionError("each connection has one of the others");
            }
        };

        abstract int units(SplittableRandom random, int age);
    }

    private static final class Connection {
        /** Null for recorded traffic. */
        final Trace trace;

        final int begins;
        final List<Integer> future = new ArrayList<>();
        long units;
        long onLink;
        boolean waits;
        LinkTrial trial;
        long contentUntil;
        long pause = 1_000_000_000L;
        boolean hasLink;

        Connection(Trace trace, int begins, SplittableRandom random) {
            this.trace = trace;
            this.begins = begins;
            for (int step = begins; step < STEPS; step++) {
                future.add(trace.units(random, step - begins));
            }
        }

        /** A recorded one. */
        Connection(int begins, List<Integer> units) {
            this.trace = null;
            this.begins = begins;
            future.addAll(units);
        }

        int now(int step) {
            return step < begins || step - begins >= future.size() ? 0 : future.get(step - begins);
        }

        long allUnits() {
            return future.stream().mapToLong(i -> i).sum();
        }

        /** The most units in so many steps. */
        long mostIn(int steps) {
            long most = 0;
            long sum = 0;
            for (int i = 0; i < future.size(); i++) {
                sum += future.get(i) - (i < steps ? 0 : future.get(i - steps));
                most = Math.max(most, sum);
            }
            return most;
        }
    }

    /** Runs a process; returns its cost. A link has so many times the kernel's pace. */
    private static long run(List<Connection> all, long saving, double times, List<Connection> upgraded) {
        UpgradePrices prices = new UpgradePrices(5_000);
        UpgradeGate gate = new UpgradeGate(new Machine(), 5);
        long cost = 0;
        for (int step = 0; step < STEPS; step++) {
            long now = step * STEP_NANOS;
            gate.look(now);
            for (Connection each : all) {
                int units = each.now(step);
                if (!each.hasLink) {
                    cost += units * saving;
                    each.units += units;
                    each.waits |= now >= each.contentUntil && prices.areDue(each.units, 0);
                } else {
                    each.onLink += (long) (units * BYTES * times);
                }
                if (each.waits && gate.admits(each, now)) {
                    each.waits = false;
                    each.hasLink = true;
                    upgraded.add(each);
                    cost += PRICE_NANOS;
                    prices.paid(1, PRICE_NANOS / 2);
                    each.trial = new LinkTrial(units * BYTES * 1e9 / STEP_NANOS, now);
                }
                if (each.trial != null) {
                    Verdict verdict = each.trial.look(each.onLink, false, now);
                    if (verdict == Verdict.SLOWER || verdict == Verdict.NOT_SLOWER) {
                        gate.judged(verdict == Verdict.SLOWER, now);
                        each.hasLink = verdict != Verdict.SLOWER;
                        each.units = 0;
                        each.contentUntil = now + each.pause;
                        each.pause *= 2;
                    }
                    each.trial = verdict == Verdict.UNDECIDED ? each.trial : null;
                }
            }
        }
        return cost;
    }

    private static List<Connection> connections(Trace trace, SplittableRandom random) {
        Trace[] kinds = {Trace.SHORT, Trace.LONG, Trace.BURSTY, Trace.IDLE};
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            all.add(new Connection(
                    trace == Trace.MIXED ? kinds[random.nextInt(kinds.length)] : trace,
                    random.nextInt(STEPS / 2),
                    random));
        }
        return all;
    }

    private static long best(List<Connection> all, long saving) {
        long best = 0;
        for (Connection each : all) {
            best += Math.min(each.allUnits() * saving, PRICE_NANOS);
        }
        return best;
    }

    /**
     * The most beside the best: twice, and what passes while the first link is on trial, which is some seconds of a minute. Connections that
     * are too short for a link cost nothing at all beyond the best.
     */
    @ParameterizedTest
    @EnumSource
    void theCostIsNearTheBest(Trace trace) {
        for (long seed = 1; seed <= 20; seed++) {
            List<Connection> all = connections(trace, new SplittableRandom(seed));
            long best = best(all, 5_000);
            List<Connection> upgraded = new ArrayList<>();
            long cost = run(all, 5_000, 10, upgraded);
            long waiting = 3 * 20 * CONNECTIONS * 1_200 * 5_000L; // three seconds in which all pay rent
            assertThat(cost).as("%s, seed %d, best %d", trace, seed, best).isLessThanOrEqualTo(2 * best + waiting);
            assertThat(upgraded)
                    .as("%s, seed %d", trace, seed)
                    .allMatch(each -> each.trace != Trace.SHORT && each.trace != Trace.IDLE);
            if (trace == Trace.SHORT || trace == Trace.IDLE) {
                assertThat(cost).isEqualTo(best);
            }
            if (trace == Trace.LONG) {
                assertThat(upgraded).as("seed %d", seed).hasSize(CONNECTIONS);
            }
        }
    }

    /** Where links are slower than the kernel, a process of many busy connections tries a few of them in a minute. Bursts of random lengths mislead some trials. */
    @ParameterizedTest
    @EnumSource(names = {"LONG", "BURSTY", "MIXED"})
    void linksThatAreSlowerAreFewAndShort(Trace trace) {
        for (long seed = 1; seed <= 20; seed++) {
            List<Connection> upgraded = new ArrayList<>();
            List<Connection> all = connections(trace, new SplittableRandom(seed));
            long unused = run(all, 5_000, 0.5, upgraded);
            assertThat(upgraded)
                    .as("%s, seed %d", trace, seed)
                    .hasSizeBetween(trace == Trace.LONG ? 1 : 0, trace == Trace.LONG ? 15 : 2 * CONNECTIONS);
            if (trace == Trace.LONG) {
                assertThat(all)
                        .filteredOn(each -> each.hasLink)
                        .as("seed %d", seed)
                        .hasSizeLessThanOrEqualTo(1);
            }
        }
    }

    /**
     * The traffic of programs of other projects, which nobody made up ({@code traces/README.md}). The bound is as above, and these few
     * connections may pay the price that is taken for granted before one was measured. Only a connection gets a link whose traffic turns out to
     * be worth one.
     */
    @ParameterizedTest
    @ValueSource(strings = {"kafka-record", "grpc-unary", "hazelcast-pair", "derby-lookup"})
    void theCostOfRecordedTrafficIsNearTheBest(String program) throws IOException {
        List<Connection> all = recorded(program);
        List<Connection> upgraded = new ArrayList<>();
        long cost = run(all, 5_000, 10, upgraded);
        long waiting = all.stream().mapToLong(each -> each.mostIn(3 * 20)).sum() * 5_000L;
        long first = all.stream()
                .mapToLong(each -> Math.min(each.allUnits() * 5_000, UpgradePrices.FIRST_PRICE_NANOS))
                .sum();
        assertThat(cost).isLessThanOrEqualTo(2 * best(all, 5_000) + waiting + first);
        assertThat(upgraded).isNotEmpty().allMatch(each -> each.allUnits() * 5_000 >= PRICE_NANOS);
        long never = all.stream().mapToLong(Connection::allUnits).sum() * 5_000L;
        assertThat(cost).as("with no link at all it is %d", never).isLessThan(never);
    }

    /** Each line is a connection: the step in which it begins, and its units in each step; {@code 3x40} is 40 steps of 3. */
    private static List<Connection> recorded(String program) throws IOException {
        List<Connection> all = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                DecisionSimulationTest.class.getResourceAsStream("traces/" + program + ".txt"),
                StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                List<Integer> units = new ArrayList<>();
                for (int i = 1; i < words.length; i++) {
                    String[] run = words[i].split("x", -1);
                    int count = run.length == 1 ? 1 : Integer.parseInt(run[1]);
                    for (int k = 0; k < count; k++) {
                        units.add(Integer.parseInt(run[0]));
                    }
                }
                all.add(new Connection(Integer.parseInt(words[0]), units));
            }
        }
        assertThat(all).isNotEmpty();
        return all;
    }
}
