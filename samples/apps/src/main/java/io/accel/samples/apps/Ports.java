// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

/** Ports for servers that have to be given one. */
public final class Ports {
    private static final int PAUSE_MILLIS = 50;

    private Ports() {}

    /** A port of the loopback interface that was free a moment ago. */
    public static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Waits until somebody listens on a port of the loopback interface. */
    static void awaitListener(int port, Duration patience) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException e) {
                if (System.nanoTime() > deadline) {
                    throw new IOException(
                            "nobody listens on port " + port + " after " + patience.toSeconds() + " s", e);
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }
}
