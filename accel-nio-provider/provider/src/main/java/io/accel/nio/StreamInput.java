// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.JdkBuffers;
import io.accel.core.jdk.VirtualThreads;
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
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The reading half of a stream channel: it reads from the JDK's channel or from a link, whichever brings the bytes, and goes on with
 * the other when they move. It also serves the reads of the socket adaptor. Safe for use by many threads: one thread at a time reads,
 * under the lock of its source.
 */
final class StreamInput {
    /** The result of a blocking read that goes on in the other half, and is {@linkplain #crossing counted} until it is there. */
    private static final int CROSSING = LinkStream.MOVED - 1;
    /** The result of a read that has to wait, and must let others into the {@linkplain StreamsLock lock} that its thread holds. */
    private static final int ELSEWHERE = CROSSING - 1;

    /** A class of its own, which no connection needs that stays with the kernel. */
    private static final class Crossings {
        static final AtomicIntegerFieldUpdater<StreamInput> COUNT =
                AtomicIntegerFieldUpdater.newUpdater(StreamInput.class, "crossing");

        private Crossings() {}
    }

    private final AccelSocketChannel channel;
    private final Incoming in;
    /**
     * The number of blocking reads that have left one half, because the bytes now come by the other path, and are not in the other half
     * yet. It grows in the half that they leave and shrinks in the half that they come to. {@link #enterIdle} reads it in a half.
     */
    private volatile int crossing;

    private InputStream kernelInput; // guarded by this

    StreamInput(AccelSocketChannel channel, Incoming in) {
        this.channel = channel;
        this.in = in;
    }

    int read(ByteBuffer dst) throws IOException {
        Objects.requireNonNull(dst, "dst"); // before the channel is asked whether it is open
        return read(dst, 0);
    }

    /** @param before the result of what was tried before: 0, {@link #CROSSING} or {@link LinkStream#MOVED} */
    private int read(ByteBuffer dst, int before) throws IOException {
        int n = before;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernel(dst, n == CROSSING);
                if (n > 0) {
                    return n;
                }
                link = in.link();
                if (n == LinkStream.MOVED || (n == CROSSING && link == null)) {
                    continue;
                }
                if ((n != 0 && n != CROSSING) || link == null) {
                    break;
                }
            }
            n = readLink(link, dst, -1, n == CROSSING);
        } while (n <= LinkStream.MOVED && n != ELSEWHERE);
        return n == ELSEWHERE ? readElsewhere(dst) : n;
    }

    /**
     * Ends a read from the kernel that has begun before there was this.
     *
     * @param came how many bytes came, negative for the end
     * @param failure of the read; null for none
     */
    int endEarly(int came, IOException failure, ByteBuffer dst) throws IOException {
        in.adopt();
        int n;
        try {
            if (failure != null) {
                throw failure;
            }
            n = (int) departing(account(came, dst));
        } catch (IOException e) {
            n = (int) departing(endBehindReset(in.failed(channel.failed(e)), dst));
        } finally {
            in.leave();
        }
        boolean goesOn = n <= LinkStream.MOVED || (n == 0 && in.link() != null);
        return goesOn ? read(dst, n) : n;
    }

    /** Accounts for a read from the kernel, in the reading half of its path. */
    private int account(int came, ByteBuffer dst) throws IOException {
        int n = (int) unlessClosed(came);
        return n < 0 && channel.isInputShutdown() ? -1 : in.took(n, dst);
    }

    private int readElsewhere(ByteBuffer dst) throws IOException {
        return StreamsLock.letOthersIn(channel.blockingLock(), () -> read(dst));
    }

    private int readKernel(ByteBuffer dst, boolean crosses) throws IOException {
        if (in.enter() != null) {
            return crosses ? CROSSING : 0;
        }
        arrived(crosses);
        try {
            int n = in.mayHaveAside() && !isReadRefused(dst) ? readAside(dst) : 0;
            if (n == 0) {
                if (channel.isBlocking() && StreamsLock.isHeld(channel, dst) && in.available() == 0) {
                    return ELSEWHERE;
                }
                n = account(channel.kernel().read(dst), dst);
            }
            return n > 0 ? n : (int) departing(n);
        } catch (IOException e) {
            return (int) departing(endBehindReset(in.failed(channel.failed(e)), dst));
        } finally {
            in.leave();
        }
    }

    /** Counts a blocking read that goes on in the other half. Called in the half that it leaves. Returns {@link #CROSSING} for such a read. */
    private long departing(long n) {
        boolean crosses = n == LinkStream.MOVED || (n == 0 && in.link() != null);
        if (!crosses || !channel.isBlocking()) {
            return n;
        }
        Crossings.COUNT.incrementAndGet(this);
        return CROSSING;
    }

    private void arrived(boolean crosses) {
        if (crosses) {
            Crossings.COUNT.decrementAndGet(this);
        }
    }

    // ---- a change of the mode, which waits for the read that is under way

    /**
     * Waits until no read is under way, and keeps others out. The result is to be handed to {@link #leaveIdle}.
     *
     * @return null if a read is just between the halves, and the caller must try again
     */
    Object enterIdle() {
        LinkStream link = in.enter();
        if (link == null) {
            if (crossing == 0) {
                return in;
            }
            in.leave();
            return null;
        }
        LinkReader reader = link.reader();
        reader.lock();
        if (in.link() == link && crossing == 0) {
            return reader;
        }
        reader.unlock();
        return null;
    }

    /** Lets reads in again. */
    void leaveIdle(Object entered) {
        if (entered instanceof LinkReader reader) {
            reader.unlock();
        } else {
            in.leave();
        }
    }

    /**
     * Checks the buffer in place of the JDK's channel. The channel beneath has met a reset that a write has reported to the program
     * already, and throws before it looks at the buffer. A channel of the JDK's alone would not meet the reset again, and would look.
     *
     * @param n the result of {@link Incoming#failed}
     */
    private static int endBehindReset(int n, ByteBuffer dst) {
        if (n < 0 && dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        return n < 0 && !dst.hasRemaining() ? 0 : n;
    }

    /** Does {@link #endBehindReset(int, ByteBuffer)} for each buffer. */
    private static long endBehindReset(int n, ByteBuffer[] dsts, int offset, int length) {
        boolean room = false;
        for (int i = offset; n < 0 && i < offset + length; i++) {
            room |= endBehindReset(n, dsts[i]) < 0;
        }
        return n < 0 && !room ? 0 : n;
    }

    /** Whether the JDK's channel refuses the read at once. */
    private boolean isReadRefused(ByteBuffer dst) {
        return dst.isReadOnly()
                || !JdkBuffers.isUsable(dst)
                || !channel.kernel().isOpen()
                || (channel.kernel().isBlocking() && Thread.currentThread().isInterrupted());
    }

    private int readLink(LinkStream link, ByteBuffer dst, long timeoutNanos, boolean crosses) throws IOException {
        LinkReader reader = link.reader();
        reader.lock();
        try {
            arrived(crosses);
            boolean waits = beginRead(reader);
            refuseReadOnly(link, dst);
            int n = reader.read(dst);
            if (n == LinkStream.MOVED) {
                return (int) departing(n);
            }
            if (n != 0 || !waits || !dst.hasRemaining()) {
                return n;
            }
            return (int) readWaiting(link, Attempt.ReadOne.INSTANCE, dst, null, 0, 0, timeoutNanos);
        } finally {
            reader.unlock();
        }
    }

    long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        int counted = JdkBuffers.within(dsts, offset, length);
        if (JdkBuffers.hasNull(dsts, offset, counted)) {
            return refused(read(new ByteBuffer[0], 0, 0));
        }
        long n = 0;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernel(dsts, offset, counted, n == CROSSING);
                link = in.link();
                if (n == LinkStream.MOVED || (n == CROSSING && link == null)) {
                    continue;
                }
                if ((n != 0 && n != CROSSING) || link == null) {
                    return n;
                }
            }
            n = readLink(link, dsts, offset, counted, n == CROSSING);
        } while (n <= LinkStream.MOVED);
        return n;
    }

    /** The result of a read into buffers one of which is null, which the JDK's channels notice behind the state of the connection. */
    private long refused(long ofNoBuffers) {
        if (ofNoBuffers < 0 && channel.isInputShutdown()) {
            return ofNoBuffers;
        }
        throw new NullPointerException("buffer");
    }

    /** Makes the checks that the JDK's channels make before they look at the buffer. Returns whether to wait. In the reading half. */
    private boolean beginRead(LinkReader reader) throws IOException {
        channel.ensureOpen();
        boolean waits = channel.isBlocking();
        if (waits) {
            reader.turn().next();
        }
        if (waits && Thread.currentThread().isInterrupted()) {
            channel.blocking().closeByInterrupt();
        }
        return waits;
    }

    /** Refuses a read-only buffer, except where the JDK's channels answer before they look at it; the link then does, too. */
    private void refuseReadOnly(LinkStream link, ByteBuffer dst) {
        if (dst.isReadOnly() && !channel.isInputShutdown() && !link.reader().hasMetReset()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    private long readLink(LinkStream link, ByteBuffer[] dsts, int offset, int length, boolean crosses)
            throws IOException {
        LinkReader reader = link.reader();
        reader.lock();
        try {
            arrived(crosses);
            boolean waits = beginRead(reader);
            long n = reader.read(dsts, offset, length);
            if (n == LinkStream.MOVED) {
                return departing(n);
            }
            if (n != 0 || !waits || !hasRoom(dsts, offset, length)) {
                return n;
            }
            return readWaiting(link, Attempt.ReadMany.INSTANCE, null, dsts, offset, length, -1);
        } finally {
            reader.unlock();
        }
    }

    private static boolean hasRoom(ByteBuffer[] dsts, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (dsts[i].hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    private long readKernel(ByteBuffer[] dsts, int offset, int length, boolean crosses) throws IOException {
        if (in.enter() != null) {
            return crosses ? CROSSING : 0;
        }
        arrived(crosses);
        try {
            return departing(takeKernel(dsts, offset, length));
        } finally {
            in.leave();
        }
    }

    private long takeKernel(ByteBuffer[] dsts, int offset, int length) throws IOException {
        try {
            int[] before = new int[length];
            for (int i = 0; i < length; i++) {
                before[i] = dsts[offset + i].position();
            }
            long aside = in.mayHaveAside() ? readAside(dsts, offset, length) : 0;
            if (aside != 0) {
                return aside;
            }
            long n = unlessClosed(channel.kernel().read(dsts, offset, length));
            return n < 0 && channel.isInputShutdown() ? -1 : in.took(n, dsts, before, offset);
        } catch (IOException e) {
            return endBehindReset(in.failed(channel.failed(e)), dsts, offset, length);
        }
    }

    /**
     * Reads bytes that were set aside. From a shut input nothing more is read: what the kernel has comes behind them, and may still be read
     * there while another thread is just shutting it.
     *
     * @return the number of bytes; 0 if there are none, and -1 if the input is shut
     */
    private int readAside(ByteBuffer dst) throws IOException {
        return channel.isInputShutdown() ? -1 : in.readAside(dst);
    }

    /** As {@link #readAside(ByteBuffer)}, unless the JDK's channel refuses the read, which is 0. */
    private long readAside(ByteBuffer[] dsts, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            if (isReadRefused(dsts[i])) {
                return 0;
            }
        }
        if (channel.isInputShutdown()) {
            return -1;
        }
        long aside = 0;
        for (int i = offset; i < offset + length; i++) {
            try {
                aside += in.readAside(dsts[i]);
            } catch (IOException | RuntimeException e) {
                if (aside == 0) {
                    throw e;
                }
                break; // the next read meets it, and gets the bytes that are left
            }
        }
        return aside;
    }

    /** Returns the result of the JDK's read, unless it is the peer's answer to a close of this channel. */
    private long unlessClosed(long n) throws AsynchronousCloseException {
        if (n < 0 && !channel.isOpen()) {
            throw new AsynchronousCloseException();
        }
        return n;
    }

    /** Tries until bytes were read or the end was met; in the reading half. */
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
                return soon == LinkStream.MOVED ? departing(soon) : soon;
            }
        }
        if (one != null && StreamsLock.isHeld(channel, one)) {
            return ELSEWHERE;
        }
        Blocking blocking = channel.blocking();
        long start = System.nanoTime();
        long n = 0;
        boolean completed = false;
        // A virtual thread does not wait in the kernel, and the JDK's channels hold nothing for it meanwhile.
        ByteBuffer[] held = VirtualThreads.isCurrent() ? null : JdkBuffers.hold(one, many, offset, length);
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
                blocking.begin(); // a selector within the wait has replaced the interrupt handling
            }
            completed = n != 0;
        } finally {
            JdkBuffers.release(held);
            blocking.end(completed);
        }
        return n == LinkStream.MOVED ? departing(n) : n;
    }

    // ---- the socket adaptor

    /** Implements {@link SocketHooks#readBlocking}. */
    int readBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException {
        long start = System.nanoTime();
        long left = timeoutNanos;
        int n = 0;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernelBlocking(b, off, len, left, n == CROSSING);
                link = in.link();
                if (n == LinkStream.MOVED || (n == CROSSING && link == null)) {
                    continue;
                }
                if ((n != 0 && n != CROSSING) || link == null) {
                    return n;
                }
            }
            if (n != CROSSING && !channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            left = timeoutNanos == 0 ? 0 : Math.max(1, timeoutNanos - (System.nanoTime() - start));
            n = readLink(link, ByteBuffer.wrap(b, off, len), left == 0 ? -1 : left, n == CROSSING);
        } while (n <= LinkStream.MOVED);
        return n;
    }

    private int readKernelBlocking(byte[] b, int off, int len, long timeoutNanos, boolean crosses) throws IOException {
        if (in.enter() != null) {
            return crosses ? CROSSING : 0;
        }
        arrived(crosses);
        try {
            return (int) departing(takeKernelBlocking(b, off, len, timeoutNanos));
        } finally {
            in.leave();
        }
    }

    private int takeKernelBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException {
        try {
            // Only the JDK's adaptor can time out; it holds the timeout in milliseconds.
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
        }
    }

    /** Implements {@link SocketHooks#available}. */
    int available() throws IOException {
        channel.ensureOpen();
        if (!channel.kernel().isConnected()) {
            throw new NotYetConnectedException();
        }
        return channel.isInputShutdown() ? 0 : in.available();
    }

    /** Returns the stream of the JDK's adaptor, fetched once, because the adaptor gives none after shutdownInput. */
    private synchronized InputStream kernelInput() throws IOException {
        if (kernelInput == null) {
            kernelInput = channel.kernel().socket().getInputStream();
        }
        return kernelInput;
    }
}
