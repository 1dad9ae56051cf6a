// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.poll.Poller;
import io.accel.testing.Background;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Blocking reads and writes over a stream, as an adapter does them, and a thread to do them in. */
final class Streams {
    private Streams() {}

    /** Reads at least a byte; -1 at the end. */
    static int read(BlockingWaits waits, StreamSocket socket, ByteBuffer dst) throws IOException {
        int n;
        do {
            LinkStream stream = socket.incoming().enter();
            n = stream == null ? readKernel(socket, dst) : readLink(waits, stream, dst);
        } while (n == 0 || n == LinkStream.MOVED);
        return n;
    }

    private static int readKernel(StreamSocket socket, ByteBuffer dst) throws IOException {
        Incoming in = socket.incoming();
        try {
            int aside = in.readAside(dst);
            if (aside > 0) {
                return aside;
            }
            return in.took(open(socket).read(dst), dst);
        } catch (IOException e) {
            return in.failed(e);
        } finally {
            in.leave();
        }
    }

    private static int readLink(BlockingWaits waits, LinkStream stream, ByteBuffer dst) throws IOException {
        stream.reader().lock();
        try {
            while (true) {
                int n = stream.reader().read(dst);
                if (n != 0) {
                    return n;
                }
                waits.await(stream, SelectionKey.OP_READ, -1);
            }
        } finally {
            stream.reader().unlock();
        }
    }

    /** Like an adapter whose channel another thread may have closed. */
    private static SocketChannel open(StreamSocket socket) throws ClosedChannelException {
        SocketChannel channel = Lab.channel(socket);
        if (channel == null) {
            throw new ClosedChannelException();
        }
        return channel;
    }

    /** Writes all. */
    static void write(BlockingWaits waits, StreamSocket socket, ByteBuffer src) throws IOException {
        while (src.hasRemaining()) {
            LinkStream stream = socket.outgoing().enter(true);
            if (stream == null || writeLink(waits, socket, stream, src)) {
                writeKernel(socket, src);
            }
        }
    }

    private static void writeKernel(StreamSocket socket, ByteBuffer src) throws IOException {
        try {
            socket.outgoing().failIfReset();
            int n = open(socket).write(src);
            socket.outgoing().gave(n, src);
        } catch (IOException e) {
            throw socket.outgoing().failed(e);
        } finally {
            socket.outgoing().leave();
        }
    }

    /** Returns whether the rest goes through the kernel, in whose half the caller then is. */
    private static boolean writeLink(BlockingWaits waits, StreamSocket socket, LinkStream stream, ByteBuffer src)
            throws IOException {
        stream.writer().lock();
        try {
            while (stream.writer().write(src) != LinkStream.MOVED && src.hasRemaining()) {
                if (socket.outgoing().goBack(stream)) {
                    return true;
                }
                waits.await(stream, SelectionKey.OP_WRITE, -1);
            }
            return false;
        } finally {
            stream.writer().unlock();
        }
    }

    /** Sends a number of bytes, each a function of its place, in pieces of all sizes. */
    static void send(BlockingWaits waits, StreamSocket socket, long total, int seed) throws IOException {
        java.util.Random random = new java.util.Random(seed);
        ByteBuffer buffer = ByteBuffer.allocateDirect(32 * 1024);
        for (long at = 0; at < total; ) {
            buffer.clear().limit((int) Math.min(1 + random.nextInt(buffer.capacity()), total - at));
            fill(buffer, at, seed);
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
            check(buffer, n, at, seed);
            at += n;
        }
        return at;
    }

    /** Writes as many bytes as the link takes now. */
    static int writeLink(StreamSocket socket, int bytes) throws IOException {
        LinkStream stream = socket.attached();
        stream.writer().lock();
        try {
            return stream.writer().write(ByteBuffer.allocate(bytes));
        } finally {
            stream.writer().unlock();
        }
    }

    /** Reads as many bytes as the link has now; -1 at the end. */
    static int readLink(StreamSocket socket, int most) throws IOException {
        LinkStream stream = socket.attached();
        stream.reader().lock();
        try {
            return stream.reader().read(ByteBuffer.allocate(most));
        } finally {
            stream.reader().unlock();
        }
    }

    /** Fills a buffer up to its limit with the stream's bytes from a place on. */
    static void fill(ByteBuffer buffer, long at, int seed) {
        for (int i = 0; i < buffer.limit(); i++) {
            buffer.put(i, byteAt(at + i, seed));
        }
    }

    /** Checks the first bytes of a buffer, which came at a place. */
    static void check(ByteBuffer buffer, int n, long at, int seed) {
        for (int i = 0; i < n; i++) {
            if (buffer.get(i) != byteAt(at + i, seed)) {
                throw new AssertionError("wrong byte at " + (at + i));
            }
        }
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

    /** A thread that polls until an operation is ready, which it returns; the thread sleeps now. */
    static Background<Integer> asleepIn(Poller poller) throws Exception {
        Background<Integer> polling = Background.start(() -> {
            int[] found = new int[1];
            while (found[0] == 0) {
                poller.poll(TimeUnit.SECONDS.toNanos(10), (r, ops) -> found[0] |= ops);
            }
            return found[0];
        });
        polling.awaitAsleep();
        return polling;
    }
}
