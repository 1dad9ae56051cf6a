package io.accel.nio.contract;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The TCP connections that the kernel knows of (Linux, {@code /proc/net/tcp}). It tells, without asking the provider, whether
 * the bytes of a connection bypass the kernel.
 */
final class KernelConnections {
    private static final java.nio.file.Path[] TABLES = {
        java.nio.file.Path.of("/proc/net/tcp"), java.nio.file.Path.of("/proc/net/tcp6")
    };

    private KernelConnections() {}

    static boolean areKnown() {
        return Files.isReadable(TABLES[0]);
    }

    /** Whether the kernel has an established connection between the two ports of a connected channel. */
    static boolean contain(SocketChannel channel) throws IOException {
        // A line has its number, the local address, the remote one, the state (1 is established), and more.
        Pattern wanted = Pattern.compile(String.format(
                Locale.ROOT,
                ":%04X [0-9A-F]+:%04X 01 ",
                port(channel.getLocalAddress()),
                port(channel.getRemoteAddress())));
        for (java.nio.file.Path table : TABLES) {
            if (Files.isReadable(table)
                    && wanted.matcher(Files.readString(table, StandardCharsets.US_ASCII))
                            .find()) {
                return true;
            }
        }
        return false;
    }

    private static int port(SocketAddress address) {
        return ((InetSocketAddress) address).getPort();
    }
}
