// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import java.nio.ByteBuffer;

/** The header between that of IP and the payload. It begins with both ports, which {@link Packets} writes. Immutable. */
interface Transport {
    /** The number of the protocol in IP. */
    int protocol();

    /** Bytes of the header. */
    int length();

    /** The offset of the checksum in the header. */
    int checksumAt();

    /**
     * Puts the fields behind the ports, with 0 for the checksum.
     *
     * @param to the destination, at its position
     * @param payload how many bytes follow the header
     */
    void put(ByteBuffer to, int payload);

    /** The written form of a checksum. */
    default short written(short checksum) {
        return checksum;
    }
}
