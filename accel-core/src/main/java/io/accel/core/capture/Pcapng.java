// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes blocks of a file in the format pcapng (draft-ietf-opsawg-pcapng), in big-endian order: a section with one
 * interface, whose packets begin with the IP header, and whose times are nanoseconds. Stateless.
 */
final class Pcapng {
    /** The most bytes that a packet takes beside its own. */
    static final int MOST_OVERHEAD = 64;

    private static final int SECTION = 0x0A0D0D0A;
    private static final int INTERFACE = 1;
    private static final int STATISTICS = 5;
    private static final int PACKET = 6;

    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
    /** The section's length is not known when it begins. */
    private static final long UNKNOWN = -1;

    private static final short LINKTYPE_RAW = 101;
    private static final int NO_LIMIT = 0;
    private static final byte NANOSECONDS = 9;
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;

    private static final int OPTION_END = 0;
    private static final int COMMENT = 1;
    private static final int USER_APPLICATION = 4;
    private static final int INTERFACE_NAME = 2;
    private static final int TIME_RESOLUTION = 9;
    private static final int PACKET_FLAGS = 2;
    private static final int RECEIVED = 4;
    private static final int DROPPED = 5;

    private static final int ALIGN = 4;

    private Pcapng() {}

    /** Puts the beginning of a file: a section's header and the description of the interface. */
    static void begin(ByteBuffer file, String application) {
        int section = begin(file, SECTION);
        file.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0).putLong(UNKNOWN);
        option(
                file,
                COMMENT,
                utf8("Traffic of accelerated paths; the headers of IP, TCP and UDP were made for this file"));
        option(file, USER_APPLICATION, utf8(application));
        option(file, OPTION_END);
        end(file, section);
        int link = begin(file, INTERFACE);
        file.putShort(LINKTYPE_RAW).putShort((short) 0).putInt(NO_LIMIT);
        option(file, INTERFACE_NAME, utf8("accel"));
        option(file, TIME_RESOLUTION, NANOSECONDS);
        option(file, OPTION_END);
        end(file, link);
    }

    /**
     * Begins a packet of a length; its bytes are put next, and then it is {@linkplain #endPacket ended}. Returns its
     * start.
     */
    static int beginPacket(ByteBuffer file, long nanos, int length) {
        int block = begin(file, PACKET);
        file.putInt(0);
        time(file, nanos);
        file.putInt(length).putInt(length);
        return block;
    }

    static void endPacket(ByteBuffer file, int block, int length, boolean outbound) {
        pad(file, length);
        option(file, PACKET_FLAGS, word(outbound ? OUTBOUND : INBOUND));
        option(file, OPTION_END);
        end(file, block);
    }

    /** Puts the number of packets so far, and how many of them are not in the file. */
    static void statistics(ByteBuffer file, long nanos, long packets, long dropped) {
        int block = begin(file, STATISTICS);
        file.putInt(0);
        time(file, nanos);
        option(file, RECEIVED, ByteBuffer.allocate(Long.BYTES).putLong(packets).array());
        option(file, DROPPED, ByteBuffer.allocate(Long.BYTES).putLong(dropped).array());
        option(file, OPTION_END);
        end(file, block);
    }

    private static void time(ByteBuffer file, long nanos) {
        file.putInt((int) (nanos >>> Integer.SIZE)).putInt((int) nanos);
    }

    private static int begin(ByteBuffer file, int type) {
        int at = file.position();
        file.putInt(type).putInt(0);
        return at;
    }

    private static void end(ByteBuffer file, int block) {
        int length = file.position() - block + Integer.BYTES;
        file.putInt(length);
        file.putInt(block + Integer.BYTES, length);
    }

    private static void option(ByteBuffer file, int code, byte... value) {
        file.putShort((short) code).putShort((short) value.length).put(value);
        pad(file, value.length);
    }

    private static void pad(ByteBuffer file, int length) {
        for (int i = length; i % ALIGN != 0; i++) {
            file.put((byte) 0);
        }
    }

    private static byte[] word(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
