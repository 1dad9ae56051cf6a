// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import java.nio.ByteBuffer;

/**
 * The word of a member to a publisher that the member's device brings it nothing: a datagram of the kernel's, in network byte order.
 *
 * <pre>
 *    0  magic, 32 bits
 *    4  version, 8 bits; 0, 24 bits
 *    8  the publisher, as its datagrams name it, 64 bits
 * </pre>
 */
final class GroupReport {
    static final int SIZE = 16;

    private static final int MAGIC = 0x4143_4d52;
    private static final int VERSION = 1 << 24;
    private static final int VERSION_AT = 4;
    private static final int PUBLISHER_AT = 8;

    private GroupReport() {}

    static ByteBuffer of(long publisher) {
        return ByteBuffer.allocate(SIZE)
                .putInt(0, MAGIC)
                .putInt(VERSION_AT, VERSION)
                .putLong(PUBLISHER_AT, publisher);
    }

    /** Whether a datagram that anybody may have sent, from position 0 to its limit, is a report. */
    static boolean isValid(ByteBuffer datagram) {
        return datagram.limit() == SIZE && datagram.getInt(0) == MAGIC && datagram.getInt(VERSION_AT) == VERSION;
    }

    static long publisher(ByteBuffer datagram) {
        return datagram.getLong(PUBLISHER_AT);
    }
}
