// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The few words at the start of either region by which one side tells the other what it has taken: the cursor up to
 * which it has read, and how many receives it has posted. Both only ever grow, and news overwrites them.
 *
 * <pre>
 *   0   consumer cursor, 8
 *   8   receives posted since the beginning, 8
 *   16  check word of the two, 8
 * </pre>
 *
 * The words are little-endian. The reader may look while a write is arriving, in whatever pieces the device makes of
 * it. The check word detects that; the reader then keeps what it knew and looks again with the next completion.
 */
final class ControlCell {
    static final int SIZE = 24;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    private static final int CONSUMED = 0;
    private static final int POSTED = 8;
    private static final int CHECK = 16;

    private final ByteBuffer memory;
    private long consumed;
    private long posted;

    /**
     * Makes a cell.
     *
     * @param memory the cell's memory from its start, aligned to 8 bytes
     * @param posted receives that are known to be posted
     */
    ControlCell(ByteBuffer memory, long posted) {
        this.memory = memory;
        this.posted = posted;
        write(0, posted);
    }

    void write(long newConsumed, long newPosted) {
        consumed = newConsumed;
        posted = newPosted;
        LONG.setRelease(memory, CONSUMED, newConsumed);
        LONG.setRelease(memory, POSTED, newPosted);
        LONG.setRelease(memory, CHECK, check(newConsumed, newPosted));
    }

    /** Looks at what the peer has written. Returns false if it is no news, or has not arrived completely. */
    boolean read() {
        long check = (long) LONG.getAcquire(memory, CHECK);
        long newConsumed = (long) LONG.getAcquire(memory, CONSUMED);
        long newPosted = (long) LONG.getAcquire(memory, POSTED);
        if ((newConsumed == consumed && newPosted == posted) || check != check(newConsumed, newPosted)) {
            return false;
        }
        consumed = newConsumed;
        posted = newPosted;
        return true;
    }

    long consumed() {
        return consumed;
    }

    long posted() {
        return posted;
    }

    private static long check(long consumed, long posted) {
        long mixed = (consumed ^ Long.rotateLeft(posted, 32) ^ 0x61_63_63_65_6c_31L) * 0x9E37_79B9_7F4A_7C15L;
        return mixed ^ (mixed >>> 29);
    }
}
