// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import java.nio.ByteBuffer;

/** The header of a TCP segment, without options. Only the lower 32 bits of the positions in the stream count. */
record TcpHeader(long sequence, long acknowledged, int flags) implements Transport {
    private static final int PROTOCOL = 6;
    private static final int LENGTH = 20;
    private static final int CHECKSUM_AT = 16;
    private static final int WINDOW = 0xFFFF;

    @Override
    public int protocol() {
        return PROTOCOL;
    }

    @Override
    public int length() {
        return LENGTH;
    }

    @Override
    public int checksumAt() {
        return CHECKSUM_AT;
    }

    @Override
    public void put(ByteBuffer to, int payload) {
        to.putInt((int) sequence).putInt((int) acknowledged);
        to.put((byte) (LENGTH << 2)).put((byte) flags).putShort((short) WINDOW);
        to.putShort((short) 0).putShort((short) 0);
    }
}
