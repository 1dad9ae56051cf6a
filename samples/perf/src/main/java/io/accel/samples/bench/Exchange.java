// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Two ends that each write {@code size} bytes before they read as many: a program that works over the kernel relies on the
 * room that the kernel gives. The client ends with a line that says how far it came if an exchange does not end within {@code
 * patience_ms}. Arguments: {@code role} ({@code server}, {@code client}), {@code size}; for the client {@code port}, {@code
 * patience_ms} and those of {@link LatencyRun}.
 */
public final class Exchange {
    private static final int PIECE = 64 * 1024;

    private final SocketChannel channel;
    private final ByteBuffer out;
    private final ByteBuffer in;
    private byte sequence;

    /** The exchanging thread writes these, the watching one reads them. Zero between exchanges. */
    private volatile long begun;

    private volatile int written;
    private volatile int read;

    private Exchange(SocketChannel channel, int size) {
        this.channel = channel;
        out = ByteBuffer.allocateDirect(size);
        in = ByteBuffer.allocateDirect(size);
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        if (parameters.text("role").equals("server")) {
            serve(parameters, size);
        } else {
            try (SocketChannel channel = SocketChannel.open(parameters.server())) {
                Exchange client = new Exchange(channel, size);
                client.watch(parameters.millis("patience_ms"));
                new LatencyRun(client::exchangeOrFail, 2 * size, 1).execute(parameters);
            }
        }
    }

    private static void serve(Parameters parameters, int size) throws IOException {
        Control.serveInBackground();
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(parameters.anyPort());
            Event.named("ready").with("port", listener.socket().getLocalPort()).send();
            while (true) {
                try (SocketChannel channel = listener.accept()) {
                    Exchange server = new Exchange(channel, size);
                    // It begins the next exchange at once, and is in the middle of it when the client goes.
                    while (server.exchange()) {}
                }
            }
        }
    }

    /** Ends the program if an exchange takes longer than {@code patience} nanoseconds. */
    private void watch(long patience) {
        Thread watcher = new Thread(
                () -> {
                    while (true) {
                        LockSupport.parkNanos(patience / 10);
                        long since = begun;
                        if (since != 0 && System.nanoTime() - since > patience) {
                            System.err.printf(
                                    Locale.ROOT,
                                    "stuck: both ends write %,d bytes before they read; after %d ms this one had written"
                                            + " %,d and read %,d%n",
                                    out.capacity(),
                                    TimeUnit.NANOSECONDS.toMillis(patience),
                                    written,
                                    read);
                            Runtime.getRuntime().halt(3);
                        }
                    }
                },
                "exchange-watch");
        watcher.setDaemon(true);
        watcher.start();
    }

    /** False if the peer has gone. */
    private boolean exchange() throws IOException {
        written = 0;
        read = 0;
        begun = System.nanoTime();
        sequence++;
        out.clear();
        out.put(0, sequence).put(out.capacity() - 1, sequence);
        while (out.position() < out.capacity()) {
            out.limit(Math.min(out.capacity(), out.position() + PIECE));
            channel.write(out);
            written = out.position();
        }
        in.clear();
        while (in.hasRemaining()) {
            if (channel.read(in) < 0) {
                return false;
            }
            read = in.position();
        }
        begun = 0;
        if (in.get(0) != sequence || in.get(in.capacity() - 1) != sequence) {
            throw new IOException("the bytes of exchange " + sequence + " are not the peer's");
        }
        return true;
    }

    private void exchangeOrFail() throws IOException {
        if (!exchange()) {
            throw new EOFException("the server closed the connection");
        }
    }
}
