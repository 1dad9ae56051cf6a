// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.Incoming;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.Outgoing;
import io.accel.core.socket.StreamSocket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The kernel's path: the JDK's channel, used as Netty's NIO transport uses it, as long as bytes do not go over the link. */
final class KernelIo extends StreamIo {
    /** The most buffers that the kernel takes at once, {@code IOV_MAX}. */
    private static final int MOST_BUFFERS = 1024;
    /** The least bytes at which a short write tells something of the socket's buffer. */
    private static final int LEAST_TO_LEARN_FROM = 4096;

    private final SocketChannel channel;
    private final Incoming incoming;
    private final Outgoing outgoing;
    private final ScatteringByteChannel input;
    private final AbstractAccelStreamConfig config;

    /** Whether the link has written from the outbound buffer, too. */
    private boolean sharesOutput;
    /** In one write: the buffers gathered for it. */
    private final List<ByteBuffer> gathered = new ArrayList<>();

    private final ChannelOutboundBuffer.MessageProcessor gather = this::gather;
    /** In one write: the number of bytes that it still takes. */
    private long room;

    /** A byte that was read to see whether there is one; null until the first need. */
    private ByteBuffer ahead;

    KernelIo(SocketChannel channel, StreamSocket socket, AbstractAccelStreamConfig config) {
        this.channel = channel;
        this.incoming = socket.incoming();
        this.outgoing = socket.outgoing();
        this.input = new KernelSource(channel, incoming);
        this.config = config;
    }

    @Override
    ByteBuf read(RecvByteBufAllocator.ExtendedHandle handle) throws Exception {
        ByteBufAllocator allocator = config.getAllocator();
        ByteBuf buffer = handle.allocate(allocator);
        try {
            handle.attemptedBytesRead(buffer.writableBytes());
            int before = hasReadAhead() ? takeAhead(buffer) : 0;
            int read = buffer.writeBytes(input, buffer.writableBytes());
            handle.lastBytesRead(before > 0 ? before + Math.max(0, read) : read);
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

    private int takeAhead(ByteBuf buffer) {
        buffer.writeBytes(ahead.flip());
        ahead.clear();
        return 1;
    }

    /** Reads one byte ahead, as the JDK can neither peek nor report an end alone. */
    @Override
    boolean isAtEnd() {
        if (ahead == null) {
            ahead = ByteBuffer.allocate(1);
        }
        try {
            return ahead.hasRemaining() && input.read(ahead) < 0;
        } catch (IOException e) {
            return true; // the read that follows meets the failure, too
        }
    }

    @Override
    boolean hasReadAhead() {
        return ahead != null && ahead.position() > 0;
    }

    /** Notes that the link writes from the outbound buffer, too. The views of messages that the buffer keeps do not show that. */
    void sharesOutput() {
        sharesOutput = true;
    }

    @Override
    int writeBuffers(ChannelOutboundBuffer in) throws IOException {
        int most = config.maxBytesPerGatheringWrite();
        if (sharesOutput) {
            return writeGathered(in, most);
        }
        ByteBuffer[] buffers = in.nioBuffers(MOST_BUFFERS, most);
        int count = in.nioBufferCount();
        if (count == 0) {
            in.removeBytes(0);
            return 0;
        }
        int attempted = (int) in.nioBufferSize();
        int written = write(buffers, count);
        if (written <= 0) {
            return NO_ROOM;
        }
        adjust(attempted, written, most);
        in.removeBytes(written);
        return 1;
    }

    private int writeGathered(ChannelOutboundBuffer in, int most) throws IOException {
        room = most;
        try {
            in.forEachFlushedMessage(gather);
            if (gathered.isEmpty()) {
                in.removeBytes(0);
                return 0;
            }
            int written = write(gathered.toArray(ByteBuffer[]::new), gathered.size());
            if (written <= 0) {
                return NO_ROOM;
            }
            in.removeBytes(written);
            return 1;
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e); // the processor throws none
        } finally {
            gathered.clear();
        }
    }

    private boolean gather(Object message) {
        if (!(message instanceof ByteBuf buffer)) {
            return false;
        }
        int readable = buffer.readableBytes();
        if (readable == 0) {
            return true;
        }
        if (buffer.nioBufferCount() == 1) {
            gathered.add(buffer.internalNioBuffer(buffer.readerIndex(), readable));
        } else {
            Collections.addAll(gathered, buffer.nioBuffers());
        }
        room -= readable;
        return room > 0 && gathered.size() < MOST_BUFFERS;
    }

    private int write(ByteBuffer[] buffers, int count) throws IOException {
        LinkStream unused = outgoing.enter(false); // bytes do not go over the link yet, and only this thread writes
        try {
            outgoing.failIfReset();
            if (count == 1) {
                int written = channel.write(buffers[0]);
                outgoing.gave(written, buffers[0]);
                return written;
            }
            int[] before = outgoing.positions(buffers, 0, count);
            int written = (int) channel.write(buffers, 0, count);
            outgoing.gave(written, buffers, before, 0);
            return written;
        } catch (IOException e) {
            throw outgoing.failed(e);
        } finally {
            outgoing.leave();
        }
    }

    /** Adjusts the size of a write to the kernel's buffer, whose size the kernel itself changes. */
    private void adjust(int attempted, int written, int most) {
        if (attempted == written) {
            if (attempted << 1 > most) {
                config.maxBytesPerGatheringWrite(attempted << 1);
            }
        } else if (attempted > LEAST_TO_LEARN_FROM && written < attempted >>> 1) {
            config.maxBytesPerGatheringWrite(attempted >>> 1);
        }
    }

    @Override
    long transfer(FileRegion region) throws IOException {
        LinkStream unused = outgoing.enter(false); // as above
        try {
            outgoing.failIfReset();
            long written =
                    region.transferTo(channel, region.transferred()); // the JDK's own channel, which has sendfile
            outgoing.gave(written);
            return written;
        } catch (IOException e) {
            throw outgoing.failed(e);
        } finally {
            outgoing.leave();
        }
    }
}
