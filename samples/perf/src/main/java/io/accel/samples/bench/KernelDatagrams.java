// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * How many bytes of datagrams the kernel carried: its own count of them, which those of other programs add to. Those sent are
 * counted, since Soft-RoCE's packets come in as datagrams, too, but do not go out as such.
 */
final class KernelDatagrams {
    private static final Path COUNTERS = Path.of("/proc/self/net/snmp");
    private static final String PREFIX = "Udp: ";

    private final int size;

    /** @param size what a datagram counts for: its bytes as often as they pass through a system call */
    KernelDatagrams(int size) {
        this.size = size;
    }

    /** So far; -1 if this system does not say. */
    long bytes() throws IOException {
        try {
            List<List<String>> lines = Files.readAllLines(COUNTERS).stream()
                    .filter(line -> line.startsWith(PREFIX))
                    .map(line -> List.of(line.split(" ", -1)))
                    .toList();
            return size * Long.parseLong(lines.get(1).get(lines.get(0).indexOf("OutDatagrams")));
        } catch (NoSuchFileException notLinux) {
            return -1;
        }
    }
}
