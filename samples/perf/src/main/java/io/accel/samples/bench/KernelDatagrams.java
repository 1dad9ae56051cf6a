// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * How many bytes of datagrams the kernel carried, by its own count, which includes other programs' datagrams. Sent ones are
 * counted, since Soft-RoCE's packets also come in as datagrams, but do not go out as such.
 */
final class KernelDatagrams {
    private static final Path COUNTERS = Path.of("/proc/self/net/snmp");
    private static final String PREFIX = "Udp: ";

    private final int size;

    /** @param size the count of a datagram: its bytes as often as they pass through a system call */
    KernelDatagrams(int size) {
        this.size = size;
    }

    /** The count so far; -1 if this system does not have it. */
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
