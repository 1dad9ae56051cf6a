// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.stream.LoopbackLink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;

/** What a sender and a receiver over one link must do, beside both: a queue of datagrams and the room that they take. */
final class DatagramModel {
    private static final int HEADER = 8;

    private final int ring;
    private final LoopbackLink receiving;
    private final DatagramSender sender;
    private final DatagramReceiver receiver;
    private final Queue<byte[]> under = new ArrayDeque<>();
    private long published;
    private long serial;
    private long sent;
    private long dropped;
    private long sentBytes;
    private long received;
    private long receivedBytes;

    DatagramModel(int ring) {
        LoopbackLink[] ends = LoopbackLink.pair(ring);
        this.ring = ring;
        this.receiving = ends[1];
        this.sender = new DatagramSender(ends[0]);
        this.receiver = new DatagramReceiver(ends[1]);
    }

    static int room(int length) {
        return HEADER + (length + 7) / 8 * 8;
    }

    /** Sends a datagram, in as many pieces as asked for, and expects it to be dropped if and only if it has no room. */
    void send(int length, int pieces, boolean direct) throws IOException {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (serial * 31 + i);
        }
        serial++;
        boolean room = ring - (published - receiving.credited()) >= room(length);
        boolean taken;
        if (pieces == 0) {
            ByteBuffer src = buffer(length, direct);
            src.put(bytes).flip().position(0);
            taken = sender.send(src);
            assertThat(src.hasRemaining()).isFalse();
        } else {
            ByteBuffer[] srcs = new ByteBuffer[pieces + 2]; // one more on either side, not to be touched
            for (int i = 0, from = 0; i < srcs.length; i++) {
                int n = i == 0 || i > pieces ? 3 : i == pieces ? length - from : length / pieces;
                srcs[i] = buffer(n, direct);
                if (i > 0 && i <= pieces) {
                    srcs[i].put(bytes, from, n).flip();
                    from += n;
                }
            }
            taken = sender.send(srcs, 1, pieces, length);
            for (int i = 0; i < srcs.length; i++) {
                assertThat(srcs[i].hasRemaining()).isEqualTo(i == 0 || i > pieces);
            }
        }
        assertThat(taken)
                .as("%s bytes sent with %s under way", length, published - receiving.credited())
                .isEqualTo(room);
        if (room) {
            under.add(bytes);
            published += room(length);
            sent++;
            sentBytes += length;
        } else {
            dropped++;
        }
    }

    /** Receives a datagram into as much room as is given, in as many pieces as asked for. */
    void receive(int space, int pieces, boolean direct) throws IOException {
        byte[] expected = under.poll();
        assertThat(receiver.ready()).isEqualTo(expected != null);
        int found = receiver.next();
        assertThat(receiver.next()).as("asked again").isEqualTo(found);
        if (expected == null) {
            assertThat(found).isEqualTo(DatagramReceiver.NONE);
            return;
        }
        assertThat(found).isEqualTo(expected.length);
        received++;
        receivedBytes += expected.length;
        ByteBuffer whole;
        if (pieces == 0) {
            whole = buffer(space, direct);
            receiver.take(whole);
        } else {
            ByteBuffer[] dsts = new ByteBuffer[pieces];
            for (int i = 0; i < pieces; i++) {
                dsts[i] = buffer(i == pieces - 1 ? space - space / pieces * i : space / pieces, direct);
            }
            long n = receiver.take(dsts, 0, pieces);
            whole = ByteBuffer.allocate(space);
            for (ByteBuffer dst : dsts) {
                whole.put(dst.flip());
            }
            assertThat(n).isEqualTo(whole.position());
        }
        byte[] got = new byte[whole.flip().remaining()];
        whole.get(got);
        byte[] fitting = java.util.Arrays.copyOf(expected, Math.min(space, expected.length));
        assertThat(got).isEqualTo(fitting);
    }

    void skip() throws IOException {
        byte[] expected = under.poll();
        if (expected != null) {
            assertThat(receiver.next()).isEqualTo(expected.length);
            receiver.skip();
            received++;
            receivedBytes += expected.length;
        }
    }

    int underWay() {
        return under.size();
    }

    void check() {
        assertThat(sender.sent()).isEqualTo(sent);
        assertThat(sender.dropped()).isEqualTo(dropped);
        assertThat(sender.bytes()).isEqualTo(sentBytes);
        assertThat(receiver.received()).isEqualTo(received);
        assertThat(receiver.bytes()).isEqualTo(receivedBytes);
        assertThat(sender.queued()).isEqualTo(published - receiving.credited());
        assertThat(receiver.available())
                .isEqualTo(under.stream().mapToLong(bytes -> room(bytes.length)).sum());
        // Ring space is given back by the quarter, so that an emptied ring has three quarters free.
        assertThat(sender.queued() - receiver.available()).isLessThan(Math.max(ring / 4, 1));
    }

    private static ByteBuffer buffer(int capacity, boolean direct) {
        return direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
    }
}
