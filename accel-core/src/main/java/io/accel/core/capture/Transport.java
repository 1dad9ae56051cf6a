package io.accel.core.capture;

import java.nio.ByteBuffer;

/** The header between that of IP and the bytes. It begins with both ports, which are not its business. Immutable. */
interface Transport {
    /** Which protocol it is, by IP's numbers. */
    int protocol();

    /** Bytes of the header. */
    int length();

    /** Where in it the checksum is. */
    int checksumAt();

    /**
     * Puts what follows the ports, with 0 for the checksum.
     *
     * @param to where to, at its position
     * @param payload how many bytes follow the header
     */
    void put(ByteBuffer to, int payload);

    /** How a checksum is written. */
    default short written(short checksum) {
        return checksum;
    }
}
