package io.accel.core.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class PacketsTest {
    private static final int TCP = 6;
    private static final int BEFORE = 13;

    /** A sum over what a checksum covers, and the checksum itself, has no zero bit. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 10.0.0.2, 0",
        "127.0.0.1, 10.0.0.2, 1",
        "192.0.2.255, 255.255.255.255, 1001",
        "192.0.2.255, 192.0.2.1, 65495",
        "::1, 2001:db8::2, 0",
        "::1, fe80::1, 65495",
        "::1, 127.0.0.1, 7"
    })
    void checksumsAndLengthsAreRight(String from, String to, int length) throws UnknownHostException {
        Packets packets = new Packets(address(from, 65_535), address(to, 7));
        byte[] payload = new byte[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (byte) (i * 31 + 200);
        }
        boolean four = !from.contains(":");
        int header = four ? 20 : 40;
        ByteBuffer file =
                ByteBuffer.allocate(BEFORE + length + Packets.MOST_HEADERS).position(BEFORE);
        packets.tcp(file, 0xFFFF_FFFFL, 1L << 33 | 5, 24, ByteBuffer.wrap(payload));
        assertThat(packets.length(ByteBuffer.wrap(payload)))
                .isEqualTo(file.position() - BEFORE)
                .isEqualTo(header + 20 + length);

        ByteBuffer packet = file.slice(BEFORE, file.position() - BEFORE);
        assertThat(packet.get(0) >>> 4).isEqualTo(four ? 4 : 6);
        int said = Short.toUnsignedInt(packet.getShort(four ? 2 : 4));
        assertThat(said).isEqualTo(four ? packet.limit() : packet.limit() - header);
        if (four) {
            assertThat(sum(packet, 0, header)).isEqualTo(0xFFFF);
        }
        long pseudo = sum(packet, four ? 12 : 8, four ? 8 : 32) + TCP + 20 + length;
        assertThat(fold(pseudo + sum(packet, header, 20 + length))).isEqualTo(0xFFFF);
        assertThat(Short.toUnsignedInt(packet.getShort(header))).isEqualTo(65_535);
        assertThat(packet.getShort(header + 2)).isEqualTo((short) 7);
        assertThat(packet.getInt(header + 4)).isEqualTo(-1);
        assertThat(packet.getInt(header + 8)).as("modulo 2 to the 32nd").isEqualTo(5);
        assertThat(packet.slice(header + 20, length)).isEqualTo(ByteBuffer.wrap(payload));
    }

    private static InetSocketAddress address(String host, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    private static long sum(ByteBuffer packet, int from, int length) {
        long sum = 0;
        for (int i = 0; i < length; i++) {
            sum += (long) Byte.toUnsignedInt(packet.get(from + i)) << (i % 2 == 0 ? 8 : 0);
        }
        return fold(sum);
    }

    private static long fold(long sum) {
        long folded = sum;
        while (folded > 0xFFFF) {
            folded = (folded & 0xFFFF) + (folded >>> 16);
        }
        return folded;
    }
}
