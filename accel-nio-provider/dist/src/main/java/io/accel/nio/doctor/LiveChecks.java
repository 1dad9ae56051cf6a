// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import io.accel.PathInfo;
import io.accel.nio.AccelSelectorProvider;
import io.accel.nio.AccelSocketChannel;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Checks connections of this process to itself, over one path and no other, and compares their bytes. */
final class LiveChecks {
    private static final int BULK = 1 << 20;
    private static final int ROUNDS = 2_000;
    private static final int BACKLOG = 1;

    /**
     * The time limit of a handshake. A process that has just begun loads the classes for it meanwhile, which takes seconds on a busy
     * machine. The check is not about that time.
     */
    static final String HANDSHAKE = "30s";

    private LiveChecks() {}

    static List<Finding> sharedMemory(Profile profile) {
        return List.of(check(
                "shm.live",
                profile,
                "shm",
                InetAddress.getLoopbackAddress(),
                "see docs/TROUBLESHOOTING.md for the reason code"));
    }

    /** Checks a connection over the fabric to a listener on the address, both in this process. */
    static Finding check(String name, Profile profile, String fabric, InetAddress address, String advice) {
        try {
            AccelSelectorProvider provider = new AccelSelectorProvider(Profile.load(
                    profile.name(),
                    Map.of(
                            "mode",
                            "accelerate",
                            "fabric.order",
                            fabric,
                            "handover.after",
                            "connect",
                            "connect.probe-timeout",
                            HANDSHAKE,
                            "handshake.timeout",
                            HANDSHAKE,
                            "poll.spin",
                            "1ms",
                            "shm.dir",
                            profile.get(io.accel.profile.Keys.SHM_DIR).toString())));
            double micros = exchange(provider, address);
            return Finding.ok(
                    name,
                    String.format(
                            Locale.ROOT,
                            "%d MiB there and back over %s at %s, all bytes right; 64 B round trip %.1f us, not warmed up",
                            BULK >> 20,
                            fabric,
                            address.getHostAddress(),
                            micros));
        } catch (IOException e) {
            return Finding.fail(
                    name,
                    "no connection over " + fabric + " at " + address.getHostAddress() + ": " + e.getMessage(),
                    advice);
        }
    }

    private static double exchange(AccelSelectorProvider provider, InetAddress address) throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(address, 0), BACKLOG);
            try (SocketChannel client = provider.openSocketChannel()) {
                client.connect(listener.getLocalAddress());
                try (SocketChannel server = listener.accept()) {
                    PathInfo path = ((AccelSocketChannel) client).path();
                    if (!path.isAccelerated()) {
                        throw new IOException(path.reason() + ": " + path.detail());
                    }
                    Thread echo = new Thread(() -> echo(server), "accel-doctor-echo");
                    echo.setDaemon(true);
                    echo.start();
                    double micros = roundTrips(client);
                    compareBulk(client);
                    return micros;
                }
            }
        }
    }

    private static void echo(SocketChannel server) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        try {
            while (server.read(buffer.clear()) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    server.write(buffer);
                }
            }
        } catch (IOException e) {
            // The client's side reports the reason.
        }
    }

    /** Returns the median round trip in microseconds. */
    private static double roundTrips(SocketChannel client) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(64);
        long[] nanos = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            client.write(message.clear());
            message.clear();
            while (message.hasRemaining()) {
                if (client.read(message) < 0) {
                    throw new IOException("the connection ended during the check");
                }
            }
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return nanos[ROUNDS / 2] / 1e3;
    }

    private static void compareBulk(SocketChannel client) throws IOException {
        byte[] sent = new byte[BULK];
        new Random(BULK).nextBytes(sent);
        byte[] received = new byte[BULK];
        int piece = 1 << 14; // far less than the rings of both directions hold
        for (int at = 0; at < BULK; at += piece) {
            ByteBuffer out = ByteBuffer.wrap(sent, at, piece);
            while (out.hasRemaining()) {
                client.write(out);
            }
            ByteBuffer in = ByteBuffer.wrap(received, at, piece);
            while (in.hasRemaining()) {
                if (client.read(in) < 0) {
                    throw new IOException("the connection ended during the check");
                }
            }
        }
        int wrong = Arrays.mismatch(sent, received);
        if (wrong >= 0) {
            throw new IOException("byte " + wrong + " came back wrong");
        }
    }
}
