// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Settings for loops that have to look: on a busy machine other loops fall asleep at once. */
final class Looking {
    private Looking() {}

    /** Like {@code latency}, even if others want the cores. */
    static AccelIoHandlerConfig config() {
        try {
            Path file = Files.createTempFile("accel-looking", ".properties");
            try {
                Files.writeString(file, "include=latency\npoll.yield=never\n");
                return AccelIoHandlerConfig.ofProfile(file.toString());
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
