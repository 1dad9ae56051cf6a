package io.accel.core.capture;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Packets of IP from one address to another, with valid checksums. Immutable. */
final class Packets {
    /** So many bytes fit one packet of either kind of IP. */
    static final int MOST_TCP = 65_495;
    /** The longest headers. */
    static final int MOST_HEADERS = 60;

    private static final int TCP = 6;
    private static final int HOPS = 64;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;
    private static final int WINDOW = 0xFFFF;
    private static final int DO_NOT_FRAGMENT = 0x4000;

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

    /** How long a segment is with its headers. */
    int length(ByteBuffer payload) {
        return (source.length == IPV4_LENGTH ? IPV4_HEADER : IPV6_HEADER) + TCP_HEADER + payload.remaining();
    }

    /** Puts a segment at the buffer's position. */
    void tcp(ByteBuffer to, long sequence, long acknowledged, int flags, ByteBuffer payload) {
        int length = TCP_HEADER + payload.remaining();
        putIp(to, length);
        int at = to.position();
        to.putShort((short) sourcePort).putShort((short) destinationPort);
        to.putInt((int) sequence).putInt((int) acknowledged);
        to.put((byte) (TCP_HEADER << 2)).put((byte) flags).putShort((short) WINDOW);
        to.putShort((short) 0).putShort((short) 0).put(payload.duplicate());
        long pseudo = sum(ByteBuffer.wrap(source), 0, source.length)
                + sum(ByteBuffer.wrap(destination), 0, destination.length)
                + TCP
                + length;
        to.putShort(at + 16, folded(pseudo + sum(to, at, length)));
    }

    private void putIp(ByteBuffer to, int length) {
        if (source.length != IPV4_LENGTH) {
            to.putInt(6 << 28).putShort((short) length).put((byte) TCP).put((byte) HOPS);
            to.put(source).put(destination);
            return;
        }
        int at = to.position();
        to.put((byte) 0x45).put((byte) 0).putShort((short) (IPV4_HEADER + length));
        to.putShort((short) 0).putShort((short) DO_NOT_FRAGMENT);
        to.put((byte) HOPS).put((byte) TCP).putShort((short) 0);
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
