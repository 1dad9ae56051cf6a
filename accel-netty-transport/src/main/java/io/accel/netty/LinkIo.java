// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.daemon.OutOfLine;
import io.accel.core.socket.LinkReader;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.LinkWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The accelerated path. Buffers are copied straight into the peer's ring, and all messages of one flush are published together.
 * Received bytes are lent or copied out. Where the device can send from a buffer's own memory, a large buffer is not copied: it stays
 * in the outbound buffer, with all messages behind it, until the device has read it.
 */
final class LinkIo extends StreamIo implements ChannelOutboundBuffer.MessageProcessor {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(LinkIo.class);
    private static final Consumer<Object> RELEASE = ReferenceCountUtil::safeRelease;

    private final LinkStream link;
    private final LinkReader reader;
    private final LinkWriter writer;
    private final AbstractAccelStreamConfig config;
    private final LentSlices slices;
    private final LinkTarget regionTarget;
    private final OutOfLine.Call reading = new Reading();
    private final OutOfLine.Call writing = new Writing();

    // The rings do the copying, as some of the other buffers would make a view for each copy.
    private final ByteBuf receiveRing;
    private final ByteBuf sendRing;
    /** The memory of {@link #sendRing}. */
    private final ByteBuffer sendMemory;

    /** The allocator whose buffers the path can send in place; null if it cannot. */
    private final AccelByteBufAllocator inPlace;

    /** The number of bytes at the head of the outbound buffer that were written. */
    private long underWay;
    /** The cursor behind the last byte that is sent in place. */
    private long inPlaceEnd;

    /** In this read: the handle that knows how much to read. */
    private RecvByteBufAllocator.ExtendedHandle into;
    /** In this read: the bytes received, null for none. */
    private ByteBuf received;
    /** In this write: the buffer with the messages to write. */
    private ChannelOutboundBuffer from;
    /** In this write: the number of bytes still to pass over. */
    private long skip;
    /** In this write: the number of bytes that the ring took. */
    private long appended;
    /** In this write: whether the ring was full. */
    private boolean full;

    LinkIo(LinkStream link, AbstractAccelStreamConfig config) {
        this.link = link;
        this.reader = link.reader();
        this.writer = link.writer();
        this.config = config;
        this.receiveRing = Unpooled.wrappedBuffer(reader.memory());
        this.sendMemory = writer.memory();
        this.sendRing = Unpooled.wrappedBuffer(sendMemory);
        this.slices = new LentSlices(reader, receiveRing);
        this.regionTarget = new LinkTarget(link);
        this.inPlace = writer.canSendInPlace() ? AccelByteBufAllocator.DEFAULT : null;
    }

    LinkStream link() {
        return link;
    }

    // ---- reading

    @Override
    ByteBuf read(RecvByteBufAllocator.ExtendedHandle handle) throws Exception {
        into = handle;
        boolean isRead = false;
        try {
            int unused = OutOfLine.call(reading, 0);
            isRead = true;
            return received;
        } finally {
            ByteBuf buffer = received;
            received = null;
            if (!isRead && buffer != null) {
                buffer.release();
            }
        }
    }

    /** A read, which the JIT compiler compiles on its own. */
    private final class Reading implements OutOfLine.Call {
        @Override
        public int call(long unused) throws IOException {
            RecvByteBufAllocator.ExtendedHandle handle = into;
            reader.lock();
            long before = reader.position();
            try {
                boolean copies = true;
                if (config.givesSlices()) {
                    received = slices.lend(handle, config.getAllocator());
                    copies = received == null && handle.lastBytesRead() >= 0;
                }
                if (copies) {
                    received = readCopy(handle);
                }
                if (handle.lastBytesRead() == LinkStream.MOVED) {
                    handle.lastBytesRead(0); // a negative number means the end to Netty
                }
                return 0;
            } catch (RuntimeException | Error e) {
                if (reader.position() != before) {
                    boolean unusedAnswer = link.failed(e); // the handlers never see the bytes that were taken
                }
                throw e;
            } finally {
                try {
                    slices.settle();
                } finally {
                    reader.unlock();
                }
            }
        }
    }

    private ByteBuf readCopy(RecvByteBufAllocator.ExtendedHandle handle) throws IOException {
        ByteBuf buffer = handle.allocate(config.getAllocator());
        try {
            handle.attemptedBytesRead(buffer.writableBytes());
            handle.lastBytesRead(copyOut(buffer));
        } catch (IOException | RuntimeException | Error e) {
            buffer.release();
            throw e;
        }
        if (handle.lastBytesRead() > 0) {
            return buffer;
        }
        buffer.release();
        return null;
    }

    private int copyOut(ByteBuf buffer) throws IOException {
        int room = buffer.writableBytes();
        int total = 0;
        do {
            long at = reader.position();
            int n = reader.lend(1, room - total);
            if (n <= 0) {
                return n;
            }
            receiveRing.getBytes(offset(at, receiveRing), buffer, buffer.writerIndex(), n);
            buffer.writerIndex(buffer.writerIndex() + n);
            total += n;
            // Known bytes are left only at the end of the ring; the next read finds the end of the stream.
        } while (total < room && reader.known() > 0);
        return total;
    }

    private static int offset(long cursor, ByteBuf ring) {
        return (int) cursor & (ring.capacity() - 1);
    }

    @Override
    void readComplete() {
        slices.giveBack();
    }

    // ---- writing

    @Override
    int writeBuffers(ChannelOutboundBuffer in) throws Exception {
        from = in;
        return OutOfLine.call(writing, 0);
    }

    /** A write, which the JIT compiler compiles on its own. */
    private final class Writing implements OutOfLine.Call {
        @Override
        public int call(long unused) throws IOException {
            ChannelOutboundBuffer in = from;
            appended = 0;
            full = false;
            skip = underWay;
            long sent = Long.MAX_VALUE;
            writer.lock();
            try {
                in.forEachFlushedMessage(LinkIo.this);
            } catch (IOException | RuntimeException e) {
                if (appended == 0) {
                    throw e;
                }
                // The next write throws it again: this one must remove the messages before, which the peer gets.
            } catch (Exception e) {
                throw new IllegalStateException(e); // the processor throws none
            } finally {
                try {
                    writer.flush();
                    if (inPlaceEnd > 0) {
                        sent = writer.sent();
                    }
                } finally {
                    writer.unlock();
                }
            }
            underWay += appended;
            if (underWay > 0 || !full) {
                removeSent(in, sent);
            }
            if (appended > 0) {
                return 1;
            }
            if (full) {
                return NO_ROOM;
            }
            return underWay > 0 ? ALL_UNDER_WAY : 0;
        }
    }

    /** Removes, in order, the bytes that are no longer needed, and empty messages. */
    private void removeSent(ChannelOutboundBuffer in, long sent) {
        long begin = writer.position() - underWay;
        long removable = sent >= inPlaceEnd ? underWay : Math.max(0, sent - begin);
        underWay -= removable;
        if (underWay > 0) {
            writer.awaitSent(inPlaceEnd);
        } else if (inPlaceEnd > 0) {
            inPlaceEnd = 0;
            writer.forgetInPlace();
        }
        in.removeBytes(removable); // this calls listeners, which may do anything
    }

    @Override
    boolean isUnderWay() {
        return underWay > 0;
    }

    /** Takes one message into the ring; returns false if the ring is full or the message is no buffer. */
    @Override
    public boolean processMessage(Object message) throws IOException {
        if (!(message instanceof ByteBuf buffer)) {
            return false;
        }
        int readable = buffer.readableBytes();
        int passed = (int) Math.min(skip, readable);
        skip -= passed;
        int wanted = readable - passed;
        int n = writer.room(wanted);
        if (n > 0) {
            int from = buffer.readerIndex() + passed;
            if (inPlace == null || n < inPlace.threshold() || !sendInPlace(buffer, from, n)) {
                copyIn(buffer, from, n);
            }
            appended += n;
        }
        full = n < wanted;
        return !full;
    }

    private void copyIn(ByteBuf buffer, int from, int n) throws IOException {
        int at = offset(writer.position(), sendRing);
        int head = Math.min(n, sendRing.capacity() - at);
        if (ProgramBuffers.mayFail(buffer)) {
            ProgramBuffers.copy(buffer, from, sendMemory, at, head);
            ProgramBuffers.copy(buffer, from + head, sendMemory, 0, n - head);
            writer.append(n);
            return;
        }
        sendRing.setBytes(at, buffer, from, head);
        if (head < n) {
            sendRing.setBytes(0, buffer, from + head, n - head);
        }
        writer.append(n);
    }

    private boolean sendInPlace(ByteBuf buffer, int from, int n) {
        if (!buffer.hasMemoryAddress()) {
            return false;
        }
        long address = buffer.memoryAddress() + from;
        SendMemory.Chunk chunk = inPlace.memory().chunkOf(address, n);
        if (chunk == null) {
            return false;
        }
        // The device's own reference: a close drops the outbound buffer's before the device is done.
        buffer.retain();
        if (!writer.sendInPlace(chunk.memory(), (int) (address - chunk.address()), n, buffer, RELEASE)) {
            buffer.release();
            return false;
        }
        inPlaceEnd = writer.position();
        return true;
    }

    @Override
    long transfer(FileRegion region) throws IOException {
        return region.transferTo(regionTarget, region.transferred());
    }

    // ---- ending

    @Override
    void leaving() {
        slices.copyOutAll();
    }

    @Override
    void closing(Executor loop) {
        if (loop != null && slices.isViewed()) {
            // The closing handler may have been called by one that reads from a view: the ring stays until both
            // are done.
            reader.lock();
            boolean isLater = false;
            try {
                loop.execute(reader::unlock);
                isLater = true;
            } catch (RejectedExecutionException e) {
                LOG.debug("the event loop is over, and so are its handlers", e);
            } finally {
                if (!isLater) {
                    reader.unlock();
                }
            }
        }
        slices.copyOutAll();
    }
}
