package io.accel.netty;

import io.accel.core.socket.LinkStream;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.RecvByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** The accelerated path: bytes are copied into the ring of the peer, all that is flushed at once as one. */
final class LinkIo extends StreamIo implements ChannelOutboundBuffer.MessageProcessor {
    private final LinkStream link;
    private final LinkChannel channel;
    private final AccelSocketChannelConfig config;
    private final LentSlices slices;

    /** In this write: what the ring took. */
    private long appended;
    /** In this write: whether the ring was full. */
    private boolean full;

    LinkIo(LinkStream link, AccelSocketChannelConfig config) {
        this.link = link;
        this.channel = new LinkChannel(link);
        this.config = config;
        this.slices = new LentSlices(link);
    }

    // ---- reading

    @Override
    ByteBuf read(RecvByteBufAllocator.ExtendedHandle handle) throws Exception {
        slices.giveBack();
        if (config.isReceiveSlices()) {
            ByteBuf slice = slices.lend(handle, config.getAllocator());
            if (slice != null || handle.lastBytesRead() < 0) {
                return slice;
            }
        }
        ByteBuf buffer = handle.allocate(config.getAllocator());
        try {
            handle.attemptedBytesRead(buffer.writableBytes());
            handle.lastBytesRead(buffer.writeBytes(channel, handle.attemptedBytesRead()));
        } catch (IOException | RuntimeException e) {
            buffer.release();
            throw e;
        }
        slices.bound();
        if (handle.lastBytesRead() > 0) {
            return buffer;
        }
        buffer.release();
        return null;
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
        int length = buffer.readableBytes();
        if (length == 0) {
            return true;
        }
        if (buffer instanceof RingByteBuf slice) {
            return append(slice.view(buffer.readerIndex(), length));
        }
        if (buffer.nioBufferCount() == 1) {
            return append(buffer.internalNioBuffer(buffer.readerIndex(), length));
        }
        for (ByteBuffer part : buffer.nioBuffers(buffer.readerIndex(), length)) {
            if (!append(part)) {
                return false;
            }
        }
        return true;
    }

    private boolean append(ByteBuffer bytes) throws IOException {
        appended += link.append(bytes);
        full = bytes.hasRemaining();
        return !full;
    }

    @Override
    WritableByteChannel regionTarget() {
        return channel;
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
