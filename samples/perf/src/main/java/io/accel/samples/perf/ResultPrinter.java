// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Prints the result of a comparison: the table, and below it sentences about what the table alone does not say. */
final class ResultPrinter {
    /** The most processors that other programs use without a remark. */
    private static final double FEW = 0.1;
    /** The largest part of the time that the hypervisor takes without a remark. */
    private static final double LITTLE = 0.01;

    private ResultPrinter() {}

    /** @param place a sentence on where both ends ran */
    static void print(Result result, String place, PrintStream out) {
        out.print(TablePrinter.print(result.rows()));
        notes(result).forEach(out::println);
        out.println(place);
    }

    /** Sentences about what the table alone does not say. */
    static List<String> notes(Result result) {
        List<String> notes = new ArrayList<>();
        for (Variant variant : BenchCase.IDLE_1.variants()) {
            among(result, BenchCase.IDLE_1000, "With 1,000 connections open", variant)
                    .ifPresent(notes::add);
            among(result, BenchCase.IDLE_10000, "With 10,000 connections open", variant)
                    .ifPresent(notes::add);
            among(result, BenchCase.BURST, "100 ms after 2,000 other connections had a message each", variant)
                    .ifPresent(notes::add);
        }
        for (Variant variant : BenchCase.DATAGRAM_ONE_PEER.variants()) {
            among(result, BenchCase.DATAGRAM_PEERS, "With 200 peers of a server", variant)
                    .ifPresent(notes::add);
        }
        notes.addAll(YoungNotes.of(result));
        result.rows().stream()
                .filter(row -> !row.crowd().isEmpty())
                .map(row -> row.benchCase() + ": " + row.crowd() + ".")
                .distinct()
                .forEach(notes::add);
        Conditions worst =
                Conditions.worst(result.rows().stream().map(Row::conditions).toList());
        busy(worst).ifPresent(notes::add);
        long cold =
                result.rows().stream().filter(row -> !row.conditions().warm()).count();
        if (cold > 0) {
            notes.add(cold + " of " + result.rows().size()
                    + " rows were measured before the programs were warm: within the time for it the compilers did not"
                    + " come to rest, or no two windows agreed.");
        }
        return notes;
    }

    private static Optional<String> busy(Conditions worst) {
        if (worst.others() > FEW || worst.steal() > LITTLE) {
            return Optional.of("The machine was not idle: other programs kept up to " + Quantity.micros(worst.others())
                    + " processors busy, the hypervisor took up to " + Quantity.share(worst.steal())
                    + " of the time, and the load average was up to " + Quantity.micros(worst.load()) + ".");
        }
        return Optional.empty();
    }

    /** A sentence on the time of a round trip among many, as a multiple of its time alone. */
    private static Optional<String> among(Result result, BenchCase many, String when, Variant variant) {
        return many.oneAlone().flatMap(one -> result.row(one, variant)).flatMap(alone -> result.row(many, variant)
                .map(row -> when + ", a round trip over " + variant.words() + " took "
                        + Quantity.times(
                                row.figures().p50Micros() / alone.figures().p50Micros()) + " as long as with one."));
    }
}
