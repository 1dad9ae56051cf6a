// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The resources that a process holds while nothing is under way.
 *
 * @param heap live bytes
 * @param resident bytes of its own memory, without files and shared memory
 * @param descriptors open files
 * @param mappings memory mappings
 */
record Held(long heap, long resident, int descriptors, int mappings) {
    /** Caches and pools that fill for a while. */
    private static final long MORE_HEAP = 6L << 20;

    /** Memory that the compiler took for a large method and {@code malloc} kept; the heap is resident from the start. */
    private static final long MORE_RESIDENT = 32L << 20;

    /** As long as most of the code is still to be compiled. */
    private static final long MORE_RESIDENT_COLD = 64L << 20;

    /** A thread that sleeps beside others for the first time leaves four to later sleepers; a leak would be thousands. */
    private static final int MORE_DESCRIPTORS = 16;
    /** The stacks of the compiler's threads, which come and go, and code. */
    private static final int MORE_MAPPINGS = 40;

    /** The resources that this process holds. */
    static Held byThis(long heap) throws IOException {
        Path process = Path.of("/proc/self");
        return new Held(
                heap,
                residentIn(Files.readAllLines(process.resolve("status"))),
                count(process.resolve("fd")),
                Files.readAllLines(process.resolve("maps")).size());
    }

    /** As {@link #fields} has it. */
    static Held of(Map<String, String> fields) {
        return new Held(
                Long.parseLong(fields.get("heap")),
                Long.parseLong(fields.get("resident")),
                Integer.parseInt(fields.get("descriptors")),
                Integer.parseInt(fields.get("mappings")));
    }

    /** For {@link #of}, perhaps on another host. */
    String fields() {
        return "heap=" + heap + " resident=" + resident + " descriptors=" + descriptors + " mappings=" + mappings;
    }

    private static long residentIn(List<String> status) throws IOException {
        return status.stream()
                .filter(line -> line.startsWith("RssAnon:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst()
                .orElseThrow(() -> new IOException("the kernel does not say RssAnon"));
    }

    private static int count(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return (int) entries.count();
        }
    }

    /**
     * Sentences about what has grown by more than it should since {@code before}.
     *
     * @param warm whether its code had been compiled by then
     */
    List<String> growthSince(Held before, String who, boolean warm) {
        List<String> grown = new ArrayList<>();
        check(grown, who + "'s heap in use", before.heap, heap, MORE_HEAP);
        check(grown, who + "'s resident memory", before.resident, resident, warm ? MORE_RESIDENT : MORE_RESIDENT_COLD);
        check(grown, who + "'s descriptors", before.descriptors, descriptors, MORE_DESCRIPTORS);
        check(grown, who + "'s mappings", before.mappings, mappings, MORE_MAPPINGS);
        return grown;
    }

    private static void check(List<String> grown, String what, long before, long now, long more) {
        if (now > before + more) {
            grown.add(String.format(Locale.ROOT, "%s went from %,d to %,d", what, before, now));
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "heap %.1f MiB, resident %.1f MiB, %d descriptors, %d mappings",
                heap / (double) (1 << 20),
                resident / (double) (1 << 20),
                descriptors,
                mappings);
    }
}
