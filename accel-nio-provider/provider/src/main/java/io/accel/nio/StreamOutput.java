// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.jdk.JdkBuffers;
import io.accel.core.jdk.MappedCopy;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.socket.BlockingWaits;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.LinkWriter;
import io.accel.core.socket.Outgoing;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The writing half of a stream channel: it writes to the JDK's channel or to a link, whichever takes the bytes, and goes on with the
 * other when they move. It also serves the writes of the socket adaptor. Safe for use by many threads: one thread at a time writes,
 * under the lock of its target.
 */
final class StreamOutput {
    /** The result of a write that has to wait, and must let others into the {@linkplain StreamsLock lock} that its thread holds. */
    private static final int ELSEWHERE = LinkStream.MOVED - 1;

    /** The part of its buffer for whose bytes the kernel has room if it has any. */
    private static final int PART_OF_BUFFER = 8;

    /** {@link #refusesTransfers}, which is looked for once, when it is first needed. */
    private static final class Refusing extends ClassValue<Boolean> {
        static final Refusing TRANSFERS = new Refusing();

        @Override
        protected Boolean computeValue(Class<?> channel) {
            return Stream.of(channel.getDeclaredMethods())
                    .anyMatch(method -> method.getName().equals("beforeTransferTo"));
        }
    }

    private final AccelSocketChannel channel;
    private final Outgoing out;
    /** Made by the first thread that waits, which most connections never need. If several threads make one, any of them will do. */
    private Blocking blocking;

    StreamOutput(AccelSocketChannel channel, Outgoing out) {
        this.channel = channel;
        this.out = out;
    }

    /** Returns the begin and end of the channel's blocking operations, in either half. */
    Blocking blocking() {
        Blocking made = blocking;
        if (made == null) {
            made = channel.newBlocking();
            blocking = made;
        }
        return made;
    }

    int write(ByteBuffer src) throws IOException {
        int before = src.position();
        int n;
        do {
            LinkStream link = out.link();
            if (link == null) {
                link = out.enter(isSound(src) && src.hasRemaining());
            }
            n = link == null ? writeKernel(src) : writeLink(link, src);
        } while (n == LinkStream.MOVED);
        return n == ELSEWHERE ? writeElsewhere(src, before) : n;
    }

    /**
     * Ends a write to the kernel that has begun before there was this.
     *
     * @param went how many bytes went
     * @param failure of the write; null for none
     */
    int endEarly(int went, IOException failure, ByteBuffer src) throws IOException {
        out.adopt();
        try {
            if (failure != null) {
                throw out.failed(channel.failed(failure));
            }
            out.gave(went, src);
            return went;
        } finally {
            out.leave();
        }
    }

    /** Writes what a thread has not written that must let others into the lock that it holds. */
    private int writeElsewhere(ByteBuffer src, int before) throws IOException {
        boolean some = src.position() > before;
        try {
            int unused = StreamsLock.letOthersIn(channel.blockingLock(), () -> write(src));
        } catch (IOException e) {
            if (!some || e instanceof ClosedByInterruptException) {
                throw e;
            } // else the next write throws the reason: this one must report how much was taken
        }
        return src.position() - before;
    }

    private int writeLink(LinkStream link, ByteBuffer src) throws IOException {
        LinkWriter writer = link.writer();
        writer.lock();
        try {
            channel.ensureOpen();
            boolean waits = channel.isBlocking();
            if (waits && Thread.currentThread().isInterrupted()) {
                blocking().closeByInterrupt();
            }
            int n = writer.write(src);
            if (n == LinkStream.MOVED || !src.hasRemaining()) {
                return n;
            }
            if (waits && StreamsLock.isHeld(channel, src)) {
                return ELSEWHERE;
            }
            if (out.goBack(link)) {
                return (int) writeRest(src, null, 0, 0, n);
            }
            if (!waits) {
                return n;
            }
            return (int) writeWaiting(link, Attempt.WriteOne.INSTANCE, src, null, 0, 0, n);
        } catch (IOException e) {
            throw channel.failed(byLink(e));
        } finally {
            writer.unlock();
        }
    }

    /** Writes through the kernel; in the writing half of its path, which this leaves. */
    private int writeKernel(ByteBuffer src) throws IOException {
        try {
            if (channel.isBlocking() && StreamsLock.isHeld(channel, src) && !hasKernelRoom(src)) {
                return ELSEWHERE;
            }
            return giveKernel(src);
        } catch (IOException e) {
            throw out.failed(channel.failed(e));
        } finally {
            out.leave();
        }
    }

    /** Whether the kernel takes all bytes at once. One that says that it has room has a third of its buffer, headers of packets included. */
    private boolean hasKernelRoom(ByteBuffer src) throws IOException {
        SocketChannel kernel = channel.kernel();
        return kernel.isConnected()
                && src.remaining() <= kernel.getOption(StandardSocketOptions.SO_SNDBUF) / PART_OF_BUFFER
                && JdkAccess.hasRoomToWrite(kernel);
    }

    private int giveKernel(ByteBuffer src) throws IOException {
        if (src.hasRemaining()) {
            out.failIfReset();
        }
        int n = channel.kernel().write(src);
        out.gave(n, src);
        return n;
    }

    /**
     * Sends a part of a file through the kernel; in the writing half of its path, which this leaves.
     *
     * @param some whether the part has any bytes
     * @param behind whether an earlier part is sent, so that the program must learn of that rather than of a failure
     */
    long giveKernel(FileChannel file, long position, long count, boolean some, boolean behind) throws IOException {
        try {
            if (behind && out.leavesRest()) {
                return 0;
            }
            if (some) {
                out.failIfReset();
            }
            long n = file.transferTo(position, count, channel.kernel());
            out.gave(n);
            return n;
        } catch (IOException e) {
            if (behind && !(e instanceof ClosedByInterruptException)) {
                out.failedBehind(e);
                return 0;
            }
            throw out.failed(channel.failed(e));
        } finally {
            out.leave();
        }
    }

    long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        int counted = JdkBuffers.within(srcs, offset, length);
        if (JdkBuffers.hasNull(srcs, offset, counted)) {
            long unused = write(new ByteBuffer[0], 0, 0); // the state of the connection comes first
            throw new NullPointerException("buffer");
        }
        long n;
        do {
            LinkStream link = out.link();
            if (link == null) {
                link = out.enter(hasRemaining(srcs, offset, counted) && areSound(srcs, offset, counted));
                if (link == null) {
                    return writeKernel(srcs, offset, counted);
                }
            }
            n = writeLink(link, srcs, offset, counted);
        } while (n == LinkStream.MOVED);
        return n;
    }

    private long writeLink(LinkStream link, ByteBuffer[] srcs, int offset, int length) throws IOException {
        LinkWriter writer = link.writer();
        writer.lock();
        try {
            channel.ensureOpen();
            boolean waits = channel.isBlocking();
            if (waits && Thread.currentThread().isInterrupted()) {
                blocking().closeByInterrupt();
            }
            long n = writer.write(srcs, offset, length);
            if (n == LinkStream.MOVED || !hasRemaining(srcs, offset, length)) {
                return n;
            }
            if (out.goBack(link)) {
                return writeRest(null, srcs, offset, length, n);
            }
            if (!waits) {
                return n;
            }
            return writeWaiting(link, Attempt.WriteMany.INSTANCE, null, srcs, offset, length, n);
        } catch (IOException e) {
            throw channel.failed(byLink(e));
        } finally {
            writer.unlock();
        }
    }

    private long writeKernel(ByteBuffer[] srcs, int offset, int length) throws IOException {
        try {
            return giveKernel(srcs, offset, length);
        } catch (IOException e) {
            throw out.failed(channel.failed(e));
        } finally {
            out.leave();
        }
    }

    private long giveKernel(ByteBuffer[] srcs, int offset, int length) throws IOException {
        if (hasRemaining(srcs, offset, length)) {
            out.failIfReset();
        }
        int[] before = out.positions(srcs, offset, length);
        long n = channel.kernel().write(srcs, offset, length);
        out.gave(n, srcs, before, offset);
        return n;
    }

    /**
     * Returns the exception to throw for a write that fails over the link. As in the JDK, an output that was shut down counts as closed
     * meanwhile.
     */
    private IOException byLink(IOException e) {
        return e.getClass() == ClosedChannelException.class && channel.isOpen() ? new AsynchronousCloseException() : e;
    }

    /**
     * Whether a direction may come to its link for the bytes of a buffer. A buffer that fails must not bring it there, as the peer would find an
     * announcement with no byte behind it: the kernel refuses it instead.
     */
    private boolean isSound(ByteBuffer src) {
        return out.maySwitch() && JdkBuffers.isUsable(src) && (!JdkBuffers.isMapping(src) || MappedCopy.isThere(src));
    }

    private boolean areSound(ByteBuffer[] srcs, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (!isSound(srcs[i])) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasRemaining(ByteBuffer[] buffers, int offset, int length) {
        // From the end, where the unwritten bytes are.
        for (int i = offset + length - 1; i >= offset; i--) {
            if (buffers[i].hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Tries until all bytes are written, if need be the last ones through the kernel, or until no more can be written; in the writing
     * half.
     */
    private long writeWaiting(
            LinkStream link, Attempt attempt, ByteBuffer one, ByteBuffer[] many, int offset, int length, long written)
            throws IOException {
        BlockingWaits waits = channel.waits();
        Blocking blocking = blocking();
        long total = written;
        boolean isBack = false;
        ByteBuffer[] held = hold(one, many, offset, length, written);
        try {
            blocking.begin();
            while (channel.isOpen() && !link.isClosed()) {
                if (total > 0 && link.writer().refusesBytes()) {
                    break; // the next write throws the reason: this one must report how much was taken
                }
                try {
                    total += attempt.run(link, one, many, offset, length);
                } catch (AsynchronousCloseException | RuntimeException e) {
                    if (total == 0) {
                        throw e;
                    }
                    break; // as above
                } catch (IOException e) {
                    if (total == 0 || !MappedCopy.isFault(e)) {
                        throw e;
                    }
                    break; // as above
                }
                boolean more = one != null ? one.hasRemaining() : hasRemaining(many, offset, length);
                isBack = more && out.goBack(link);
                if (!more || isBack) {
                    break;
                }
                waits.await(link, SelectionKey.OP_WRITE, -1);
                link.writer().waited(true);
                blocking.begin(); // as in readWaiting
            }
        } finally {
            JdkBuffers.release(held);
            link.writer().waited(false);
            endWaiting(total > 0, isBack);
        }
        return isBack ? writeRest(one, many, offset, length, total) : total;
    }

    /**
     * Keeps the arenas of buffers open during the wait, as the JDK's channels do; not for a virtual thread, which does not wait in the
     * kernel. An arena that was closed since a part of its buffers was written shows in the next write.
     */
    private static ByteBuffer[] hold(ByteBuffer one, ByteBuffer[] many, int offset, int length, long written) {
        try {
            return VirtualThreads.isCurrent() ? null : JdkBuffers.hold(one, many, offset, length);
        } catch (RuntimeException e) {
            if (written == 0) {
                throw e;
            }
            return null; // the next attempt meets it, and reports what was written
        }
    }

    /**
     * Ends the wait. If this throws for an interrupt that came meanwhile, it leaves the kernel's half, in which the caller is if the
     * link went back.
     */
    private void endWaiting(boolean some, boolean isBack) throws AsynchronousCloseException {
        boolean goesOn = false;
        try {
            blocking().end(some || isBack);
            goesOn = true;
        } finally {
            if (isBack && !goesOn) {
                out.leave();
            }
        }
    }

    /** Writes the bytes for which the link had no room to the kernel; in the writing half of the kernel's path, which this leaves. */
    private long writeRest(ByteBuffer one, ByteBuffer[] many, int offset, int length, long written) throws IOException {
        try {
            if (written > 0 && out.leavesRest()) {
                return written;
            }
            return written + (one != null ? giveKernel(one) : giveKernel(many, offset, length));
        } catch (RuntimeException e) {
            if (written == 0) {
                throw e;
            }
            return written; // the next write meets the buffer that fails
        } catch (IOException e) {
            if (written == 0 || e instanceof ClosedByInterruptException) {
                throw out.failed(channel.failed(e));
            }
            out.failedBehind(e);
            return written;
        } finally {
            out.leave();
        }
    }

    // ---- a change of the mode, which waits for the write that is under way

    /**
     * Waits until no write is under way, and keeps others out. The result is to be handed to {@link #leaveIdle}.
     *
     * @param nanos how long to wait
     * @return null if the time is over, or the writes have just gone to the other path, and the caller must try again
     */
    Object enterIdle(long nanos) {
        LinkStream link = out.link();
        if (link == null) {
            return out.tryEnter(nanos) ? out : null;
        }
        LinkWriter writer = link.writer();
        if (!writer.tryLock(nanos)) {
            return null;
        }
        if (out.link() == link) {
            return writer;
        }
        writer.unlock();
        return null;
    }

    /** Lets writes in again. */
    void leaveIdle(Object entered) {
        if (entered instanceof LinkWriter writer) {
            writer.unlock();
        } else {
            out.leave();
        }
    }

    /** Does {@link FileChannel#transferTo} with the channel as its target. */
    long writeFrom(FileChannel file, long position, long count) throws IOException {
        return new FileTransfer(channel, this, out, file).send(position, count);
    }

    /** Whether the JDK asks, before it transfers a file to one of its own channels, whether the output is shut down. Older JDKs do not. */
    boolean refusesTransfers() {
        return Refusing.TRANSFERS.get(channel.kernel().getClass());
    }

    /** Returns the exception to throw for the transfer of a file that fails over the link, which is not always that of a write. */
    IOException failedTransfer(IOException e) throws IOException {
        boolean isShut = e.getClass() == ClosedChannelException.class && channel.isOpen();
        return isShut && !refusesTransfers()
                ? out.failedShut(new IOException("Broken pipe"))
                : channel.failed(byLink(e));
    }

    // ---- the socket adaptor

    /** Implements {@link SocketHooks#writeBlocking}. */
    void writeBlocking(byte[] b, int off, int len) throws IOException {
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        if (channel.isOutputShutdown()) {
            throw new ClosedChannelException(); // where a write to the channel is told of an asynchronous close
        }
        ByteBuffer src = ByteBuffer.wrap(b, off, len);
        while (src.hasRemaining()) {
            if (write(src) == 0 && !channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
        }
    }

    /** Implements {@link SocketHooks#sendUrgentData}. */
    void sendUrgentData(int data) throws IOException {
        channel.ensureOpen();
        LinkStream link =
                out.fix(); // the peer's kernel may drop the byte, and the two ends would count differently from then on
        if (link == null) {
            channel.kernel().socket().sendUrgentData(data);
        } else if (!link.isUrgentInline()) {
            dropUrgent(link);
        } else if (write(ByteBuffer.wrap(new byte[] {(byte) data})) == 0) {
            throw new IOException("Socket buffer full");
        }
    }

    /** Drops an urgent byte, as TCP drops one that the receiver does not want inline. The end of either side is still reported. */
    private void dropUrgent(LinkStream link) throws IOException {
        LinkWriter writer = link.writer();
        writer.lock();
        try {
            channel.ensureOpen();
            int unused = writer.room(1);
            writer.flush();
            ProcessCounters.dropped(Drop.URGENT);
        } catch (IOException e) {
            throw channel.failed(byLink(e));
        } finally {
            writer.unlock();
        }
    }
}
