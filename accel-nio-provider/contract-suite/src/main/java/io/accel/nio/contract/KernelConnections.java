// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The TCP connections that the kernel lists (Linux, {@code /proc/net/tcp}): the state of a connect, or of a reset, by now. */
public final class KernelConnections {
    private static final List<java.nio.file.Path> TABLES =
            List.of(java.nio.file.Path.of("/proc/net/tcp"), java.nio.file.Path.of("/proc/net/tcp6"));

    private static final String ANY = "[0-9A-F]+";
    private static final String UNANSWERED = "02";

    private KernelConnections() {}

    public static boolean areKnown() {
        return Files.isReadable(TABLES.get(0));
    }

    /** Whether a connect to such a port waits for the kernel's first answer, as it does if a backlog is full. */
    static boolean isUnanswered(int port) throws IOException {
        return isListed(ANY, hex(port), UNANSWERED);
    }

    /** Whether a connection is listed, as it is after an end in order, but not after a reset. */
    public static boolean lists(Socket socket) throws IOException {
        return isListed(hex(socket.getLocalPort()), hex(socket.getPort()), ANY);
    }

    private static String hex(int port) {
        return String.format(Locale.ROOT, "%04X", port);
    }

    private static boolean isListed(String localPort, String remotePort, String state) throws IOException {
        // A line has its number, the local address, the remote one, the state, and more.
        Pattern wanted = Pattern.compile(String.format(
                Locale.ROOT, "(?m)^ *[0-9]+: [0-9A-F]+:%s [0-9A-F]+:%s %s ", localPort, remotePort, state));
        for (java.nio.file.Path table : TABLES) {
            if (Files.isReadable(table)) {
                String listed = Files.readString(table, StandardCharsets.US_ASCII);
                if (wanted.matcher(listed).find()) {
                    return true;
                }
            }
        }
        return false;
    }
}
