// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.MemoryRegion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class UdpFlowTest {
    private static final int RING = 1 << 20;

    private final MemoryRegion ring = new MemoryRegion(ByteBuffer.allocateDirect(RING));

    @BeforeEach
    void fill() {
        ByteBuffer all = ring.memory();
        while (all.hasRemaining()) {
            all.put((byte) ((all.position() * 0x9E37_79B9) >>> 24));
        }
    }

    private static InetSocketAddress address(String host, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    private static UdpFlow flow(Capture capture) throws UnknownHostException {
        return new UdpFlow(capture, address("192.0.2.1", 1_000), address("192.0.2.2", 2_000));
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.1, 192.0.2.2, 65507", "2001:db8::1, 2001:db8::2, 65527"})
    void eachIsOnePacketAlsoWhereItWraps(String from, String to, int most) throws Exception {
        InetSocketAddress local = address(from, 1_000);
        InetSocketAddress remote = address(to, 2_000);
        Capture capture = new Capture(Set.of(), 0);
        UdpFlow flow = new UdpFlow(capture, local, remote);
        long cursor = RING - 999;
        int[] lengths = {0, 1, most, 1_472};
        for (int length : lengths) {
            flow.outgoing().take(ring, cursor, length);
            flow.incoming().take(ring, cursor, length);
        }
        CapturedFile file = CapturedFile.end(capture);
        assertThat(file.dropped()).isZero();
        List<CapturedFile.Datagram> datagrams = file.datagrams();
        assertThat(datagrams).hasSize(2 * lengths.length);
        for (int i = 0; i < datagrams.size(); i++) {
            CapturedFile.Datagram each = datagrams.get(i);
            boolean out = i % 2 == 0;
            assertThat(each.isOutgoing()).isEqualTo(out);
            assertThat(each.from()).isEqualTo(out ? local : remote);
            assertThat(each.to()).isEqualTo(out ? remote : local);
            ByteBuffer expected = ByteBuffer.allocate(lengths[i / 2]);
            ring.copyOut(cursor, expected, 0, expected.capacity());
            assertThat(each.bytes()).isEqualTo(expected);
            assertThat(each.nanos())
                    .isGreaterThanOrEqualTo(datagrams.get(Math.max(0, i - 1)).nanos());
        }
    }

    @Test
    void whatDoesNotFitIsDroppedAndCounted() throws Exception {
        Capture capture = new Capture(Set.of(), 0);
        UdpFlow flow = flow(capture);
        int datagrams = 1_000;
        for (int i = 0; i < datagrams; i++) {
            flow.outgoing().take(ring, 0, 60_000);
        }
        long dropped = capture.dropped();
        CapturedFile file = CapturedFile.end(capture);
        assertThat(file.datagrams()).isNotEmpty().hasSize((int) (datagrams - dropped));
        assertThat(file.received()).isEqualTo(datagrams);
        assertThat(file.dropped()).isEqualTo(dropped).isPositive();

        flow.incoming().take(ring, 0, 1);
        assertThat(CapturedFile.end(capture).datagrams())
                .as("there is room again")
                .hasSize(1);
    }

    /** A foreign peer may send datagrams over a link that the link's addresses do not allow. */
    @Test
    void whatNoPacketHoldsIsDroppedAndCounted() throws Exception {
        Capture capture = new Capture(Set.of(), 0);
        flow(capture).incoming().take(ring, 0, 65_508);
        CapturedFile file = CapturedFile.end(capture);
        assertThat(file.packets()).isZero();
        assertThat(file.dropped()).isEqualTo(1);
    }

    @Test
    void afterTheEndNothingIsTakenIn() throws Exception {
        Capture capture = new Capture(Set.of(), 0);
        UdpFlow flow = flow(capture);
        capture.stop();
        flow.outgoing().take(ring, 0, 10);
        flow.incoming().take(ring, 0, 10);
        assertThat(CapturedFile.end(capture).received()).isZero();
    }
}
