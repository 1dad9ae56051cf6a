package io.accel.samples.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The kernel's table of TCP connections, which knows nothing of accelerated ones. */
final class Kernel {
    private static final String ESTABLISHED = "01";

    private Kernel() {}

    /** How many established connections there are at these ports of servers. */
    static long connectionsAt(List<Integer> ports) throws IOException {
        long count = 0;
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (!Files.exists(Path.of(table))) {
                continue;
            }
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.trim().split("\\s+", -1);
                for (int port : ports) {
                    boolean here = fields[1].endsWith(String.format(Locale.ROOT, ":%04X", port));
                    count += here && fields[3].equals(ESTABLISHED) ? 1 : 0;
                }
            }
        }
        return count;
    }
}
