// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The memory that connections past the kernel have mapped into this process, as the system shows it: over shared memory a file on a memory
 * file system, over RDMA the queues of a device.
 */
public final class MappedRings {
    private static final java.nio.file.Path MAPS = java.nio.file.Path.of("/proc/self/maps");
    private static final String RING = "/ring-";
    private static final String DEVICE = "/dev/infiniband/uverbs";
    /** For both ends: each has a completion queue, and its queue pair has two. */
    private static final int QUEUES = 6;

    private static final Duration FIRST_MOVE = Duration.ofSeconds(60);

    private MappedRings() {}

    public static boolean areKnown() {
        return Files.isReadable(MAPS);
    }

    /** Their names and places in the file; each is used once. */
    public static Set<String> names() throws IOException {
        if (!areKnown()) {
            return Set.of();
        }
        try (Stream<String> lines = Files.lines(MAPS, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains(RING) || line.contains(DEVICE))
                    // The address may belong to another mapping later; the rights come after it, then the place.
                    .map(line -> line.substring(line.indexOf(' ')))
                    .collect(Collectors.toSet());
        }
    }

    /** How many new connections over shared memory there are. */
    public static int newRings(Set<String> before) throws IOException {
        Set<String> now = new HashSet<>(names());
        now.removeAll(before);
        return (int) now.stream().filter(name -> name.contains(RING)).count();
    }

    /** The path of a new connection with both ends in this process, when only the mappings of {@code before} existed. */
    public static Path pathOfNew(Set<String> before) throws IOException {
        Set<String> now = new HashSet<>(names());
        now.removeAll(before);
        if (now.stream().anyMatch(name -> name.contains(RING))) {
            return Path.SHM;
        }
        return now.size() >= QUEUES ? Path.RDMA : Path.KERNEL;
    }

    /**
     * Checks {@link #pathOfNew} against the expected path of this run; the message names the connection. A connection may move some time after
     * it was accepted: an accept waits for that for two seconds at most, and not at all for a process on another host that has just begun to load
     * RDMA's libraries.
     */
    public static void assertOnPath(Set<String> before, Object connection) throws IOException {
        if (areKnown()) {
            Path expected = Path.current() == Path.JDK ? Path.KERNEL : Path.current();
            if (expected != Path.KERNEL) {
                await("the path of " + connection)
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(20))
                        .atMost(FIRST_MOVE)
                        .until(() -> pathOfNew(before) == expected);
            }
            assertThat(pathOfNew(before)).as("the path of %s", connection).isEqualTo(expected);
        }
    }
}
