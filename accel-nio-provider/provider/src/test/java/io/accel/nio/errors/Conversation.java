// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import io.accel.nio.AccelSelectorProvider;
import io.accel.testing.Background;
import io.accel.testing.InjectedErrors;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A client of an {@link Echo} in blocking mode. It sends and receives at the same time, and checks each byte. */
final class Conversation {
    /** More than the first rings of both ends, and the server, hold. */
    static final int BYTES = 60_000;

    private static final long LIMIT_SECONDS = 20;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final long RELUCTANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private final SocketChannel channel;
    private final BooleanSupplier readsFirst;
    /** What the kernel or Accel has told the program. Written by either thread. */
    private volatile IOException told;

    private Conversation(SocketChannel channel, BooleanSupplier readsFirst) {
        this.channel = channel;
        this.readsFirst = readsFirst;
    }

    /**
     * Sends and receives everything over a connection of its own.
     *
     * @param readsFirst whether to begin to read; until then the server, and this, find their rings full, for a moment
     * @return null if everything came back; otherwise the failure, of which the program was told
     * @throws Exception if the program was told of none, or of one that no program expects, or has waited in vain
     */
    static IOException with(AccelSelectorProvider provider, InetSocketAddress server, BooleanSupplier readsFirst)
            throws Exception {
        Conversation conversation = new Conversation(provider.openSocketChannel(), readsFirst);
        try {
            conversation.retry(() -> conversation.connect(server));
            return conversation.run();
        } catch (IOException e) {
            return e;
        } finally {
            conversation.channel.close();
        }
    }

    private int connect(InetSocketAddress server) throws IOException {
        return channel.isConnected() || channel.connect(server) ? 1 : 0;
    }

    private interface Operation {
        int run() throws IOException;
    }

    /** As a sturdy program does, for an operation that has met an error. */
    private int retry(Operation operation) throws IOException {
        for (int errors = 0; ; errors++) {
            try {
                return operation.run();
            } catch (RuntimeException | Error e) {
                if (!InjectedErrors.Kind.isAny(e)) {
                    throw e;
                }
                if (errors >= Echo.MOST_ERRORS) {
                    throw new IOException("given up", e);
                }
            }
        }
    }

    private IOException run() throws Exception {
        Background<Void> writer = Background.start(() -> {
            try {
                send(BYTES);
                retry(() -> {
                    SocketChannel unused = channel.shutdownOutput();
                    return 0;
                });
            } catch (IOException e) {
                told = e;
                channel.close(); // a reader that waits hears of it
            }
            return null;
        });
        Background<Integer> reader = Background.start(() -> {
            long begin = System.nanoTime();
            while (!readsFirst.getAsBoolean() && System.nanoTime() - begin < RELUCTANCE_NANOS) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return receiveTo(Integer.MAX_VALUE);
        });
        try {
            int received = reader.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (received != BYTES && toldToWriter(writer) == null) {
                throw new AssertionError("the end came after " + received + " bytes, and nobody was told");
            }
        } catch (java.util.concurrent.ExecutionException e) {
            if (!(e.getCause() instanceof IOException failure)) {
                throw e;
            }
            told = told == null ? failure : told;
            channel.close();
        }
        Void unused = writer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        return told;
    }

    /** What the writer was told: a reader meets the end where the writer has met the reset. */
    private IOException toldToWriter(Background<Void> writer) throws Exception {
        Void unused = writer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        return told;
    }

    private void send(int bytes) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(Echo.PIECE);
        for (int at = 0; at < bytes; ) {
            piece.clear().limit(Math.min(piece.capacity(), bytes - at));
            for (int i = 0; i < piece.limit(); i++) {
                piece.put(i, byteAt(at + i));
            }
            at += piece.limit();
            while (piece.hasRemaining()) {
                retry(() -> channel.write(piece));
            }
        }
    }

    /** Returns how many bytes came before the end, at most that many. */
    private int receiveTo(int most) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(Echo.PIECE);
        int at = 0;
        boolean isOver = false;
        while (!isOver && at < most) {
            piece.clear();
            isOver = retry(() -> channel.read(piece)) < 0;
            for (int i = 0; i < piece.position(); i++) { // also if the read then met an error
                if (piece.get(i) != byteAt(at + i)) {
                    throw new AssertionError("a wrong byte at " + (at + i));
                }
            }
            at += piece.position();
        }
        return at;
    }

    private static byte byteAt(int place) {
        return (byte) ((place * 0x9E37_79B9_7F4A_7C15L) >>> 56);
    }

    /** A connection that is open beside those that are hit. */
    static final class Beside implements AutoCloseable {
        private final SocketChannel channel;
        private final Conversation conversation;
        private Background<IOException> trips;

        Beside(AccelSelectorProvider provider, InetSocketAddress server) throws IOException {
            channel = provider.openSocketChannel();
            boolean unused = channel.connect(server);
            conversation = new Conversation(channel, () -> true);
        }

        /** Makes a round trip. */
        void goOn() throws Exception {
            Background<Integer> trip = Background.start(() -> {
                conversation.send(100);
                return conversation.receiveTo(100);
            });
            if (trip.get(LIMIT_SECONDS, TimeUnit.SECONDS) != 100) {
                throw new AssertionError("the connection beside has ended");
            }
        }

        /** Makes one round trip after the other, in a thread of its own. */
        void keepGoing() {
            trips = Background.start(() -> {
                try {
                    while (true) {
                        conversation.send(100);
                        if (conversation.receiveTo(100) < 100) {
                            return new IOException("the end");
                        }
                    }
                } catch (IOException e) {
                    return e;
                }
            });
        }

        /** What has ended the round trips. */
        IOException failure(long time, TimeUnit unit) throws Exception {
            return trips.get(time, unit);
        }

        void hangUp() throws IOException {
            channel.close();
        }

        @Override
        public void close() throws IOException {
            hangUp();
        }
    }
}
