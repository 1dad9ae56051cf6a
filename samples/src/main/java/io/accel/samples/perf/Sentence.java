package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Says what a comparison saw, from its figures alone. */
final class Sentence {
    private Sentence() {}

    static String about(Result result) {
        List<String> clauses = new ArrayList<>();
        result.row(BenchCase.PINGPONG, Variant.ACCELERATED)
                .ifPresent(shm -> clauses.add(roundTrip(shm, result.row(BenchCase.PINGPONG, Variant.KERNEL))));
        result.row(BenchCase.STREAM_64K, Variant.ACCELERATED)
                .ifPresent(shm -> clauses.add(stream(shm, result.row(BenchCase.STREAM_64K, Variant.KERNEL))));
        result.row(BenchCase.STREAM_64, Variant.ACCELERATED)
                .ifPresent(shm -> clauses.add(messages(shm, result.row(BenchCase.STREAM_64, Variant.KERNEL))));
        if (clauses.isEmpty()) {
            return "Nothing was accelerated" + kernelOnly(result) + ".";
        }
        return "The same unmodified java.nio programs over shared memory instead of the kernel's sockets: "
                + String.join("; ", clauses) + ".";
    }

    private static String roundTrip(Row shm, Optional<Row> kernel) {
        return "a 64-byte round trip took " + Quantity.micros(shm.figures().p50Micros()) + " us"
                + kernel.map(row -> " instead of "
                                + Quantity.micros(row.figures().p50Micros()) + " us (" + better(shm) + ")")
                        .orElse("");
    }

    private static String stream(Row shm, Optional<Row> kernel) {
        return "64 KiB writes moved " + Quantity.scaled(shm.figures().bytesPerSecond()) + "B/s"
                + kernel.map(row -> " instead of "
                                + Quantity.scaled(row.figures().bytesPerSecond()) + "B/s (" + better(shm) + ")")
                        .orElse("");
    }

    private static String messages(Row shm, Optional<Row> kernel) {
        return "64-byte messages went at " + Quantity.scaled(shm.figures().messagesPerSecond()) + "/s"
                + kernel.map(row -> " instead of "
                                + Quantity.scaled(row.figures().messagesPerSecond()) + "/s (" + better(shm) + ")")
                        .orElse("");
    }

    private static String better(Row shm) {
        return Quantity.times(shm.vsKernel()) + (shm.vsKernel() >= 1 ? " better" : ", worse");
    }

    private static String kernelOnly(Result result) {
        return result.row(BenchCase.PINGPONG, Variant.KERNEL)
                .map(row -> ": over the kernel's sockets a 64-byte round trip took "
                        + Quantity.micros(row.figures().p50Micros()) + " us")
                .orElse("");
    }
}
