// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The memory that processes take at a moment.
 *
 * @param bytes their own memory, and all shared memory of the system: the memory of other programs counts, too
 * @param descriptors the descriptors that they have open
 */
record Footprint(long bytes, long descriptors) {
    private static final Path SHARED = Path.of("/dev/shm");
    private static final String OWN = "RssAnon:";

    /**
     * Now.
     *
     * @param heaps bytes in use of their heaps, which are resident as a whole
     */
    static Footprint of(long heaps, long... pids) throws IOException {
        long bytes = heaps;
        long descriptors = 0;
        if (Files.isDirectory(SHARED)) {
            bytes += Files.getFileStore(SHARED).getTotalSpace()
                    - Files.getFileStore(SHARED).getUnallocatedSpace();
        }
        for (long pid : pids) {
            Path process = Path.of("/proc", Long.toString(pid));
            bytes += own(process.resolve("status"));
            try (Stream<Path> open = Files.list(process.resolve("fd"))) {
                descriptors += open.count();
            }
        }
        return new Footprint(bytes, descriptors);
    }

    private static long own(Path status) throws IOException {
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith(OWN)) {
                return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException(status + " does not have the process's own memory (" + OWN + ")");
    }

    /** The memory of each of the {@code connections} that were opened between {@code few} and now. */
    Extra eachSince(Footprint few, int connections) {
        return new Extra(
                (double) (bytes - few.bytes) / connections,
                (double) (descriptors - few.descriptors) / connections,
                Double.NaN,
                Double.NaN,
                Double.NaN);
    }
}
