// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.GroupFlow;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The header of a datagram that goes to a multicast group by the device. In network byte order:
 *
 * <pre>
 *    0  magic, 32 bits
 *    4  version, 8 bits; flags, 8 bits; the datagram's length, 16 bits
 *    8  the publisher, 64 bits
 *   16  the number of datagrams sent before, 64 bits
 *   24  the group, 32 bits; its port and the source's port, 16 bits each; the source, 32 bits
 *   36  the port of the source's host for {@link GroupReport}s, or 0; 0; 16 bits each
 * </pre>
 */
final class GroupHeader {
    static final int SIZE = 40;

    /** The flag that the kernel delivers the datagram, too. */
    static final int KERNEL_TOO = 1;
    /** The flag that the publisher sends nothing any more. The datagram is empty, and not the program's. */
    static final int END = 2;

    private static final int MAGIC = 0x4143_4d43;
    private static final int VERSION = 1;
    private static final int VERSION_AT = 4;
    private static final int FLAGS_AT = 5;
    private static final int LENGTH_AT = 6;
    private static final int PUBLISHER_AT = 8;
    private static final int NUMBER_AT = 16;
    private static final int GROUP_AT = 24;
    private static final int GROUP_PORT_AT = 28;
    private static final int SOURCE_PORT_AT = 30;
    private static final int SOURCE_AT = 32;
    private static final int REPORTS_AT = 36;
    private static final int ZERO_AT = 38;
    private static final int MULTICAST = 0xe;
    private static final int SHORT = 0xffff;
    private static final long FACTOR = 0x9e37_79b9_7f4a_7c15L;
    private static final int TURN = 29;

    private GroupHeader() {}

    /**
     * Writes what all datagrams of a publisher have in common.
     *
     * @param reports the port for members' reports; 0 for none
     */
    static void prepare(ByteBuffer to, int at, GroupFlow flow, long publisher, int reports) {
        to.putInt(at, MAGIC);
        to.put(at + VERSION_AT, (byte) VERSION);
        to.putLong(at + PUBLISHER_AT, publisher);
        to.putInt(at + GROUP_AT, bits(flow.group().getAddress()));
        to.putShort(at + GROUP_PORT_AT, (short) flow.group().getPort());
        to.putShort(at + SOURCE_PORT_AT, (short) flow.source().getPort());
        to.putInt(at + SOURCE_AT, bits(flow.source().getAddress()));
        to.putShort(at + REPORTS_AT, (short) reports);
        to.putShort(at + ZERO_AT, (short) 0);
    }

    /** Writes what differs. */
    static void finish(ByteBuffer to, int at, int flags, int length, long number) {
        to.put(at + FLAGS_AT, (byte) flags);
        to.putShort(at + LENGTH_AT, (short) length);
        to.putLong(at + NUMBER_AT, number);
    }

    /**
     * Whether memory that anybody may have sent holds a header, and as many bytes behind it as that says.
     *
     * @param from big-endian
     * @param at where the header would begin
     * @param received how many bytes were received from there on
     */
    static boolean isValid(ByteBuffer from, int at, int received) {
        if (received < SIZE
                || from.getInt(at) != MAGIC
                || from.get(at + VERSION_AT) != VERSION
                || from.getShort(at + ZERO_AT) != 0
                || length(from, at) != received - SIZE) {
            return false;
        }
        int flags = flags(from, at);
        boolean isEnd = (flags & END) != 0;
        return (flags & ~(KERNEL_TOO | END)) == 0
                && (!isEnd || received == SIZE)
                && number(from, at) >= 0
                && group(from, at) >>> 28 == MULTICAST
                && source(from, at) >>> 28 != MULTICAST
                && source(from, at) != 0
                && from.getShort(at + GROUP_PORT_AT) != 0
                && from.getShort(at + SOURCE_PORT_AT) != 0;
    }

    static int flags(ByteBuffer from, int at) {
        return from.get(at + FLAGS_AT) & 0xff;
    }

    static int length(ByteBuffer from, int at) {
        return from.getShort(at + LENGTH_AT) & SHORT;
    }

    static long publisher(ByteBuffer from, int at) {
        return from.getLong(at + PUBLISHER_AT);
    }

    /**
     * A number for the publisher that no other sender can give itself: it depends on the addresses, which the route proves, and on a
     * secret.
     */
    static long identity(ByteBuffer from, int at, long secret) {
        long addresses =
                ((long) source(from, at) << Integer.SIZE) | Integer.toUnsignedLong(from.getInt(at + GROUP_PORT_AT));
        return mix(mix(mix(secret, publisher(from, at)), addresses), group(from, at));
    }

    private static long mix(long hash, long word) {
        return Long.rotateLeft((hash ^ word) * FACTOR, TURN);
    }

    static long number(ByteBuffer from, int at) {
        return from.getLong(at + NUMBER_AT);
    }

    static int group(ByteBuffer from, int at) {
        return from.getInt(at + GROUP_AT);
    }

    static int source(ByteBuffer from, int at) {
        return from.getInt(at + SOURCE_AT);
    }

    /** The port for reports to the publisher; 0 if it wants none. */
    static int reports(ByteBuffer from, int at) {
        return from.getShort(at + REPORTS_AT) & SHORT;
    }

    /** The publisher, as a valid header describes it. */
    static GroupFlow flow(ByteBuffer from, int at, int networkInterface) {
        return new GroupFlow(
                new InetSocketAddress(address(group(from, at)), from.getShort(at + GROUP_PORT_AT) & SHORT),
                networkInterface,
                new InetSocketAddress(address(source(from, at)), from.getShort(at + SOURCE_PORT_AT) & SHORT),
                (flags(from, at) & KERNEL_TOO) != 0);
    }

    /** The 32 bits of an IPv4 address. */
    static int bits(InetAddress address) {
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }

    /** The IPv4 address that has these bits. */
    static Inet4Address address(int bits) {
        try {
            return (Inet4Address) InetAddress.getByAddress(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bits).array());
        } catch (IOException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }
}
