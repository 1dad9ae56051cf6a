// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.Link;
import java.io.IOException;
import java.nio.ByteBuffer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** A peer that writes any 64-bit number into its cursors: a clean exception, a reset, and no byte out of place. */
class CorruptCursorTest {
    private static final int RING = 16;

    @Property(tries = 5_000)
    void aProducerCursorThatCannotBeIsRefused(
            @ForAll @IntRange(max = 40) int before, @ForAll("cursors") long cursor, @ForAll boolean scatter)
            throws IOException {
        LoopbackLink[] ends = LoopbackLink.pair(RING);
        StreamReceiver receiver = new StreamReceiver(ends[0]);
        StreamSender sender = new StreamSender(ends[1], 1);
        for (int i = 0; i < before; i++) {
            sender.write(StreamBytes.source(i, 1, false));
            receiver.read(StreamBytes.sink(1, false));
        }
        ends[0].forgePublished(cursor);
        ByteBuffer[] sinks = {StreamBytes.sink(5, false), StreamBytes.sink(100, true)};
        if (cursor >= before && cursor <= before + RING) {
            // A place within the ring: the bytes there are the peer's own affair.
            long n = receiver.read(sinks, 0, 2);
            assertThat(n).isEqualTo(cursor - before);
            return;
        }
        assertThat(receiver.ready()).as("nonsense is reported by a read").isTrue();
        assertThat(receiver.available()).isZero();
        assertThatThrownBy(() -> {
                    if (scatter) {
                        receiver.read(sinks, 0, 2);
                    } else {
                        receiver.read(sinks[1]);
                    }
                })
                .isInstanceOf(CorruptLinkException.class)
                .hasMessageContaining(String.valueOf(cursor));
        StreamBytes.check(sinks[0], 0);
        StreamBytes.check(sinks[1], 0);
        assertThat(StreamBytes.taken(sinks[0]) + StreamBytes.taken(sinks[1])).isZero();
        assertThat(ends[0].signalled() & Link.RST).isEqualTo(Link.RST);
    }

    @Property(tries = 5_000)
    void aConsumerCursorThatCannotBeIsRefused(
            @ForAll @IntRange(max = 40) int before,
            @ForAll @IntRange(max = RING) int unread,
            @ForAll("cursors") long cursor,
            @ForAll boolean gather)
            throws IOException {
        LoopbackLink[] ends = LoopbackLink.pair(RING);
        StreamSender sender = new StreamSender(ends[0], 1);
        StreamReceiver receiver = new StreamReceiver(ends[1]);
        for (int i = 0; i < before; i++) {
            sender.write(StreamBytes.source(i, 1, false));
            receiver.read(StreamBytes.sink(1, false));
        }
        int sent = before + sender.write(StreamBytes.source(before, unread, false));
        long known = ends[1].credited();
        ends[0].forgeReleased(cursor);
        ByteBuffer[] sources = {StreamBytes.source(sent, 1, true), StreamBytes.source(sent + 1, 2 * RING, false)};
        if (cursor > known && cursor <= sent) {
            assertThat(sender.write(sources, 0, 2)).isBetween(0L, (long) RING);
            return;
        }
        // The sender may still use the space that it knows to be free; then it must look, and find the nonsense.
        if (cursor < 0 || cursor > sent) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i <= RING; i++) {
                            if (gather) {
                                sender.write(sources, 0, 2);
                            } else {
                                sender.write(sources[1]);
                            }
                        }
                    })
                    .isInstanceOf(CorruptLinkException.class)
                    .hasMessageContaining(String.valueOf(cursor));
            assertThat(ends[0].signalled() & Link.RST).isEqualTo(Link.RST);
        }
    }

    @Provide
    Arbitrary<Long> cursors() {
        return Arbitraries.oneOf(
                Arbitraries.longs(),
                Arbitraries.longs().between(-3L * RING, 6L * RING),
                Arbitraries.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE, Long.MAX_VALUE - RING));
    }
}
