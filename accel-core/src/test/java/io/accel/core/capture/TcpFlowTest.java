// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.MemoryRegion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TcpFlowTest {
    private static final int RING = 1 << 20;
    private static final int FIN = 1;
    private static final int RST = 4;
    private static final int PSH = 8;
    private static final int ACK = 16;

    private final MemoryRegion ring = new MemoryRegion(ByteBuffer.allocateDirect(RING));
    private InetSocketAddress local;
    private InetSocketAddress remote;

    @BeforeEach
    void fill() throws Exception {
        local = new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 1_000);
        remote = new InetSocketAddress(InetAddress.getByName("192.0.2.2"), 2_000);
        ByteBuffer all = ring.memory();
        while (all.hasRemaining()) {
            all.put((byte) ((all.position() * 0x9E37_79B9) >>> 24));
        }
    }

    private TcpFlow flow(Capture capture) {
        return new TcpFlow(capture, local, remote, 100, 200, 1_100, 5_200);
    }

    @Test
    void aLargePieceIsSeveralSegmentsAlsoWhereItWraps() throws InterruptedException {
        Capture capture = new Capture(Set.of(), 0);
        int bytes = 200_000;
        long cursor = RING - 1_000;
        flow(capture).outgoing().take(ring, cursor, bytes, 1_000);
        List<CapturedFile.Segment> segments = CapturedFile.end(capture).segments();
        assertThat(segments).extracting(CapturedFile.Segment::flags).containsExactly(ACK, ACK, ACK, PSH | ACK);
        ByteBuffer expected = ByteBuffer.allocate(bytes);
        ring.copyOut(cursor, expected, 0, bytes);
        long next = 1_100;
        for (CapturedFile.Segment segment : segments) {
            assertThat(segment.sourcePort()).isEqualTo(1_000);
            assertThat(segment.sequence()).isEqualTo(next);
            assertThat(segment.acknowledged()).isEqualTo(5_200);
            int length = segment.bytes().remaining();
            assertThat(segment.bytes()).isEqualTo(expected.slice((int) next - 1_100, length));
            next += length;
        }
        assertThat(next - 1_100).isEqualTo(bytes);
    }

    @Test
    void eachDirectionAcknowledgesTheOtherAndEndsOnce() throws InterruptedException {
        Capture capture = new Capture(Set.of(), 0);
        TcpFlow flow = flow(capture);
        flow.incoming().take(ring, 0, 10, 5_000);
        flow.outgoing().take(ring, 0, 20, 1_000);
        flow.incoming().end(false);
        flow.incoming().end(false);
        flow.outgoing().end(true);
        assertThat(CapturedFile.end(capture).segments())
                .extracting(each -> List.of(each.sourcePort(), each.sequence(), each.acknowledged(), each.flags()))
                .containsExactly(
                        List.of(2_000, 5_200L, 1_100L, PSH | ACK),
                        List.of(1_000, 1_100L, 5_210L, PSH | ACK),
                        List.of(2_000, 5_210L, 1_120L, FIN | ACK),
                        List.of(1_000, 1_120L, 5_211L, RST | ACK));
    }

    @Test
    void whatDoesNotFitIsDroppedAndCounted() throws InterruptedException {
        Capture capture = new Capture(Set.of(), 0);
        TcpFlow flow = flow(capture);
        int pieces = 1_000;
        for (int i = 0; i < pieces; i++) {
            flow.outgoing().take(ring, 0, 60_000, 60_000L * i);
        }
        long dropped = capture.dropped();
        CapturedFile file = CapturedFile.end(capture);
        assertThat(file.segments()).isNotEmpty().hasSize((int) (pieces - dropped));
        assertThat(file.received()).isEqualTo(pieces);
        assertThat(file.dropped()).isEqualTo(dropped).isPositive();

        flow.outgoing().take(ring, 0, 1, 60_000L * pieces);
        assertThat(CapturedFile.end(capture).segments())
                .as("there is room again, and the gap shows")
                .extracting(CapturedFile.Segment::sequence)
                .containsExactly(60_000L * pieces + 100);
    }

    @Test
    void afterTheEndNothingIsTakenIn() throws InterruptedException {
        Capture capture = new Capture(Set.of(), 0);
        TcpFlow flow = flow(capture);
        capture.stop();
        flow.outgoing().take(ring, 0, 10, 1_000);
        flow.outgoing().end(false);
        assertThat(CapturedFile.end(capture).segments()).isEmpty();
    }

    @Test
    void eitherEndMayHaveThePort() {
        assertThat(new Capture(Set.of(), 0).wants(local, remote)).isTrue();
        assertThat(new Capture(Set.of(5, 1_000), 0).wants(local, remote)).isTrue();
        assertThat(new Capture(Set.of(2_000), 0).wants(local, remote)).isTrue();
        assertThat(new Capture(Set.of(5), 0).wants(local, remote)).isFalse();
    }
}
