// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Shortage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the file descriptors that links take. Each link has one at each end, for its doorbell. A program that needs
 * nearly all descriptors of the process must not fail because of links, so they get an eighth. Any thread.
 */
final class DescriptorShare {
    /** How many descriptors the process may have; 0 if that is not known, or not limited. */
    private static final long LIMIT = limit(Path.of("/proc/self/limits"));

    /** Links may have one part of this many. */
    private static final int PARTS = 8;

    private static final String LINE = "Max open files";

    private static final AtomicLong TAKEN = new AtomicLong();

    private DescriptorShare() {}

    /**
     * Takes a descriptor, before it is opened; its owner gives it back, once, after it is closed.
     *
     * @throws FallbackException NO_RESOURCES if links have their share, and no descriptor was taken
     */
    static void take() throws FallbackException {
        take(LIMIT);
    }

    static void take(long limit) throws FallbackException {
        if (TAKEN.incrementAndGet() > limit / PARTS && limit > 0) {
            giveBack();
            throw Shortage.of(
                    FallbackReason.NO_RESOURCES,
                    "connections with faster paths have " + limit / PARTS + " of the " + limit
                            + " file descriptors that this process may have (ulimit -n), and the others are left to the"
                            + " program");
        }
    }

    static void giveBack() {
        TAKEN.decrementAndGet();
    }

    /** The limit in force, as the kernel prints it; 0 if there is none. */
    static long limit(Path limits) {
        try {
            List<String> lines = Files.readAllLines(limits);
            for (String line : lines) {
                if (line.startsWith(LINE)) {
                    return Long.parseLong(line.substring(LINE.length()).strip().split("\\s+", -1)[0]);
                }
            }
        } catch (IOException | SecurityException | NumberFormatException e) {
            return 0; // another system, or "unlimited"
        }
        return 0;
    }
}
