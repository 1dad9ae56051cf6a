// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.MemoryRegion;
import io.accel.core.stream.LoopbackLink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A tap takes what goes by while it is there, each datagram once, and changes nothing about what goes by. */
@Timeout(30)
class DatagramTapTest {
    private static final int RING = 1 << 17;

    private final LoopbackLink[] ends = LoopbackLink.pair(RING);
    private final DatagramSender sender = new DatagramSender(ends[0]);
    private final DatagramReceiver receiver = new DatagramReceiver(ends[1]);

    /** Keeps what it takes. */
    private static final class Kept implements DatagramTap {
        private final List<ByteBuffer> datagrams = new ArrayList<>();

        @Override
        public void take(MemoryRegion ring, long cursor, int length) {
            ByteBuffer datagram = ByteBuffer.allocate(length);
            ring.copyOut(cursor, datagram, 0, length);
            datagrams.add(datagram);
        }
    }

    private static ByteBuffer datagram(int number, int length) {
        ByteBuffer datagram = ByteBuffer.allocate(length);
        while (datagram.hasRemaining()) {
            datagram.put((byte) (number * 31 + datagram.position()));
        }
        return datagram.flip();
    }

    @Test
    void whatIsSentAndReceivedIsTakenWhereverItLies() throws Exception {
        Kept out = new Kept();
        Kept in = new Kept();
        sender.tap(out);
        receiver.tap(in);
        List<ByteBuffer> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int length = i * 7_919 % 9_000;
            ByteBuffer whole = datagram(i, length);
            sent.add(whole);
            if (i % 2 == 0) {
                assertThat(sender.send(whole.duplicate())).isTrue();
            } else {
                ByteBuffer[] parts = {whole.slice(0, length / 3), whole.slice(length / 3, length - length / 3)};
                assertThat(sender.send(parts, 0, 2, length)).isTrue();
            }
            assertThat(receiver.next()).isEqualTo(length);
            ByteBuffer got = ByteBuffer.allocate(length);
            if (i % 3 == 0) {
                receiver.take(got);
            } else {
                assertThat(receiver.take(new ByteBuffer[] {got}, 0, 1)).isEqualTo(length);
            }
            assertThat(got.flip()).isEqualTo(whole);
        }
        assertThat(out.datagrams).isEqualTo(sent);
        assertThat(in.datagrams).isEqualTo(sent);
    }

    @Test
    void whatIsCutShortIsTakenWhole() throws Exception {
        Kept in = new Kept();
        receiver.tap(in);
        ByteBuffer whole = datagram(1, 100);
        sender.send(whole.duplicate());
        sender.send(whole.duplicate());
        assertThat(receiver.next()).isEqualTo(100);
        receiver.take(ByteBuffer.allocate(3));
        assertThat(receiver.next()).isEqualTo(100);
        assertThat(receiver.take(new ByteBuffer[] {ByteBuffer.allocate(0)}, 0, 1))
                .isZero();
        assertThat(in.datagrams).containsExactly(whole, whole);
    }

    @Test
    void whatIsDroppedOrSkippedIsNotTaken() throws Exception {
        Kept out = new Kept();
        Kept in = new Kept();
        sender.tap(out);
        receiver.tap(in);
        ByteBuffer half = datagram(2, RING / 2 - 16);
        assertThat(sender.send(half.duplicate())).isTrue();
        assertThat(sender.send(half.duplicate())).isTrue();
        assertThat(sender.send(half.duplicate())).isFalse();
        assertThat(out.datagrams).hasSize(2);
        assertThat(receiver.next()).isEqualTo(half.limit());
        receiver.skip();
        assertThat(in.datagrams).isEmpty();
    }

    /** Before the peer can answer, or write over it. */
    @Test
    void whatIsTakenHasNotGoneByYet() throws Exception {
        sender.tap((ring, cursor, length) ->
                assertThat(receiver.ready()).as("the peer sees it").isFalse());
        long[] credited = new long[1];
        receiver.tap((ring, cursor, length) -> credited[0] = ends[1].credited());
        ByteBuffer large = datagram(3, RING / 4);
        assertThat(sender.send(large)).isTrue();
        assertThat(receiver.next()).isEqualTo(RING / 4);
        receiver.take(ByteBuffer.allocate(RING));
        assertThat(credited[0]).isZero();
        assertThat(ends[1].credited()).as("as much as without a tap").isEqualTo(RING / 4 + 8);
    }

    @Test
    void itTakesWhatGoesByWhileItIsThere() throws Exception {
        Kept out = new Kept();
        Kept in = new Kept();
        for (int i = 0; i < 5; i++) {
            if (i == 1) {
                sender.tap(out);
            } else if (i == 3) {
                sender.untap();
            }
            sender.send(datagram(i, 10));
        }
        for (int i = 0; i < 5; i++) {
            if (i == 2) {
                receiver.tap(in);
            } else if (i == 4) {
                receiver.untap();
            }
            assertThat(receiver.next()).isEqualTo(10);
            receiver.take(ByteBuffer.allocate(10));
        }
        assertThat(out.datagrams).containsExactly(datagram(1, 10), datagram(2, 10));
        assertThat(in.datagrams).containsExactly(datagram(2, 10), datagram(3, 10));
    }
}
