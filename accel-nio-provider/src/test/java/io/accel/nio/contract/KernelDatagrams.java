package io.accel.nio.contract;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The datagrams that the kernel holds for its UDP sockets (Linux, {@code /proc/net/udp}). It tells, without asking the provider,
 * whether datagrams that were sent, and not received yet, bypass the kernel.
 */
final class KernelDatagrams {
    private static final java.nio.file.Path[] TABLES = {
        java.nio.file.Path.of("/proc/net/udp"), java.nio.file.Path.of("/proc/net/udp6")
    };

    private KernelDatagrams() {}

    static boolean areKnown() {
        return Files.isReadable(TABLES[0]);
    }

    /** Whether the kernel holds a datagram for a socket with the port of a bound channel. */
    static boolean waitFor(DatagramChannel channel) throws IOException {
        int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        // A line has its number, the local address, the remote one, the state, the bytes to send and those to receive,
        // and more.
        Pattern wanted = Pattern.compile(String.format(
                Locale.ROOT,
                "(?m)^ *[0-9]+: [0-9A-F]+:%04X [0-9A-F]+:[0-9A-F]+ [0-9A-F]+ [0-9A-F]+:([0-9A-F]+) ",
                port));
        for (java.nio.file.Path table : TABLES) {
            if (Files.isReadable(table)) {
                Matcher matcher = wanted.matcher(Files.readString(table, StandardCharsets.US_ASCII));
                while (matcher.find()) {
                    if (Long.parseLong(matcher.group(1), 16) > 0) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
