package io.accel.samples.perf;

import java.io.PrintStream;
import java.util.Optional;

/** Prints what a comparison gave: the table, and below it what the table alone does not say. */
final class ResultPrinter {
    private ResultPrinter() {}

    static void print(Result result, Cores cores, PrintStream out) {
        out.print(TablePrinter.print(result.rows()));
        for (Variant variant : BenchCase.IDLE_1000.variants()) {
            amongMany(result, variant).ifPresent(out::println);
        }
        out.println(cores.describe());
    }

    /** How much longer a round trip takes when a thousand other connections are open. */
    static Optional<String> amongMany(Result result, Variant variant) {
        return result.row(BenchCase.IDLE_1, variant)
                .flatMap(alone -> result.row(BenchCase.IDLE_1000, variant).map(many -> {
                    double ratio = many.figures().p50Micros() / alone.figures().p50Micros();
                    return "With 1,000 connections open, a round trip over " + variant.path + " took "
                            + Quantity.times(ratio) + " as long as with one.";
                }));
    }
}
