// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

/**
 * The layout of a datagram in a ring that is published to many: a header of 16 bytes, the datagram, and padding up to the next multiple
 * of 16. So a header lies in one piece, wherever the ring wraps. The header is the datagram's length, a {@linkplain #mark mark}, and the
 * number of datagrams published before, by which a reader counts those that it lost; 32, 32 and 64 bits in native order.
 */
final class GroupFrame {
    static final int HEADER = 16;
    /** Where in the header the number is. */
    static final int NUMBER = 8;

    private static final int MAGIC = 0x6772_6f75;
    private static final int ALIGN = 16;
    private static final int WORD = 32;

    private GroupFrame() {}

    /** The number of bytes of a ring that a datagram takes. */
    static int size(int length) {
        return HEADER + ((length + ALIGN - 1) & -ALIGN);
    }

    /** The mark of a datagram at this cursor. It differs from that of a datagram that lay at the same place before. */
    static int mark(long cursor) {
        return MAGIC ^ (int) cursor ^ (int) (cursor >>> WORD);
    }

    static boolean isAligned(long cursor) {
        return (cursor & (ALIGN - 1)) == 0;
    }
}
