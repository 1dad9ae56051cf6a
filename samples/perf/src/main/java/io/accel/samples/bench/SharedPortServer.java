// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Several listeners on one port with {@code SO_REUSEPORT}, each with a thread that accepts, sends one message back with the
 * listener's number as its last byte, and closes. Arguments: {@code listeners}, {@code size}, and as for {@link StreamSink}.
 */
public final class SharedPortServer implements Runnable {
    private static final int BACKLOG = 1024;

    private final ServerSocketChannel listener;
    private final byte number;
    private final ByteBuffer message;

    private SharedPortServer(ServerSocketChannel listener, int number, int size) {
        this.listener = listener;
        this.number = (byte) number;
        this.message = ByteBuffer.allocateDirect(size);
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        InetSocketAddress address = parameters.anyPort();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < parameters.number("listeners"); i++) {
            ServerSocketChannel listener = ServerSocketChannel.open();
            listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            listener.bind(address, BACKLOG);
            address = (InetSocketAddress) listener.getLocalAddress();
            threads.add(new Thread(new SharedPortServer(listener, i, parameters.number("size")), "listener-" + i));
        }
        Control.serveInBackground(threads.toArray(Thread[]::new));
        threads.forEach(Thread::start);
        Event.named("ready").with("port", address.getPort()).send();
    }

    @Override
    public void run() {
        try {
            while (true) {
                try (SocketChannel channel = listener.accept()) {
                    message.clear();
                    while (message.hasRemaining()) {
                        if (channel.read(message) < 0) {
                            throw new IOException("the client closed after " + message.position() + " bytes");
                        }
                    }
                    message.put(message.capacity() - 1, number).flip();
                    while (message.hasRemaining()) {
                        channel.write(message);
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
            System.exit(1);
        }
    }
}
