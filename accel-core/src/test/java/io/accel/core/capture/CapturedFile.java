// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads what a capture has written, and checks the frame of each block. */
public final class CapturedFile {
    /** A TCP packet without options. */
    public record Segment(int sourcePort, long sequence, long acknowledged, int flags, ByteBuffer bytes) {}

    /** A packet of UDP. */
    public record Datagram(
            InetSocketAddress from, InetSocketAddress to, boolean isOutgoing, long nanos, ByteBuffer bytes) {}

    private static final int TCP = 6;
    private static final int UDP = 17;

    private final List<Segment> segments = new ArrayList<>();
    private final List<Datagram> datagrams = new ArrayList<>();
    private long received = -1;
    private long dropped = -1;

    /** All of a file. */
    public CapturedFile(ByteBuffer file) {
        boolean first = true;
        while (file.hasRemaining()) {
            int at = file.position();
            int length = file.getInt(at + 4);
            if (length % 4 != 0 || file.getInt(at + length - 4) != length) {
                throw new AssertionError("the block at " + at + " says " + length);
            }
            int type = file.getInt(at);
            if (first != (type == 0x0A0D0D0A)) {
                throw new AssertionError("the block at " + at + " is of type " + type);
            }
            first = false;
            if (type == 6) {
                packet(file.slice(at, length));
            } else if (type == 5) {
                received = file.getLong(at + 24);
                dropped = file.getLong(at + 36);
            }
            file.position(at + length);
        }
    }

    /** All that is in a capture now. */
    static CapturedFile end(Capture capture) throws InterruptedException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        ByteBuffer part = ByteBuffer.allocate(Capture.MOST_BLOCK);
        capture.begin(part, "test");
        do {
            file.write(part.array(), 0, part.position());
        } while (capture.take(part.clear(), 0));
        capture.end(part);
        file.write(part.array(), 0, part.position());
        return new CapturedFile(ByteBuffer.wrap(file.toByteArray()));
    }

    private void packet(ByteBuffer block) {
        int length = block.getInt(20);
        ByteBuffer packet = block.slice(28, length);
        boolean isOutgoing = block.getInt(28 + (length + 3) / 4 * 4 + 4) == 2;
        boolean four = packet.get(0) == 0x45;
        int header = four ? 20 : 40;
        int said = Short.toUnsignedInt(packet.getShort(four ? 2 : 4));
        if ((!four && packet.get(0) != 0x60) || said != (four ? length : length - header)) {
            throw new AssertionError("no packet of IP of " + length + " bytes, but of " + said);
        }
        int protocol = packet.get(four ? 9 : 6);
        ByteBuffer inner = packet.slice(header, length - header);
        if (protocol == TCP) {
            segments.add(segment(inner));
        } else if (protocol == UDP && Short.toUnsignedInt(inner.getShort(4)) == inner.limit()) {
            datagrams.add(new Datagram(
                    address(packet, four ? 12 : 8, four, inner.getShort(0)),
                    address(packet, four ? 16 : 24, four, inner.getShort(2)),
                    isOutgoing,
                    block.getLong(12),
                    inner.slice(8, inner.limit() - 8)));
        } else {
            throw new AssertionError("no whole packet of TCP or UDP, but of protocol " + protocol);
        }
    }

    private static Segment segment(ByteBuffer packet) {
        return new Segment(
                Short.toUnsignedInt(packet.getShort(0)),
                Integer.toUnsignedLong(packet.getInt(4)),
                Integer.toUnsignedLong(packet.getInt(8)),
                packet.get(13),
                packet.slice(20, packet.limit() - 20));
    }

    private static InetSocketAddress address(ByteBuffer packet, int at, boolean four, short port) {
        byte[] address = new byte[four ? 4 : 16];
        packet.get(at, address);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), Short.toUnsignedInt(port));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** The TCP packets, in the order of the file. */
    public List<Segment> segments() {
        return segments;
    }

    /** The UDP packets, in the order of the file. */
    public List<Datagram> datagrams() {
        return datagrams;
    }

    /** How many packets there are. */
    public int packets() {
        return segments.size() + datagrams.size();
    }

    /** The number of packets, as the file's end says it. */
    public long received() {
        return received;
    }

    /** The number of missing packets, as the file's end says it. */
    public long dropped() {
        return dropped;
    }
}
