// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * The route that a datagram has come, with which the memory of its receive begins: a header of IPv6 or InfiniBand in all 40 bytes, or, with
 * RoCE version 2 over IPv4, a header of IPv4 in the last 20.
 */
public final class GlobalRoute {
    /** The bytes before the datagram's. */
    public static final int SIZE = 40;

    private static final int IPV4 = 20;
    private static final int IPV4_FIRST = 0x45;
    private static final int IPV4_SOURCE = IPV4 + 12;
    private static final int IPV4_DESTINATION = IPV4 + 16;
    private static final int IPV6_SOURCE = 8;
    private static final int IPV6_DESTINATION = 24;
    private static final int IPV6_VERSION = 6;
    private static final int MULTICAST = 0xff;
    private static final int MAPPED_AT = 10;
    private static final int MAPPED = 0xffff;
    private static final int LAST_WORD = 12;

    private GlobalRoute() {}

    /**
     * Whether a datagram has come from an IPv4 address to a multicast group.
     *
     * @param memory big-endian
     * @param at where the route begins; {@link #SIZE} bytes of it are there
     * @param source the address that it claims to be from
     * @param group the group that it claims to be for
     */
    public static boolean isOf(ByteBuffer memory, int at, int source, int group) {
        if ((memory.get(at + IPV4) & 0xff) == IPV4_FIRST && memory.getInt(at + IPV4_DESTINATION) == group) {
            return memory.getInt(at + IPV4_SOURCE) == source;
        }
        return (memory.get(at) & 0xff) >>> 4 == IPV6_VERSION
                && (memory.get(at + IPV6_DESTINATION) & 0xff) == MULTICAST
                && isFrom(memory, at + IPV6_SOURCE, source);
    }

    /** The address of a RoCE port is an IPv4 address within one of IPv6; InfiniBand's says nothing of IP. */
    private static boolean isFrom(ByteBuffer memory, int at, int source) {
        boolean mapped = memory.getLong(at) == 0
                && (memory.getShort(at + Long.BYTES) & 0xffff) == 0
                && (memory.getShort(at + MAPPED_AT) & 0xffff) == MAPPED;
        return !mapped || memory.getInt(at + LAST_WORD) == source;
    }
}
