package io.accel.netty;

import io.accel.core.socket.LinkStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.util.Objects;

/** An accelerated connection as Netty's buffers and file regions want to see it. Closing is the channel's business. */
final class LinkChannel implements ScatteringByteChannel, GatheringByteChannel {
    private final LinkStream link;

    LinkChannel(LinkStream link) {
        this.link = link;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        link.lockRead();
        try {
            return link.read(dst);
        } finally {
            link.unlockRead();
        }
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        link.lockRead();
        try {
            return link.read(dsts, offset, length);
        } finally {
            link.unlockRead();
        }
    }

    @Override
    public long read(ByteBuffer[] dsts) throws IOException {
        return read(dsts, 0, dsts.length);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        link.lockWrite();
        try {
            return link.write(src);
        } finally {
            link.unlockWrite();
        }
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        link.lockWrite();
        try {
            return link.write(srcs, offset, length);
        } finally {
            link.unlockWrite();
        }
    }

    @Override
    public long write(ByteBuffer[] srcs) throws IOException {
        return write(srcs, 0, srcs.length);
    }

    @Override
    public boolean isOpen() {
        return !link.isClosed();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("closed by its channel");
    }
}
