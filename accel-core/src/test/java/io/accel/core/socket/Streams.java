package io.accel.core.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Blocking reads and writes over a stream, as an adapter does them, and a thread to do them in. */
final class Streams {
    private Streams() {}

    /** Reads at least a byte; -1 at the end. */
    static int read(BlockingWaits waits, StreamSocket socket, ByteBuffer dst) throws IOException {
        LinkStream stream = socket.incoming().enter();
        if (stream == null) {
            try {
                int n = Lab.channel(socket).read(dst);
                int mine = (int) socket.incoming().took(n);
                dst.position(dst.position() - (Math.max(0, n) - Math.max(0, mine)));
                if (mine != 0) {
                    return mine;
                }
            } finally {
                socket.incoming().leave();
            }
            stream = socket.incoming().link();
        }
        stream.lockRead();
        try {
            while (true) {
                int n = stream.read(dst);
                if (n != 0) {
                    return n;
                }
                waits.await(stream, SelectionKey.OP_READ, -1);
            }
        } finally {
            stream.unlockRead();
        }
    }

    /** Writes all. */
    static void write(BlockingWaits waits, StreamSocket socket, ByteBuffer src) throws IOException {
        LinkStream stream = socket.outgoing().enter(true);
        if (stream == null) {
            try {
                socket.outgoing().gave(Lab.channel(socket).write(src));
                return;
            } finally {
                socket.outgoing().leave();
            }
        }
        stream.lockWrite();
        try {
            while (true) {
                stream.write(src);
                if (!src.hasRemaining()) {
                    return;
                }
                waits.await(stream, SelectionKey.OP_WRITE, -1);
            }
        } finally {
            stream.unlockWrite();
        }
    }

    /** Sends a number of bytes, each a function of its place, in pieces of all sizes. */
    static void send(BlockingWaits waits, StreamSocket socket, long total, int seed) throws IOException {
        java.util.Random random = new java.util.Random(seed);
        ByteBuffer buffer = ByteBuffer.allocateDirect(32 * 1024);
        for (long at = 0; at < total; ) {
            buffer.clear().limit((int) Math.min(1 + random.nextInt(buffer.capacity()), total - at));
            for (int i = 0; i < buffer.limit(); i++) {
                buffer.put(i, byteAt(at + i, seed));
            }
            at += buffer.limit();
            write(waits, socket, buffer);
        }
    }

    /** Receives what {@link #send} sends, and checks it. */
    static long receive(BlockingWaits waits, StreamSocket socket, long total, int seed) throws IOException {
        java.util.Random random = new java.util.Random(seed + 1);
        ByteBuffer buffer = ByteBuffer.allocateDirect(32 * 1024);
        long at = 0;
        while (at < total) {
            buffer.clear().limit(1 + random.nextInt(buffer.capacity()));
            int n = read(waits, socket, buffer);
            if (n < 0) {
                throw new AssertionError("end after " + at + " of " + total + " bytes");
            }
            for (int i = 0; i < n; i++) {
                if (buffer.get(i) != byteAt(at + i, seed)) {
                    throw new AssertionError("wrong byte at " + (at + i));
                }
            }
            at += n;
        }
        return at;
    }

    private static byte byteAt(long place, int seed) {
        return (byte) (((place + seed) * 0x9E37_79B9_7F4A_7C15L) >>> 56);
    }

    static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }
}
