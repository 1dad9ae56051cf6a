// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import java.nio.ByteBuffer;

/** The header of a UDP datagram. All such headers are alike. */
record UdpHeader() implements Transport {
    private static final int PROTOCOL = 17;
    private static final int LENGTH = 8;
    private static final int CHECKSUM_AT = 6;

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
        to.putShort((short) (LENGTH + payload)).putShort((short) 0);
    }

    /**
     * A checksum of 0 would mean that there is none, which IPv6 forbids; the other zero of one's complement stands for
     * it.
     */
    @Override
    public short written(short checksum) {
        return checksum == 0 ? -1 : checksum;
    }
}
