// SPDX-License-Identifier: Apache-2.0
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
    private static final int UDP = 17;
    private static final int BEFORE = 13;

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
    void segmentsAreRight(String from, String to, int length) throws UnknownHostException {
        ByteBuffer segment = check(from, to, new TcpHeader(0xFFFF_FFFFL, 1L << 33 | 5, 24), TCP, payload(length));
        assertThat(segment.getInt(4)).isEqualTo(-1);
        assertThat(segment.getInt(8)).as("modulo 2 to the 32nd").isEqualTo(5);
        assertThat(segment.get(12)).as("words of the header").isEqualTo((byte) (5 << 4));
        assertThat(segment.get(13)).isEqualTo((byte) 24);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 10.0.0.2, 0",
        "127.0.0.1, 10.0.0.2, 1",
        "192.0.2.255, 255.255.255.255, 1472",
        "192.0.2.255, 192.0.2.1, 65507",
        "::1, 2001:db8::2, 0",
        "::1, fe80::1, 65527",
        "::1, 127.0.0.1, 7"
    })
    void datagramsAreRight(String from, String to, int length) throws UnknownHostException {
        ByteBuffer datagram = check(from, to, new UdpHeader(), UDP, payload(length));
        assertThat(Short.toUnsignedInt(datagram.getShort(4))).isEqualTo(8 + length);
    }

    /** The checksum field is never 0, whatever the sum is, because 0 would mean that there is no checksum. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1", "::1, ::1"})
    void aDatagramAlwaysHasAChecksum(String from, String to) throws UnknownHostException {
        boolean wasOther = false;
        for (int i = 0; i <= 0xFFFF; i++) {
            ByteBuffer two = ByteBuffer.allocate(2).putShort(0, (short) i);
            short checksum = check(from, to, new UdpHeader(), UDP, two).getShort(6);
            assertThat(checksum).isNotZero();
            wasOther |= checksum == -1;
        }
        assertThat(wasOther).as("there was one whose sum is 0").isTrue();
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 10.0.0.2, 65507", "::1, 127.0.0.1, 65527"})
    void thereIsAMostOfBytes(String from, String to, int most) throws UnknownHostException {
        Packets packets = new Packets(address(from, 1), address(to, 2));
        assertThat(packets.hold(new UdpHeader(), most)).isTrue();
        assertThat(packets.hold(new UdpHeader(), most + 1)).isFalse();
        assertThat(packets.length(new UdpHeader(), most)).isLessThanOrEqualTo(Packets.MOST);
    }

    private static ByteBuffer payload(int length) {
        ByteBuffer payload = ByteBuffer.allocate(length);
        while (payload.hasRemaining()) {
            payload.put((byte) (payload.position() * 31 + 200));
        }
        return payload.flip();
    }

    /**
     * Checks the parts that all packets have. A sum over what a checksum covers, and the checksum itself, has no zero bit.
     *
     * @return the bytes after the IP header
     */
    private static ByteBuffer check(String from, String to, Transport transport, int protocol, ByteBuffer payload)
            throws UnknownHostException {
        Packets packets = new Packets(address(from, 65_535), address(to, 7));
        boolean four = !from.contains(":");
        int header = four ? 20 : 40;
        int length = transport.length() + payload.remaining();
        ByteBuffer file = ByteBuffer.allocate(BEFORE + header + length).position(BEFORE);
        packets.put(file, transport, payload);
        assertThat(packets.length(transport, payload.remaining()))
                .isEqualTo(file.position() - BEFORE)
                .isEqualTo(header + length);

        ByteBuffer packet = file.slice(BEFORE, file.position() - BEFORE);
        assertThat(packet.get(0) >>> 4).isEqualTo(four ? 4 : 6);
        assertThat(packet.get(four ? 9 : 6)).isEqualTo((byte) protocol);
        int said = Short.toUnsignedInt(packet.getShort(four ? 2 : 4));
        assertThat(said).isEqualTo(four ? packet.limit() : packet.limit() - header);
        if (four) {
            assertThat(sum(packet, 0, header)).isEqualTo(0xFFFF);
        }
        long pseudo = sum(packet, four ? 12 : 8, four ? 8 : 32) + protocol + length;
        assertThat(fold(pseudo + sum(packet, header, length))).isEqualTo(0xFFFF);
        ByteBuffer inner = packet.slice(header, length);
        assertThat(Short.toUnsignedInt(inner.getShort(0))).isEqualTo(65_535);
        assertThat(inner.getShort(2)).isEqualTo((short) 7);
        assertThat(inner.slice(transport.length(), payload.remaining())).isEqualTo(payload);
        return inner;
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
