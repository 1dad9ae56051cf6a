// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import io.accel.core.fabric.MemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Puts a datagram into several buffers of the program's. No position moves before all bytes are there, since a buffer may fail. */
public final class Scatter {
    private Scatter() {}

    /**
     * Copies as much of a datagram as has room.
     *
     * @param ring the ring that it lies in
     * @param cursor the cursor of its first byte
     * @param length its length
     * @param dsts the buffers, whose positions stay
     * @param offset the first
     * @param count how many
     * @return the number of bytes copied
     * @throws IOException as {@link MemoryRegion#giveTo}
     */
    static int fill(MemoryRegion ring, long cursor, int length, ByteBuffer[] dsts, int offset, int count)
            throws IOException {
        int done = 0;
        for (int i = offset; i < offset + count && done < length; i++) {
            int n = Math.min(length - done, dsts[i].remaining());
            ring.giveTo(dsts[i], dsts[i].position(), cursor + done, n);
            done += n;
        }
        return done;
    }

    /** Moves the positions of the buffers behind so many bytes. */
    public static void advance(int n, ByteBuffer[] dsts, int offset) {
        int left = n;
        for (int i = offset; left > 0; i++) {
            int moved = Math.min(left, dsts[i].remaining());
            dsts[i].position(dsts[i].position() + moved);
            left -= moved;
        }
    }
}
