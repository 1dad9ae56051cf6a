package io.accel.core.fabric.shm;

import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Leaves descriptors to the program. A link takes one at each end, for its doorbell, and a program that needs nearly all that it may
 * have is not to fail because of links. Where each connection has one they get an eighth of all. Any thread.
 */
final class DescriptorReserve {
    /** How many the process may have; 0 if that is not known, or any number. */
    private static final long LIMIT = limit(Path.of("/proc/self/limits"));

    /** Links are made as long as no more than one part in so many is in use. */
    private static final int SHARE = 4;
    /** The JVM itself has some tens, and so where there are few in all it is this many, but no more than half. */
    private static final long FEW = 128;

    private static final String LINE = "Max open files";

    private DescriptorReserve() {}

    /**
     * Looks whether those that links may be made beside are in use. The kernel gives the lowest number that is free, so that a
     * new one tells about how many are.
     *
     * @param doorbell of the link that is to be made, just opened
     * @throws FallbackException NO_RESOURCES if they are
     */
    static void check(SelectableChannel doorbell) throws FallbackException {
        check(JdkAccess.descriptor(doorbell), LIMIT);
    }

    static void check(int number, long limit) throws FallbackException {
        long most = Math.max(limit / SHARE, Math.min(limit / 2, FEW));
        if (limit > 0 && number >= most) {
            throw new FallbackException(
                    FallbackReason.NO_RESOURCES,
                    most + " of the " + limit
                            + " file descriptors that this process may have (ulimit -n) are in use, and the"
                            + " others are left to the program",
                    true);
        }
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
