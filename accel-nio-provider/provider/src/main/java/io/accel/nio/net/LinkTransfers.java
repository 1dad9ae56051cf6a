// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.socket.BlockingWaits;
import io.accel.core.socket.LinkReader;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.LinkWriter;
import io.accel.core.socket.Outgoing;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.TimeUnit;

/** Blocking reads and writes over a connection's link, with the exceptions of the JDK's sockets. Any thread. */
final class LinkTransfers {
    private final BlockingWaits waits;
    private final LinkStream link;
    private final LinkReader reader;
    private final LinkWriter writer;

    /** Whether a read has met the end; all later reads then do, even after a close. Guarded by the reading half. */
    private boolean ended;
    /** Whether a read has met a reset; all later reads then do, up to a close. Guarded by the reading half. */
    private boolean reset;

    LinkTransfers(BlockingWaits waits, LinkStream link) {
        this.waits = waits;
        this.link = link;
        this.reader = link.reader();
        this.writer = link.writer();
    }

    LinkStream link() {
        return link;
    }

    /** Reads at least a byte; returns -1 at the end, or {@link LinkStream#MOVED}. The timeout is in milliseconds, 0 for none. */
    int read(byte[] b, int off, int len, int timeoutMillis) throws IOException {
        long start = System.nanoTime();
        long limit = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        if (timeoutMillis == 0) {
            reader.lock();
        } else if (!reader.tryLock(limit)) {
            throw new SocketTimeoutException("Read timed out");
        }
        try {
            if (ended) {
                return -1;
            }
            if (reset) {
                throw new SocketException(link.isOver() ? "Socket closed" : "Connection reset");
            }
            reader.turn().next();
            ByteBuffer dst = ByteBuffer.wrap(b, off, len);
            int n = reader.read(dst);
            if (n == 0) {
                n = readWaiting(dst, start, timeoutMillis == 0 ? -1 : limit);
            }
            ended = n == -1;
            return n;
        } catch (InterruptedIOException e) {
            throw e; // this is also the type of a timeout
        } catch (IOException e) {
            reset = !link.isClosed() && !(e instanceof ClosedChannelException);
            throw toSocketException(e);
        } finally {
            reader.unlock();
        }
    }

    private int readWaiting(ByteBuffer dst, long start, long limit) throws IOException {
        if (waits.glance(link, SelectionKey.OP_READ) && !link.isClosed()) {
            int n = reader.read(dst);
            if (n != 0) {
                return n;
            }
        }
        Interrupts interrupts = new Interrupts();
        try {
            while (true) {
                int n = reader.read(dst);
                if (n != 0) {
                    return n;
                }
                long left = limit < 0 ? -1 : limit - (System.nanoTime() - start);
                if (limit >= 0 && left <= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
                interrupts.check();
                waits.await(link, SelectionKey.OP_READ, left);
            }
        } finally {
            interrupts.restore();
        }
    }

    /**
     * Writes all bytes, or those that go over the link.
     *
     * @param out the direction
     * @return the number of bytes written, or {@link LinkStream#MOVED}; if less than {@code len}, the link went back, and the
     *     caller is in the kernel's half
     */
    int write(byte[] b, int off, int len, Outgoing out) throws IOException {
        ByteBuffer src = ByteBuffer.wrap(b, off, len);
        writer.lock();
        try {
            int n = writer.write(src);
            if (n == LinkStream.MOVED) {
                return n;
            }
            if (src.hasRemaining() && !out.goBack(link)) {
                writeWaiting(src, out);
            }
            return len - src.remaining();
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw toSocketException(isOutputShut(e) ? out.failedShut(e) : e);
        } finally {
            writer.unlock();
        }
    }

    /** Whether this end has shut down its output, and was not closed. */
    private static boolean isOutputShut(IOException e) {
        return e instanceof ClosedChannelException && !(e instanceof AsynchronousCloseException);
    }

    private void writeWaiting(ByteBuffer src, Outgoing out) throws IOException {
        Interrupts interrupts = new Interrupts();
        try {
            boolean isBack = false;
            while (src.hasRemaining() && !isBack) {
                interrupts.check();
                waits.await(link, SelectionKey.OP_WRITE, -1);
                int unused = writer.write(src);
                isBack = src.hasRemaining() && out.goBack(link);
            }
        } finally {
            interrupts.restore();
        }
    }

    /**
     * Sends an urgent byte, or drops it as TCP drops one that the receiver does not want inline. The end of the peer is still
     * reported.
     *
     * @throws IOException of the class that the JDK's sockets throw for urgent bytes
     */
    void sendUrgent(int data) throws IOException {
        writer.lock();
        try {
            if (!link.isUrgentInline()) {
                int unused = writer.room(1);
                writer.flush();
                ProcessCounters.dropped(Drop.URGENT);
            } else if (writer.write(ByteBuffer.wrap(new byte[] {(byte) data}))
                    == 0) { // never MOVED: urgent data has fixed the path
                throw new SocketException("No buffer space available");
            }
        } catch (AsynchronousCloseException e) {
            throw toSocketException(e);
        } catch (ClosedChannelException e) {
            throw new IOException("Broken pipe", e); // the byte was sent after shutdownOutput
        } finally {
            writer.unlock();
        }
    }

    /** Converts a failure to a socket exception, as the JDK's sockets throw no other for a failed transfer. */
    static SocketException toSocketException(IOException e) {
        if (e instanceof SocketException already) {
            return already;
        }
        String message = e.getMessage();
        if (e instanceof AsynchronousCloseException) {
            message = "Socket closed";
        } else if (e instanceof ClosedChannelException) {
            message = "Broken pipe"; // the write came after shutdownOutput
        }
        SocketException translated = new SocketException(message);
        translated.initCause(e);
        return translated;
    }
}
