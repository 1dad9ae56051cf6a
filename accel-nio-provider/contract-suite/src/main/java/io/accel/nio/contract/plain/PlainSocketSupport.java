// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import io.accel.nio.net.AccelSockets;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;

/**
 * Base of the tests of {@code java.net.Socket} and {@code ServerSocket} that no channel made. On Accel's paths they are the sockets
 * that the agent makes.
 */
abstract class PlainSocketSupport extends ContractSupport {
    static {
        if (Path.current() != Path.JDK) {
            List<String> kept = AccelSockets.install();
            if (!kept.isEmpty()) {
                throw new IllegalStateException(kept + " had a factory before");
            }
        }
    }

    /** The two ends of one connection. */
    record Sockets(Socket client, Socket server) {}

    final ServerSocket server() throws IOException {
        return closing(new ServerSocket(0, 50, host()));
    }

    final Sockets sockets() throws IOException {
        try (ServerSocket server = server()) {
            return sockets(server);
        }
    }

    final Sockets sockets(ServerSocket server) throws IOException {
        Socket client = closing(new Socket(server.getInetAddress(), server.getLocalPort()));
        return new Sockets(client, closing(server.accept()));
    }

    static void write(Socket socket, String ascii) throws IOException {
        socket.getOutputStream().write(Bytes.ascii(ascii).array());
    }

    static String read(Socket socket, int length) throws IOException {
        byte[] bytes = new byte[length];
        new DataInputStream(socket.getInputStream()).readFully(bytes);
        return new String(bytes, java.nio.charset.StandardCharsets.US_ASCII);
    }

    /** Fills both ends' buffers, as far as the socket takes bytes; in the end the writing thread waits. */
    final Task<Void> startFilling(Socket socket) {
        return run(() -> {
            byte[] chunk = new byte[64 << 10];
            OutputStream out = socket.getOutputStream();
            while (true) {
                out.write(chunk);
            }
        });
    }

    /** Asserts that a connection of this test has memory of its own where that memory has to carry the bytes, and nowhere else. */
    static void assertOnPath(Set<String> before) throws IOException {
        MappedRings.assertOnPath(before, "a socket");
    }
}
