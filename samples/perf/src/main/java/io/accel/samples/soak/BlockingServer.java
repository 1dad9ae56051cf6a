// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Serves with {@code java.net.Socket}s, in a thread for each connection. */
final class BlockingServer implements Runnable {
    private static final int BACKLOG = 200;
    private static final int PIECE = 1 << 16;

    private final Tally tally;
    private final ServerSocket listener;

    BlockingServer(Tally tally, InetAddress address) throws IOException {
        this.tally = tally;
        listener = new ServerSocket(0, BACKLOG, address);
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void run() {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread thread = new Thread(() -> serve(socket), "serves " + socket.getRemoteSocketAddress());
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(Socket socket) {
        Service service = new Service(tally, socket.getRemoteSocketAddress());
        try (socket) {
            talk(socket.getInputStream(), socket.getOutputStream(), service);
        } catch (IOException | WrongBytesException e) {
            service.over(e instanceof WrongBytesException, e.toString());
        }
    }

    private static void talk(InputStream in, OutputStream out, Service service)
            throws IOException, WrongBytesException {
        byte[] piece = new byte[PIECE];
        while (true) {
            ByteBuffer sending = service.toSend();
            if (sending.hasRemaining()) {
                int count = sending.remaining();
                sending.get(piece, 0, count);
                out.write(piece, 0, count);
            } else {
                ByteBuffer wanted = service.wanted();
                int count = in.read(piece, 0, wanted.remaining());
                if (count < 0) {
                    service.over(false, "end of stream");
                    return;
                }
                wanted.put(piece, 0, count);
                service.arrived();
            }
            if (service.shouldClose()) {
                return;
            }
        }
    }
}
