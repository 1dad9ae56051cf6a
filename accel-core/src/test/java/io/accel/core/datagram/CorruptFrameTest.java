// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.stream.CorruptLinkException;
import io.accel.core.stream.LoopbackLink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.BeforeTry;

/** A peer that writes anything into its cursors and frames: a clean exception, and no byte out of place. */
class CorruptFrameTest {
    private static final int RING = 64;

    private LoopbackLink[] ends;
    private DatagramSender sender;
    private DatagramReceiver receiver;

    @BeforeTry
    void open() {
        ends = LoopbackLink.pair(RING);
        sender = new DatagramSender(ends[0]);
        receiver = new DatagramReceiver(ends[1]);
    }

    /** Sends and takes datagrams of 8 bytes, 16 with the header. */
    private long exchange(int datagrams) throws IOException {
        for (int i = 0; i < datagrams; i++) {
            sender.send(ByteBuffer.allocate(8));
            receiver.next();
            receiver.skip();
        }
        return datagrams * 16L;
    }

    @Property(tries = 5_000)
    void aProducerCursorThatCannotBeIsRefused(@ForAll @IntRange(max = 9) int before, @ForAll("cursors") long cursor)
            throws IOException {
        long at = exchange(before);
        ends[1].forgePublished(cursor);
        assertThat(receiver.available()).isBetween(0L, (long) RING);
        if (cursor == at) {
            assertThat(receiver.next()).isEqualTo(DatagramReceiver.NONE);
            return;
        }
        assertThat(receiver.ready()).as("nonsense is to be reported").isTrue();
        if (cursor < at || cursor > at + RING) {
            assertThatThrownBy(receiver::next)
                    .isInstanceOf(CorruptLinkException.class)
                    .hasMessageContaining(String.valueOf(cursor));
        } else {
            checkNext();
        }
    }

    @Property(tries = 5_000)
    void aFrameThatCannotBeIsRefused(
            @ForAll @IntRange(max = 9) int before,
            @ForAll("lengths") int length,
            @ForAll @IntRange(min = 1, max = RING) int published,
            @ForAll boolean marked)
            throws IOException {
        long at = exchange(before);
        ByteBuffer frame = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
        frame.putInt(length).putInt(marked ? DatagramFrame.MAGIC : DatagramFrame.MAGIC ^ 1 << before);
        ends[1].receiveRing().copyIn(at, frame, 0, 8);
        ends[1].forgePublished(at + published);
        boolean fits = length >= 0 && length <= RING && DatagramFrame.size(length) <= published;
        if (marked && fits) {
            assertThat(receiver.next()).isEqualTo(length);
            ByteBuffer dst = ByteBuffer.allocate(2 * RING);
            receiver.take(dst);
            assertThat(dst.position()).isEqualTo(length);
            return;
        }
        assertThatThrownBy(receiver::next)
                .isInstanceOf(CorruptLinkException.class)
                .hasMessageContaining(String.valueOf(length));
    }

    @Property(tries = 5_000)
    void aConsumerCursorThatCannotBeIsRefused(
            @ForAll @IntRange(max = 9) int before,
            @ForAll @IntRange(max = 4) int unread,
            @ForAll("cursors") long cursor)
            throws IOException {
        long at = exchange(before);
        for (int i = 0; i < unread; i++) {
            assertThat(sender.send(ByteBuffer.allocate(8))).isTrue();
        }
        long tail = at + unread * 16L;
        ends[0].forgeReleased(cursor);
        assertThat(sender.queued()).isBetween(0L, (long) RING);
        if (cursor < 0 || cursor > tail + RING) {
            // What it knows to be free it may still use; then it must look, and find the nonsense.
            assertThatThrownBy(() -> {
                        for (int i = 0; i <= RING / 16; i++) {
                            sender.send(ByteBuffer.allocate(8));
                        }
                    })
                    .isInstanceOf(CorruptLinkException.class)
                    .hasMessageContaining(String.valueOf(cursor));
        }
    }

    /** What lies in the ring is whatever it is; it is one datagram, or nonsense. */
    private void checkNext() {
        try {
            int n = receiver.next();
            assertThat(n).isBetween(0, RING - 8);
            receiver.skip();
        } catch (CorruptLinkException e) {
            assertThat(e).hasMessageContaining("path given up");
        }
    }

    @Provide
    Arbitrary<Integer> lengths() {
        return Arbitraries.oneOf(
                Arbitraries.integers(),
                Arbitraries.integers().between(-8, RING + 8),
                Arbitraries.of(Integer.MIN_VALUE, Integer.MAX_VALUE, DatagramFrame.MOST, DatagramFrame.MOST + 1, -1));
    }

    @Provide
    Arbitrary<Long> cursors() {
        return Arbitraries.oneOf(
                Arbitraries.longs(),
                Arbitraries.longs().between(-3L * RING, 6L * RING),
                Arbitraries.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE, Long.MAX_VALUE - RING));
    }
}
