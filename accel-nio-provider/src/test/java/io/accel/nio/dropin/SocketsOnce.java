package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A program that knows nothing of Accel, and nothing of channels: sends itself a byte and says what carried it. */
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
            System.out.println("kernel's " + isKernels(client.getLocalPort(), client.getPort()));
        }
    }

    private static boolean isKernels(int local, int remote) throws IOException {
        boolean found = false;
        for (String table : new String[] {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
            for (String line : java.nio.file.Files.readAllLines(java.nio.file.Path.of(table))) {
                String[] fields = line.trim().split(" +", 5);
                found |= fields[3].equals("01") && fields[1].endsWith(hex(local)) && fields[2].endsWith(hex(remote));
            }
        }
        return found;
    }

    private static String hex(int port) {
        return String.format(java.util.Locale.ROOT, ":%04X", port);
    }
}
