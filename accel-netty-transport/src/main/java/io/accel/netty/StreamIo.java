package io.accel.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import java.io.IOException;
import java.util.concurrent.Executor;

/** Moves the bytes of one connection that is established, by the path that it took. Event loop only. */
abstract class StreamIo {
    /** A write found no room: as large as any spin count. */
    static final int NO_ROOM = Integer.MAX_VALUE;

    /** All that is flushed has been written, and is not yet {@linkplain #isUnderWay sent}. */
    static final int ALL_UNDER_WAY = -1;

    /** As {@link AbstractAccelStreamChannel#doRead}. */
    abstract ByteBuf read(RecvByteBufAllocator.ExtendedHandle handle) throws Exception;

    /** Whether a read would now find the end, or fail; asked when the input can be read or has ended. */
    boolean isAtEnd() {
        return true;
    }

    /** Whether {@link #isAtEnd} had to read something, which the next read returns. */
    boolean hasReadAhead() {
        return false;
    }

    /** Handlers have had all that was read in this turn. */
    void readComplete() {}

    /**
     * Writes from the head of the buffer, which has flushed messages, and removes what it wrote.
     *
     * @return what is to be subtracted from the write spin count: 0 if only empty messages were found, 1 after a write, {@link
     *     #NO_ROOM}; or {@link #ALL_UNDER_WAY}
     */
    final int write(ChannelOutboundBuffer in) throws Exception {
        return in.current() instanceof FileRegion region ? writeRegion(in, region) : writeBuffers(in);
    }

    /** As {@link #write}, of the buffers at the head. */
    abstract int writeBuffers(ChannelOutboundBuffer in) throws Exception;

    /** Whether messages that were written are still needed, so that they stay in the outbound buffer. */
    boolean isUnderWay() {
        return false;
    }

    /** Has a file region transfer itself; returns how many bytes went. */
    abstract long transfer(FileRegion region) throws IOException;

    private int writeRegion(ChannelOutboundBuffer in, FileRegion region) throws IOException {
        if (region.transferred() >= region.count()) {
            in.remove();
            return 0;
        }
        long written = transfer(region);
        if (written <= 0) {
            return NO_ROOM;
        }
        in.progress(written);
        if (region.transferred() >= region.count()) {
            in.remove();
        }
        return 1;
    }

    /** The channel is about to leave its event loop. */
    void leaving() {}

    /**
     * The connection is about to be closed.
     *
     * @param loop the event loop that this is in; null if the channel is in none
     */
    void closing(Executor loop) {}
}
