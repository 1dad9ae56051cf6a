// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The file descriptors of this process: how many it may have, and has. Any thread. */
public final class OpenFiles {
    private static final Path ALWAYS_THERE = Path.of("/dev/null");
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final String LINE = "Max open files";

    /** How many descriptors the process may have; 0 if that is not known, or not limited. */
    public static final long LIMIT = limit(Path.of("/proc/self/limits"));

    private OpenFiles() {}

    /** Whether the process can open another file. It opens one, and closes it. */
    public static boolean canOpen() {
        try (FileChannel channel = FileChannel.open(ALWAYS_THERE, StandardOpenOption.READ)) {
            return channel.isOpen();
        } catch (NoSuchFileException | AccessDeniedException e) {
            return true; // a process without descriptors does not learn of either
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the process may open more files than so many. */
    public static boolean hasMoreThan(int few) {
        return free() > few;
    }

    /** How many more descriptors the process may open; {@link Long#MAX_VALUE} if that is not limited. */
    public static long free() {
        return LIMIT == 0 ? Long.MAX_VALUE : LIMIT - open();
    }

    private static long open() {
        try {
            long counted = Files.size(OPEN); // by Linux 6.2 and newer
            return counted > 0 ? counted : list();
        } catch (IOException e) {
            return LIMIT; // none is left to look with
        } catch (SecurityException e) {
            return 0;
        }
    }

    private static long list() throws IOException {
        long count = -1; // without the one that lists
        try (DirectoryStream<Path> all = Files.newDirectoryStream(OPEN)) {
            for (Path unused : all) {
                count++;
            }
        }
        return count;
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
