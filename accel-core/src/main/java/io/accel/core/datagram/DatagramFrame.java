// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

/**
 * The layout of a datagram in a ring: a header of 8 bytes, the datagram, and padding up to the next multiple of 8. So
 * a header lies in one piece, wherever the ring wraps. The header is the datagram's length as a native-order 32-bit
 * integer, and after it {@link #MAGIC}, which tells a frame from any bytes that a broken sender may have left there.
 */
public final class DatagramFrame {
    /** The longest datagram, that of UDP over IPv6. Over IPv4 the kernel allows 20 bytes less. */
    public static final int MOST = 65_527;

    static final int HEADER = 8;
    static final int MAGIC = 0x6461_7467;
    private static final int ALIGN = 8;

    private DatagramFrame() {}

    /** The number of bytes of a ring that a datagram takes. */
    static int size(int length) {
        return HEADER + ((length + ALIGN - 1) & -ALIGN);
    }
}
