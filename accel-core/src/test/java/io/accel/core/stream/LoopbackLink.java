// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;

/**
 * One end of a connection within one thread: the rings are buffers, the cursors plain fields. It checks the duties of a sender
 * and a receiver towards a link, and lets a test write values that no correct peer writes.
 */
public final class LoopbackLink implements Link {
    /** One direction: what its sender writes and what its receiver writes. */
    private static final class Direction {
        final MemoryRegion ring;
        long producer;
        int state;
        long consumer;
        /** The consumer cursor before a test wrote nonsense there, which a sender has perhaps seen; -1 for none. */
        long honest = -1;
        /** The furthest that the producer cursor ever was, which a receiver may have seen; a test may have taken it back. */
        long furthest;

        Direction(int ringSize) {
            this.ring = new MemoryRegion(ByteBuffer.allocateDirect(ringSize));
        }
    }

    private final Direction out;
    private final Direction in;
    private boolean peerGone;
    private boolean closedBesideWriter;
    private long publishes;

    private LoopbackLink(Direction out, Direction in) {
        this.out = out;
        this.in = in;
    }

    /** Both ends of a new connection. */
    public static LoopbackLink[] pair(int ringSize) {
        Direction there = new Direction(ringSize);
        Direction back = new Direction(ringSize);
        return new LoopbackLink[] {new LoopbackLink(there, back), new LoopbackLink(back, there)};
    }

    // ---- what a test does to an end

    /** The peer writes this as its producer cursor. */
    public void forgePublished(long cursor) {
        in.furthest = Math.max(in.furthest, Math.max(in.producer, cursor));
        in.producer = cursor;
    }

    /** The peer writes this as its consumer cursor. */
    public void forgeReleased(long cursor) {
        out.honest = out.honest < 0 ? out.consumer : out.honest;
        out.consumer = cursor;
    }

    /** How often this end has published. */
    @Override
    public long publishes() {
        return publishes;
    }

    void losePeer() {
        peerGone = true;
    }

    /** The states that this end has signalled so far. */
    int signalled() {
        return out.state;
    }

    /** The space that this end has given back so far. */
    public long credited() {
        return in.consumer;
    }

    // ---- the link

    @Override
    public MemoryRegion sendRing() {
        return out.ring;
    }

    @Override
    public long publishedHere() {
        return out.producer;
    }

    @Override
    public MemoryRegion receiveRing() {
        return in.ring;
    }

    /** A close by a thread that does not wait for another one, which writes. */
    void closeBesideWriter() {
        closedBesideWriter = true;
        signal(FIN | CLOSED);
    }

    @Override
    public void publish(long from, long to) {
        publishes++;
        if (from != out.producer || to <= from || to - Math.max(out.honest, out.consumer) > out.ring.size()) {
            throw new AssertionError(
                    "publish(" + from + ", " + to + ") after " + out.producer + ", released " + out.consumer);
        }
        if (!closedBesideWriter && (out.state & (FIN | RST | CLOSED)) != 0) {
            throw new AssertionError("published after the end");
        }
        out.producer = to;
    }

    @Override
    public void signal(int state) {
        out.state |= state;
    }

    @Override
    public void forget(int state) {
        in.state &= ~state;
    }

    @Override
    public long released() {
        if (out.consumer <= out.producer + out.ring.size()) {
            out.honest = Math.max(out.honest, out.consumer); // a sender may rely on it, although a test takes it back
        }
        return out.consumer;
    }

    @Override
    public long published() {
        return in.producer;
    }

    @Override
    public int peerState() {
        return in.state;
    }

    @Override
    public void consumed(long cursor) {
        if (cursor <= in.consumer || cursor > Math.max(in.producer, in.furthest)) {
            throw new AssertionError("consumed(" + cursor + ") after " + in.consumer + ", published " + in.producer);
        }
        in.consumer = cursor;
    }

    @Override
    public boolean peerGone() {
        return peerGone;
    }

    @Override
    public void arm(int what) {
        throw new AssertionError("the protocol does not wait");
    }

    @Override
    public SelectableChannel doorbell() {
        throw new AssertionError("the protocol does not wait");
    }

    @Override
    public boolean drainDoorbell() {
        throw new AssertionError("the protocol does not wait");
    }

    @Override
    public void free() {
        throw new AssertionError("the protocol does not own its link");
    }
}
