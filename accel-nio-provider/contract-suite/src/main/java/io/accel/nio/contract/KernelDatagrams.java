// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The datagrams that the kernel holds for its UDP sockets (Linux, {@code /proc/net/udp}). It shows, without asking the provider,
 * whether datagrams that were sent and not yet received bypass the kernel.
 */
public final class KernelDatagrams {
    private static final java.nio.file.Path[] TABLES = {
        java.nio.file.Path.of("/proc/net/udp"), java.nio.file.Path.of("/proc/net/udp6")
    };

    private KernelDatagrams() {}

    public static boolean areKnown() {
        return Files.isReadable(TABLES[0]);
    }

    /**
     * Waits for the next datagram, and says whether the kernel holds it. The datagram has come before the kernel is asked, since a
     * kernel whose processors are busy delivers a datagram after the sending call has returned.
     *
     * @param channel bound, registered with no selector, and sent a datagram that is not received yet; it keeps its blocking mode
     * @param limitMillis how long to wait at the most, in ms
     */
    public static boolean carryNextOf(DatagramChannel channel, long limitMillis) throws IOException {
        boolean blocking = channel.isBlocking();
        channel.configureBlocking(false);
        try (Selector selector = channel.provider().openSelector()) {
            channel.register(selector, SelectionKey.OP_READ);
            assertThat(selector.select(limitMillis))
                    .as("channels with something to receive, after %d ms: %s", limitMillis, channel)
                    .isOne();
        }
        channel.configureBlocking(blocking);
        return waitFor(channel);
    }

    /** Whether the kernel holds a datagram for a socket with the port of a bound channel, now. */
    public static boolean waitFor(DatagramChannel channel) throws IOException {
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
