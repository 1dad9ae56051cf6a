// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import java.io.IOException;
import java.util.concurrent.Executor;

/** Moves the bytes of one established connection over the path that they take. Event loop only. */
abstract class StreamIo {
    /** The result of a write that found no room: as large as any spin count. */
    static final int NO_ROOM = Integer.MAX_VALUE;

    /** The result of a write when all flushed messages have been written, and not all are {@linkplain #isUnderWay sent} yet. */
    static final int ALL_UNDER_WAY = -1;

    /** Does the work of {@link AbstractAccelStreamChannel#doRead}. */
    abstract ByteBuf read(RecvByteBufAllocator.ExtendedHandle handle) throws Exception;

    /** Whether a read would now find the end, or fail; asked when the input can be read or has ended. */
    boolean isAtEnd() {
        return true;
    }

    /** Whether {@link #isAtEnd} had to read something, which the next read returns. */
    boolean hasReadAhead() {
        return false;
    }

    /** Called after the handlers have had all bytes that were read in this turn. */
    void readComplete() {}

    /**
     * Writes from the head of the buffer, which has flushed messages, and removes the bytes written.
     *
     * @return the number to subtract from the write spin count: 0 if only empty messages were found, 1 after a write, or {@link
     *     #NO_ROOM}; else {@link #ALL_UNDER_WAY}
     */
    final int write(ChannelOutboundBuffer in) throws Exception {
        return in.current() instanceof FileRegion region ? writeRegion(in, region) : writeBuffers(in);
    }

    /** Does {@link #write} for the buffers at the head. */
    abstract int writeBuffers(ChannelOutboundBuffer in) throws Exception;

    /** Whether messages that were written are still needed, so that they stay in the outbound buffer. */
    boolean isUnderWay() {
        return false;
    }

    /** Has a file region transfer itself; returns the number of bytes that went. */
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

    /** Called when the channel is about to leave its event loop. */
    void leaving() {}

    /**
     * Called when the connection is about to be closed.
     *
     * @param loop the channel's event loop; null if it is in none
     */
    void closing(Executor loop) {}
}
