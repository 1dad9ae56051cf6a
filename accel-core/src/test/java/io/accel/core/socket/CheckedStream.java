// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One end of a connection. It checks each byte by its place, and can report the outcome in words. It sends on demand, a call at a
 * time, and receives all the time.
 */
final class CheckedStream {
    private static final int AT_A_TIME = 3_000;

    private final BlockingWaits waits;
    private final StreamSocket socket;
    private final int seed;
    private final int peersSeed;
    private final Object sending = new Object();
    private long sent; // guarded by sending
    private volatile long received;
    private final FutureTask<String> receiving;

    /**
     * Begins to receive.
     *
     * @param isClient whether this is the end that connected
     */
    CheckedStream(BlockingWaits waits, StreamSocket socket, boolean isClient) {
        this.waits = waits;
        this.socket = socket;
        this.seed = isClient ? 1 : 2;
        this.peersSeed = isClient ? 2 : 1;
        this.receiving = Streams.start(this::receive);
    }

    StreamSocket socket() {
        return socket;
    }

    long received() {
        return received;
    }

    /** Whether both directions go over the link, as this end knows them. */
    boolean isMoved() {
        return socket.outgoing().link() != null && socket.incoming().link() != null;
    }

    /** Sends so many more bytes. The outcome is {@code sent} and the total, or an exception in words. */
    FutureTask<String> send(int bytes) {
        return Streams.start(() -> sendNow(bytes));
    }

    private String sendNow(int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(AT_A_TIME);
        synchronized (sending) {
            try {
                for (long end = sent + bytes; sent < end; sent += buffer.limit()) {
                    buffer.clear().limit((int) Math.min(AT_A_TIME, end - sent));
                    Streams.fill(buffer, sent, seed);
                    Streams.write(waits, socket, buffer);
                }
                return "sent " + sent;
            } catch (IOException e) {
                return e.toString();
            }
        }
    }

    private String receive() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(AT_A_TIME);
        long at = 0;
        try {
            int n = Streams.read(waits, socket, buffer);
            while (n >= 0) {
                Streams.check(buffer, n, at, peersSeed);
                at += n;
                received = at;
                n = Streams.read(waits, socket, buffer.clear());
            }
            return "the end after " + received;
        } catch (IOException | AssertionError e) {
            return e.toString();
        }
    }

    /** The outcome at the receiver: the number of bytes, an exception, or a wrong byte. */
    String end(long seconds) throws InterruptedException, ExecutionException {
        try {
            return receiving.get(seconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return "no end after " + received + ", " + socket.path();
        }
    }
}
