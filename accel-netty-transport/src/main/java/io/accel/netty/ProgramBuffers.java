// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.jdk.MappedCopy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Copies from buffers around {@link ByteBuffer}s that the program has made itself: their arena may be closed, and they may map a file that
 * was truncated. Netty copies by addresses, which neither would survive. Stateless.
 */
final class ProgramBuffers {
    private ProgramBuffers() {}

    /** Whether a buffer may be one of those. Netty wraps them in buffers of this allocator; its other allocators have memory of their own. */
    static boolean mayFail(ByteBuf buffer) {
        return buffer.alloc() == UnpooledByteBufAllocator.DEFAULT && !buffer.hasArray();
    }

    /**
     * Copies bytes, and throws what a channel of the JDK's throws if it cannot.
     *
     * @param buffer the source
     * @param from the index of the first byte
     * @param ring the destination
     * @param at the absolute index in it
     * @param n how many
     */
    static void copy(ByteBuf buffer, int from, ByteBuffer ring, int at, int n) throws IOException {
        if (n == 0) {
            return;
        }
        if (buffer.nioBufferCount() == 1) {
            MappedCopy.take(buffer.internalNioBuffer(from, n), ring, at);
            return;
        }
        int to = at;
        for (ByteBuffer each : buffer.nioBuffers(from, n)) {
            int length = each.remaining();
            MappedCopy.take(each, ring, to);
            to += length;
        }
    }
}
