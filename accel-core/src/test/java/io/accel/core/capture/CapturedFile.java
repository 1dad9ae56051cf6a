package io.accel.core.capture;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads what a capture has written, and checks the frame of each block. */
public final class CapturedFile {
    /** A packet of IPv4 and TCP without options. */
    public record Segment(int sourcePort, long sequence, long acknowledged, int flags, ByteBuffer bytes) {}

    private final List<Segment> segments = new ArrayList<>();
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
                segments.add(segment(file.slice(at + 28, file.getInt(at + 20))));
            } else if (type == 5) {
                received = file.getLong(at + 24);
                dropped = file.getLong(at + 36);
            }
            file.position(at + length);
        }
    }

    private static Segment segment(ByteBuffer packet) {
        if (packet.get(0) != 0x45 || packet.getShort(2) != (short) packet.limit() || packet.get(9) != 6) {
            throw new AssertionError("no packet of TCP over IPv4");
        }
        return new Segment(
                Short.toUnsignedInt(packet.getShort(20)),
                Integer.toUnsignedLong(packet.getInt(24)),
                Integer.toUnsignedLong(packet.getInt(28)),
                packet.get(33),
                packet.slice(40, packet.limit() - 40));
    }

    /** In the order of the file. */
    public List<Segment> segments() {
        return segments;
    }

    /** How many packets its end says that there were. */
    public long received() {
        return received;
    }

    /** How many of them its end says that are missing. */
    public long dropped() {
        return dropped;
    }
}
