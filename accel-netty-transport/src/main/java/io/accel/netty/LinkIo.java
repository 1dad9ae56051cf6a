package io.accel.netty;

import io.accel.core.socket.LinkStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.RecvByteBufAllocator;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/**
 * The accelerated path: buffers are copied straight into the ring of the peer, all that is flushed at once published as one;
 * what comes is lent or copied out.
 */
final class LinkIo extends StreamIo implements ChannelOutboundBuffer.MessageProcessor {
    private final LinkStream link;
    private final AccelSocketChannelConfig config;
    private final LentSlices slices;
    private final LinkTarget regionTarget;

    // Copies are asked of these, and not of the buffers, of which some make a view for each.
    private final ByteBuf receiveRing;
    private final ByteBuf sendRing;

    /** In this write: what the ring took. */
    private long appended;
    /** In this write: whether the ring was full. */
    private boolean full;

    LinkIo(LinkStream link, AccelSocketChannelConfig config) {
        this.link = link;
        this.config = config;
        this.receiveRing = Unpooled.wrappedBuffer(link.lentMemory());
        this.sendRing = Unpooled.wrappedBuffer(link.sendMemory());
        this.slices = new LentSlices(link, receiveRing);
        this.regionTarget = new LinkTarget(link);
    }

    // ---- reading

    @Override
    ByteBuf read(RecvByteBufAllocator.ExtendedHandle handle) throws Exception {
        link.lockRead();
        try {
            if (config.isReceiveSlices()) {
                ByteBuf slice = slices.lend(handle, config.getAllocator());
                if (slice != null || handle.lastBytesRead() < 0) {
                    return slice;
                }
            }
            return readCopy(handle);
        } finally {
            slices.settle();
            link.unlockRead();
        }
    }

    private ByteBuf readCopy(RecvByteBufAllocator.ExtendedHandle handle) throws IOException {
        ByteBuf buffer = handle.allocate(config.getAllocator());
        try {
            handle.attemptedBytesRead(buffer.writableBytes());
            handle.lastBytesRead(copyOut(buffer));
        } catch (IOException | RuntimeException e) {
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
            long at = link.position();
            int n = link.lend(1, room - total);
            if (n <= 0) {
                return n;
            }
            receiveRing.getBytes(offset(at, receiveRing), buffer, buffer.writerIndex(), n);
            buffer.writerIndex(buffer.writerIndex() + n);
            total += n;
            // Only the end of the ring leaves bytes that are known; the end of the stream is the next read's.
        } while (total < room && link.known() > 0);
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
        appended = 0;
        full = false;
        link.lockWrite();
        try {
            in.forEachFlushedMessage(this);
        } finally {
            link.flush();
            link.unlockWrite();
        }
        if (appended == 0 && full) {
            return NO_ROOM;
        }
        in.removeBytes(appended);
        return appended == 0 ? 0 : 1;
    }

    /** Takes one message into the ring; false if it is full or the message is not for here. */
    @Override
    public boolean processMessage(Object message) throws IOException {
        if (!(message instanceof ByteBuf buffer)) {
            return false;
        }
        int wanted = buffer.readableBytes();
        int n = link.room(wanted);
        if (n > 0) {
            int at = offset(link.sendPosition(), sendRing);
            int head = Math.min(n, sendRing.capacity() - at);
            sendRing.setBytes(at, buffer, buffer.readerIndex(), head);
            if (head < n) {
                sendRing.setBytes(0, buffer, buffer.readerIndex() + head, n - head);
            }
            link.append(n);
            appended += n;
        }
        full = n < wanted;
        return !full;
    }

    @Override
    WritableByteChannel regionTarget() {
        return regionTarget;
    }

    @Override
    boolean wantsDirect() {
        return false; // the copy into the ring is the same from anywhere
    }

    // ---- ending

    @Override
    boolean isInputShut() {
        return link.isInputShut();
    }

    @Override
    boolean isOutputShut() {
        return link.isOutputShut();
    }

    @Override
    void shutdownInput() {
        link.shutdownInput();
    }

    @Override
    void shutdownOutput() {
        link.shutdownOutput();
    }

    @Override
    void closing() {
        slices.copyOutAll();
    }
}
