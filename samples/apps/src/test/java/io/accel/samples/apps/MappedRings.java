// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of connections that have left the kernel, which this process has mapped, as the kernel lists them. */
final class MappedRings {
    private MappedRings() {}

    /** Whether all connections are the kernel's. */
    static boolean none() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1).stream()
                .noneMatch(line -> line.contains("/ring-"));
    }
}
