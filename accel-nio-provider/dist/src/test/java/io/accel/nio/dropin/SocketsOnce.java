// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A program that knows nothing of Accel, and nothing of channels: it sends itself a byte and prints the byte's path. */
final class SocketsOnce {
    private SocketsOnce() {}

    @SuppressWarnings("deprecation") // as old programs do
    public static void main(String[] args) throws IOException {
        if (args.length > 0 && args[0].equals("factory")) {
            try {
                Socket.setSocketImplFactory(null);
                System.out.println("factory set");
            } catch (IOException e) {
                System.out.println("factory refused");
            }
        }
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket server = listener.accept()) {
            client.getOutputStream().write(7);
            System.out.println("read " + server.getInputStream().read());
            System.out.println("kernel's " + isKernels());
        }
    }

    /** A connection that leaves the kernel has a file in shared memory, which both ends have mapped. */
    static boolean isKernels() throws IOException {
        return java.nio.file.Files.readAllLines(
                        java.nio.file.Path.of("/proc/self/maps"), java.nio.charset.StandardCharsets.ISO_8859_1)
                .stream()
                .noneMatch(line -> line.contains("/ring-"));
    }
}
