// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import io.accel.core.jdk.JdkBuffers;
import io.accel.core.jdk.MappedCopy;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The memory of one ring: a power-of-two number of bytes that absolute 64-bit cursors index modulo its size.
 *
 * <p>The region does not know which thread may touch which part of it; the stream protocol knows that. It is not
 * thread-safe in itself: the sender touches bytes that it has not published, the receiver bytes that have been
 * published to it, and the cursors' release stores and acquire loads order the two. Nobody may call it after its
 * {@link Link} was freed.
 */
public final class MemoryRegion {
    private final ByteBuffer bytes;
    private final int size;
    private final int mask;

    /**
     * Makes a region over all of a direct buffer.
     *
     * @param bytes the memory, from 0 to its capacity, which must be a power of two
     */
    public MemoryRegion(ByteBuffer bytes) {
        int capacity = bytes.capacity();
        if (capacity == 0 || Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException("a ring's size must be a power of two, not " + capacity);
        }
        this.bytes = bytes;
        this.size = capacity;
        this.mask = capacity - 1;
    }

    /** The ring's size in bytes, a power of two. */
    public int size() {
        return size;
    }

    /**
     * All of the ring, for a caller that is lent a part of it: byte {@code cursor} lies at index {@code cursor &
     * (size() - 1)}. The buffer is a view with a position and limit of its own.
     */
    public ByteBuffer memory() {
        return bytes.duplicate();
    }

    /**
     * Copies bytes of the source into the ring, without touching the source's position.
     *
     * @param cursor where in the stream the bytes go
     * @param src the source
     * @param srcIndex the absolute index in it of the first byte
     * @param length how many bytes, at most {@link #size()}
     */
    public void copyIn(long cursor, ByteBuffer src, int srcIndex, int length) {
        int at = (int) cursor & mask;
        int head = Math.min(length, size - at);
        bytes.put(at, src, srcIndex, head);
        if (head < length) {
            bytes.put(0, src, srcIndex + head, length - head);
        }
    }

    /**
     * Copies bytes of the ring into the destination, without touching the destination's position.
     *
     * @param cursor where in the stream the bytes begin
     * @param dst the destination
     * @param dstIndex the absolute index in it of the first byte
     * @param length how many bytes, at most {@link #size()}
     */
    public void copyOut(long cursor, ByteBuffer dst, int dstIndex, int length) {
        int at = (int) cursor & mask;
        int head = Math.min(length, size - at);
        dst.put(dstIndex, bytes, at, head);
        if (head < length) {
            dst.put(dstIndex + head, bytes, 0, length - head);
        }
    }

    /**
     * As {@link #copyIn}, for a buffer of the program's, which may fail. Then nothing counts as copied, since the caller has not published
     * it.
     *
     * @throws IOException "Bad address" if the source is a mapping of a file, and pages of it are gone
     * @throws IllegalStateException if the source's arena is closed
     */
    public void takeFrom(ByteBuffer src, int srcIndex, long cursor, int length) throws IOException {
        if (JdkBuffers.isMapping(src)) {
            int at = (int) cursor & mask;
            int head = Math.min(length, size - at);
            MappedCopy.copy(src, srcIndex, bytes, at, head);
            if (head < length) {
                MappedCopy.copy(src, srcIndex + head, bytes, 0, length - head);
            }
        } else {
            copyIn(cursor, src, srcIndex, length);
        }
    }

    /**
     * As {@link #copyOut}, for a buffer of the program's, which may fail; see {@link #takeFrom}.
     *
     * @throws IOException "Bad address" if the destination is a mapping of a file, and pages of it are gone
     * @throws IllegalStateException if the destination's arena is closed
     */
    public void giveTo(ByteBuffer dst, int dstIndex, long cursor, int length) throws IOException {
        if (JdkBuffers.isMapping(dst)) {
            int at = (int) cursor & mask;
            int head = Math.min(length, size - at);
            MappedCopy.copy(bytes, at, dst, dstIndex, head);
            if (head < length) {
                MappedCopy.copy(bytes, 0, dst, dstIndex + head, length - head);
            }
        } else {
            copyOut(cursor, dst, dstIndex, length);
        }
    }
}
