// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The connections over shared memory of a process, as the kernel lists them: each is a file that the process has mapped. */
final class Rings {
    private Rings() {}

    /** The number of connections whose files' names contain a part. */
    static long of(long pid, String part) throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/" + pid + "/maps"), StandardCharsets.ISO_8859_1)) {
            return maps.filter(line -> line.contains("/ring-") && line.contains(part))
                    .map(line -> line.substring(line.indexOf('/')))
                    .distinct()
                    .count();
        }
    }
}
