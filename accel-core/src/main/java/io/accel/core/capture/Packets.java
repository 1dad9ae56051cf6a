// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Makes IP packets from one address to another, with valid checksums. Immutable. */
final class Packets {
    /** The most bytes of a stream that fit one packet of either kind of IP. */
    static final int MOST_TCP = 65_495;

    private static final int MOST_LENGTH = 0xFFFF;
    private static final int HOPS = 64;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;
    private static final int DO_NOT_FRAGMENT = 0x4000;

    /** The longest packet: IPv6 states a length without its own header. */
    static final int MOST = IPV6_HEADER + MOST_LENGTH;

    private final byte[] source;
    private final byte[] destination;
    private final int sourcePort;
    private final int destinationPort;

    Packets(InetSocketAddress from, InetSocketAddress to) {
        boolean four = from.getAddress() instanceof Inet4Address && to.getAddress() instanceof Inet4Address;
        this.source = four ? from.getAddress().getAddress() : six(from.getAddress());
        this.destination = four ? to.getAddress().getAddress() : six(to.getAddress());
        this.sourcePort = from.getPort();
        this.destinationPort = to.getPort();
    }

    private static byte[] six(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length != IPV4_LENGTH) {
            return bytes;
        }
        return ByteBuffer.allocate(IPV6_LENGTH)
                .putShort(10, (short) -1)
                .put(12, bytes)
                .array();
    }

    private boolean isIpv4() {
        return source.length == IPV4_LENGTH;
    }

    /** Whether this many bytes fit one packet. */
    boolean hold(Transport header, int payload) {
        return (isIpv4() ? IPV4_HEADER : 0) + header.length() + payload <= MOST_LENGTH;
    }

    /** The length of a packet with this many bytes, with its headers. */
    int length(Transport header, int payload) {
        return (isIpv4() ? IPV4_HEADER : IPV6_HEADER) + header.length() + payload;
    }

    /** Puts a packet at the buffer's position, with a payload that it can {@linkplain #hold hold}. */
    void put(ByteBuffer to, Transport header, ByteBuffer payload) {
        int length = header.length() + payload.remaining();
        putIp(to, header.protocol(), length);
        int at = to.position();
        to.putShort((short) sourcePort).putShort((short) destinationPort);
        header.put(to, payload.remaining());
        to.put(payload.duplicate());
        long pseudo = sum(ByteBuffer.wrap(source), 0, source.length)
                + sum(ByteBuffer.wrap(destination), 0, destination.length)
                + header.protocol()
                + length;
        to.putShort(at + header.checksumAt(), header.written(folded(pseudo + sum(to, at, length))));
    }

    private void putIp(ByteBuffer to, int protocol, int length) {
        if (!isIpv4()) {
            to.putInt(6 << 28).putShort((short) length).put((byte) protocol).put((byte) HOPS);
            to.put(source).put(destination);
            return;
        }
        int at = to.position();
        to.put((byte) 0x45).put((byte) 0).putShort((short) (IPV4_HEADER + length));
        to.putShort((short) 0).putShort((short) DO_NOT_FRAGMENT);
        to.put((byte) HOPS).put((byte) protocol).putShort((short) 0);
        to.put(source).put(destination);
        to.putShort(at + 10, folded(sum(to, at, IPV4_HEADER)));
    }

    private static long sum(ByteBuffer bytes, int from, int length) {
        long sum = 0;
        int i = from;
        for (; i + 1 < from + length; i += 2) {
            sum += Short.toUnsignedInt(bytes.getShort(i));
        }
        return i < from + length ? sum + (Byte.toUnsignedInt(bytes.get(i)) << 8) : sum;
    }

    private static short folded(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xFFFF) + (folded >>> 16);
        }
        return (short) ~folded;
    }
}
