package io.accel.nio;

import io.accel.core.socket.BlockingWaits;
import io.accel.core.socket.Incoming;
import io.accel.core.socket.LinkReader;
import io.accel.core.socket.LinkStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.util.Objects;

/**
 * The reading half of a stream channel: reads from the JDK's channel or from a link, whichever the bytes come by, and goes on with
 * the other one when they move. Also the reads of the socket adaptor. Safe for use by many threads: one at a time reads, under the
 * lock of what it reads from.
 */
final class StreamInput {
    private static final Attempt READ_ONE =
            (link, one, many, offset, length) -> link.reader().read(one);
    private static final Attempt READ_MANY =
            (link, one, many, offset, length) -> link.reader().read(many, offset, length);

    private final AccelSocketChannel channel;
    private final Incoming in;

    private InputStream kernelInput; // guarded by this

    StreamInput(AccelSocketChannel channel, Incoming in) {
        this.channel = channel;
        this.in = in;
    }

    int read(ByteBuffer dst) throws IOException {
        int n;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernel(dst);
                link = in.link();
                if (n == LinkStream.MOVED) {
                    continue;
                }
                if (n != 0 || link == null) {
                    return n;
                }
            }
            n = readLink(link, dst, -1);
        } while (n == LinkStream.MOVED);
        return n;
    }

    private int readKernel(ByteBuffer dst) throws IOException {
        if (in.enter() != null) {
            return 0;
        }
        try {
            int aside = channel.isInputShutdown() || isReadRefused(dst) ? 0 : in.readAside(dst);
            if (aside > 0) {
                return aside;
            }
            int n = (int) unlessClosed(channel.kernel().read(dst));
            return n < 0 && channel.isInputShutdown() ? -1 : in.took(n, dst);
        } catch (IOException e) {
            return endBehindReset(in.failed(channel.failed(e)), dst);
        } finally {
            in.leave();
        }
    }

    /**
     * The JDK's channel under this has met a reset of which the program was told by a write, and says so before it looks at the buffer. One that
     * was told by a write has not met it, and does look.
     *
     * @param n what {@link Incoming#failed} has said
     */
    private static int endBehindReset(int n, ByteBuffer dst) {
        if (n < 0 && dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        return n < 0 && !dst.hasRemaining() ? 0 : n;
    }

    /** As {@link #endBehindReset(int, ByteBuffer)}: each buffer is looked at. */
    private static long endBehindReset(int n, ByteBuffer[] dsts, int offset, int length) {
        boolean room = false;
        for (int i = offset; n < 0 && i < offset + length; i++) {
            room |= endBehindReset(n, dsts[i]) < 0;
        }
        return n < 0 && !room ? 0 : n;
    }

    /** Whether the JDK's channel does not even try. */
    private boolean isReadRefused(ByteBuffer dst) {
        return dst.isReadOnly()
                || !channel.kernel().isOpen()
                || (channel.kernel().isBlocking() && Thread.currentThread().isInterrupted());
    }

    private int readLink(LinkStream link, ByteBuffer dst, long timeoutNanos) throws IOException {
        LinkReader reader = link.reader();
        reader.lock();
        try {
            boolean waits = beginRead();
            refuseReadOnly(link, dst);
            int n = reader.read(dst);
            if (n != 0 || !waits || !dst.hasRemaining()) {
                return n;
            }
            return (int) readWaiting(link, READ_ONE, dst, null, 0, 0, timeoutNanos);
        } finally {
            reader.unlock();
        }
    }

    long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        long n;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernel(dsts, offset, length);
                link = in.link();
                if (n == LinkStream.MOVED) {
                    continue;
                }
                if (n != 0 || link == null) {
                    return n;
                }
            }
            n = readLink(link, dsts, offset, length);
        } while (n == LinkStream.MOVED);
        return n;
    }

    /** What the JDK's channels look at before the buffer. Returns whether to wait. In the reading half. */
    private boolean beginRead() throws IOException {
        channel.ensureOpen();
        boolean waits = channel.isBlocking();
        if (waits && Thread.currentThread().isInterrupted()) {
            channel.blocking().closeByInterrupt();
        }
        return waits;
    }

    /** But for what the JDK's channels say before they look at the buffer, which the link says as well. */
    private void refuseReadOnly(LinkStream link, ByteBuffer dst) {
        if (dst.isReadOnly() && !channel.isInputShutdown() && !link.reader().hasMetReset()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    private long readLink(LinkStream link, ByteBuffer[] dsts, int offset, int length) throws IOException {
        LinkReader reader = link.reader();
        reader.lock();
        try {
            boolean waits = beginRead();
            boolean room = false;
            for (int i = offset; i < offset + length; i++) {
                refuseReadOnly(link, dsts[i]);
                room |= dsts[i].hasRemaining();
            }
            long n = reader.read(dsts, offset, length);
            if (n != 0 || !waits || !room) {
                return n;
            }
            return readWaiting(link, READ_MANY, null, dsts, offset, length, -1);
        } finally {
            reader.unlock();
        }
    }

    private long readKernel(ByteBuffer[] dsts, int offset, int length) throws IOException {
        if (in.enter() != null) {
            return 0;
        }
        try {
            int[] before = new int[length];
            for (int i = 0; i < length; i++) {
                before[i] = dsts[offset + i].position();
            }
            long aside = 0;
            for (int i = offset; i < offset + length && !channel.isInputShutdown() && !isReadRefused(dsts[i]); i++) {
                aside += in.readAside(dsts[i]);
            }
            if (aside > 0) {
                return aside;
            }
            long n = unlessClosed(channel.kernel().read(dsts, offset, length));
            return n < 0 && channel.isInputShutdown() ? -1 : in.took(n, dsts, before, offset);
        } catch (IOException e) {
            return endBehindReset(in.failed(channel.failed(e)), dsts, offset, length);
        } finally {
            in.leave();
        }
    }

    /** What the JDK's channel has read, unless it is the peer's answer to a close of this. */
    private long unlessClosed(long n) throws AsynchronousCloseException {
        if (n < 0 && !channel.isOpen()) {
            throw new AsynchronousCloseException();
        }
        return n;
    }

    /** Tries until something was read or the end; in the reading half. */
    private long readWaiting(
            LinkStream link,
            Attempt attempt,
            ByteBuffer one,
            ByteBuffer[] many,
            int offset,
            int length,
            long timeoutNanos)
            throws IOException {
        BlockingWaits waits = channel.waits();
        if (waits.glance(link, SelectionKey.OP_READ) && !Thread.currentThread().isInterrupted() && !link.isClosed()) {
            long soon = attempt.run(link, one, many, offset, length);
            if (soon != 0) {
                return soon;
            }
        }
        Blocking blocking = channel.blocking();
        long start = System.nanoTime();
        long n = 0;
        boolean completed = false;
        try {
            blocking.begin();
            while (channel.isOpen() && !link.isClosed()) {
                n = attempt.run(link, one, many, offset, length);
                if (n != 0) {
                    break;
                }
                long left = timeoutNanos < 0 ? -1 : timeoutNanos - (System.nanoTime() - start);
                if (timeoutNanos >= 0 && left <= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
                waits.await(link, SelectionKey.OP_READ, left);
                blocking.begin(); // a selector within the wait has taken the interrupts for itself
            }
            completed = n != 0;
        } finally {
            blocking.end(completed);
        }
        return n;
    }

    // ---- the socket adaptor

    /** As {@link SocketHooks#readBlocking}. */
    int readBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException {
        long start = System.nanoTime();
        long left = timeoutNanos;
        int n;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernelBlocking(b, off, len, left);
                link = in.link();
                if (n == LinkStream.MOVED) {
                    continue;
                }
                if (n != 0 || link == null) {
                    return n;
                }
            }
            if (!channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            left = timeoutNanos == 0 ? 0 : Math.max(1, timeoutNanos - (System.nanoTime() - start));
            n = readLink(link, ByteBuffer.wrap(b, off, len), left == 0 ? -1 : left);
        } while (n == LinkStream.MOVED);
        return n;
    }

    private int readKernelBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException {
        if (in.enter() != null) {
            return 0;
        }
        try {
            // The JDK's adaptor alone can time out; it holds the timeout in milliseconds.
            channel.kernel().socket().setSoTimeout(AccelSocketChannel.toMillis(timeoutNanos));
            if (channel.isInputShutdown()) {
                return -1;
            }
            ByteBuffer dst = ByteBuffer.wrap(b, off, len);
            int aside = channel.kernel().isOpen() ? in.readAside(dst) : 0;
            if (aside > 0) {
                return aside;
            }
            int n = (int) unlessClosed(kernelInput().read(b, off, len));
            return n < 0 && channel.isInputShutdown() ? -1 : in.took(n, dst.position(off + Math.max(0, n)));
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            return in.failed(channel.failed(e));
        } finally {
            in.leave();
        }
    }

    /** As {@link SocketHooks#available}. */
    int available() throws IOException {
        channel.ensureOpen();
        if (!channel.kernel().isConnected()) {
            throw new NotYetConnectedException();
        }
        return channel.isInputShutdown() ? 0 : in.available();
    }

    /** Got once, because the JDK's adaptor gives none any more after shutdownInput. */
    private synchronized InputStream kernelInput() throws IOException {
        if (kernelInput == null) {
            kernelInput = channel.kernel().socket().getInputStream();
        }
        return kernelInput;
    }
}
