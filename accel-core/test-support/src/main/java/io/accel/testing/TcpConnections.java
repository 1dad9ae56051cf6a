// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Ends TCP connections of this host from outside, as an operator does. */
public final class TcpConnections {
    private static final int LIMIT_SECONDS = 10;

    private TcpConnections() {}

    /** Whether this process may. */
    public static boolean mayBeKilled() {
        return "root".equals(System.getProperty("user.name"));
    }

    /**
     * Kills the end of a connection with that local address. The other end gets a reset, of which its kernel knows on return.
     *
     * @throws IOException if there is no such connection
     */
    public static void kill(SocketAddress local, SocketAddress remote) throws IOException, InterruptedException {
        String which = "sport = :" + port(local) + " and dport = :" + port(remote);
        Process ss = new ProcessBuilder("ss", "-K", "-n", "-t", which)
                .redirectErrorStream(true)
                .start();
        String said = new String(ss.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        if (!ss.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || !said.contains(":" + port(remote))) {
            throw new IOException("not killed: " + which + ": " + said);
        }
    }

    private static int port(SocketAddress address) {
        return ((InetSocketAddress) address).getPort();
    }
}
