// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.Link;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * One direction of a connection beside a model of it: three counters and the signalled states. Every operation is done on
 * both, and they must agree.
 */
final class StreamModel {
    private final int size;
    private final int lowWater;
    private final LoopbackLink near;
    private final LoopbackLink far;
    private final StreamSender sender;
    private final StreamReceiver receiver;

    private boolean byAppending;
    /** Whether a write was accepted that nobody reads. */
    private boolean farewell;
    /** Whether a write has told of the receiver's reset. */
    private boolean resetTold;
    /** Whether a read has told of the sender's reset. */
    private boolean resetRead;

    private long sent;
    private long received;
    private boolean finished;
    private boolean senderReset;
    private boolean senderGone;
    private boolean receiverClosed;
    private boolean receiverReset;
    /** Whether the receiver has ended its own direction, after which its reset changes nothing. */
    private boolean receiverFinished;

    private boolean receiverGone;

    /** The cursors of lent bytes, oldest first. */
    private final Deque<Long> lent = new ArrayDeque<>();

    StreamModel(int size, int lowWater) {
        LoopbackLink[] ends = LoopbackLink.pair(size);
        this.size = size;
        this.lowWater = Math.max(1, Math.min(lowWater, size / 2));
        this.near = ends[0];
        this.far = ends[1];
        this.sender = new StreamSender(near, lowWater);
        this.receiver = new StreamReceiver(far);
    }

    // ---- what the sending side does

    void write(List<Integer> lengths, boolean direct) throws IOException {
        if (finished || senderReset || senderGone) {
            return;
        }
        ByteBuffer[] sources = new ByteBuffer[lengths.size()];
        long place = sent;
        for (int i = 0; i < sources.length; i++) {
            sources[i] = StreamBytes.source(place, lengths.get(i), direct);
            place += lengths.get(i);
        }
        boolean nobodyReads = receiverReset || receiverClosed || receiverGone;
        if (nobodyReads && place > sent) {
            writeToNobody(sources, place - sent);
            return;
        }
        long wanted = place - sent;
        long free = size - (sent - far.credited());
        long accepted = write(sources);
        assertThat(accepted).as("accepted of %d", wanted).isEqualTo(Math.min(free, wanted));
        long taken = 0;
        for (ByteBuffer source : sources) {
            taken += StreamBytes.taken(source);
        }
        assertThat(taken).as("sum of the sources' advances").isEqualTo(accepted);
        sent += accepted;
        if (accepted < wanted) {
            assertThat(unread() + held())
                    .as("unread bytes while the sender is short of space")
                    .isGreaterThan(size * 3L / 4);
        }
    }

    /** A reset is told once; a peer that closed in order has one write accepted that it does not read. */
    private void writeToNobody(ByteBuffer[] sources, long wanted) throws IOException {
        if (!farewell && !receiverReset) {
            farewell = true;
            long published = near.publishes();
            assertThat(sender.write(sources, 0, sources.length)).as("accepted").isEqualTo(wanted);
            assertThat(near.publishes()).as("published to nobody").isEqualTo(published);
            return;
        }
        assertThatThrownBy(() -> write(sources))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage(farewell || resetTold || receiverFinished ? "Broken pipe" : "Connection reset by peer");
        resetTold = true;
    }

    private long write(ByteBuffer[] sources) throws IOException {
        if (byAppending) {
            return append(sources);
        }
        return sources.length == 1 ? sender.write(sources[0]) : sender.write(sources, 0, sources.length);
    }

    /** Like {@link #write}, but the caller copies the bytes and one flush publishes them. */
    void append(List<Integer> lengths, boolean direct) throws IOException {
        byAppending = true;
        try {
            write(lengths, direct);
        } finally {
            byAppending = false;
        }
    }

    private long append(ByteBuffer[] sources) throws IOException {
        long published = near.publishes();
        ByteBuffer ring = near.sendRing().memory();
        long total = 0;
        for (ByteBuffer source : sources) {
            int n = sender.room(source.remaining());
            for (int i = 0; i < n; i++) {
                ring.put((int) (sender.position() + i) & (size - 1), source.get());
            }
            sender.append(n);
            total += n;
        }
        assertThat(near.publishes()).as("publishes before the flush").isEqualTo(published);
        sender.flush();
        assertThat(near.publishes() - published).as("publishes by the flush").isEqualTo(total > 0 ? 1 : 0);
        return total;
    }

    void finish() {
        if (!senderGone && !senderReset) {
            sender.finish();
            finished = true;
        }
    }

    void senderResets() {
        if (!senderGone) {
            near.signal(Link.RST | Link.CLOSED);
            senderReset = true;
        }
    }

    void senderDies() {
        far.losePeer();
        senderGone = true;
    }

    // ---- what the receiving side does

    void read(List<Integer> lengths, boolean direct) throws IOException {
        if (receiverReset || receiverClosed || receiverGone) {
            return;
        }
        ByteBuffer[] sinks = new ByteBuffer[lengths.size()];
        long room = 0;
        for (int i = 0; i < sinks.length; i++) {
            sinks[i] = StreamBytes.sink(lengths.get(i), direct);
            room += lengths.get(i);
        }
        boolean over = unread() == 0 && room > 0;
        if ((over && senderReset && !finished) || (room == 0 && resetRead)) {
            resetRead = true;
            assertThatThrownBy(() -> read(sinks))
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
            return;
        }
        long expected = over && (finished || senderGone) ? -1 : Math.min(unread(), room);
        assertThat(receiver.available()).isEqualTo((int) unread());
        assertThat(read(sinks)).as("read with room for %d", room).isEqualTo(expected);
        for (ByteBuffer sink : sinks) {
            StreamBytes.check(sink, received);
            received += StreamBytes.taken(sink);
        }
    }

    private long read(ByteBuffer[] sinks) throws IOException {
        return sinks.length == 1 ? receiver.read(sinks[0]) : receiver.read(sinks, 0, sinks.length);
    }

    /** Reads without taking the bytes out of the ring. */
    void lend(int least, int most) throws IOException {
        if (receiverReset || receiverClosed || receiverGone || least < 1 || most < least) {
            return;
        }
        if (unread() == 0 && senderReset && !finished) {
            resetRead = true;
            assertThatThrownBy(() -> receiver.lend(least, most))
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
            return;
        }
        long inOnePiece = Math.min(Math.min(unread(), most), size - (received & (size - 1)));
        long expected = unread() == 0 && (finished || senderGone) ? -1 : inOnePiece < least ? 0 : inOnePiece;
        assertThat(receiver.position()).isEqualTo(received);
        assertThat(receiver.lend(least, most)).isEqualTo((int) expected);
        if (expected > 0) {
            lent.add(received);
            received += expected;
        }
    }

    /** Gives back the oldest so many of the lent pieces; their bytes must still be those that were sent. */
    void giveBack(int count) {
        if (receiverReset || receiverClosed || receiverGone) {
            return;
        }
        ByteBuffer ring = far.receiveRing().memory();
        for (long cursor = received - held(); cursor < received; cursor++) {
            assertThat(ring.get((int) cursor & (size - 1))).isEqualTo(StreamBytes.at(cursor));
        }
        for (int i = 0; i < count && !lent.isEmpty(); i++) {
            lent.remove();
        }
        receiver.keep(lent.isEmpty() ? Long.MAX_VALUE : lent.peek());
    }

    /** The bytes from the oldest lent piece on. */
    private long held() {
        return lent.isEmpty() ? 0 : received - lent.peek();
    }

    void receiverCloses(boolean reset) {
        if (!receiverGone) {
            far.signal(reset ? Link.RST | Link.CLOSED : Link.FIN | Link.CLOSED);
            receiverClosed = true;
            receiverReset |= reset;
            receiverFinished |= !reset;
        }
    }

    void receiverDies() {
        near.losePeer();
        receiverGone = true;
    }

    // ---- what must always hold

    void check() {
        assertThat(unread()).isBetween(0L, (long) size);
        assertThat(receiver.hasUnread()).isEqualTo(unread() > 0);
        assertThat(receiver.ready())
                .as("ready to read")
                .isEqualTo(unread() > 0 || finished || senderReset || senderGone);
        assertThat(receiver.ended()).isEqualTo(unread() == 0 && (finished || senderReset || senderGone));
        assertThat(received - held() - far.credited())
                .as("bytes read but not given back")
                .isLessThan(Math.max(1, size / 4));
        long free = size - (sent - far.credited());
        boolean broken = receiverReset || receiverClosed || receiverGone;
        assertThat(sender.ready()).as("ready to write").isEqualTo(free >= lowWater || broken);
        if (!sender.ready()) {
            // Otherwise a waiting sender and a receiver with nothing to read would wait for each other.
            assertThat(unread() + held())
                    .as("unread bytes while the sender waits")
                    .isGreaterThanOrEqualTo(size / 4);
        }
    }

    /** Reads to the end: nothing may be missing. */
    void drain() throws IOException {
        if (receiverReset || receiverClosed || receiverGone) {
            return;
        }
        giveBack(Integer.MAX_VALUE);
        while (unread() > 0) {
            read(List.of(7), false);
        }
        read(List.of(7), false);
        assertThat(received).isEqualTo(sent);
    }

    private long unread() {
        return sent - received;
    }
}
