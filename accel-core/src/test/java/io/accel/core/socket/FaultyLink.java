package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.socket.Faults.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;

/**
 * A link over shared memory that breaks as an RDMA link does when a verb fails: what was to be sent is not, the peer counts as
 * having reset, and the doorbell rings once more. It notices who uses it after it was freed.
 */
final class FaultyLink implements Link {
    private final Link inner;
    private final Faults.Side side;
    private final Faults faults;
    private volatile boolean broken;
    private volatile boolean freed;
    private volatile Runnable whenBroken = () -> {};

    FaultyLink(Link inner, Faults.Side side, Faults faults) {
        this.inner = inner;
        this.side = side;
        this.faults = faults;
    }

    /** Whether the call is to go through. */
    private boolean works(Call call) {
        check(call.name());
        if (!broken && faults.next(side, call) != null) {
            broken = true;
            whenBroken.run();
            try {
                ((SocketChannel) inner.doorbell()).shutdownInput(); // readable from now on: whoever sleeps wakes
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return !broken;
    }

    private void check(String what) {
        if (freed) {
            faults.misused(what + " of a freed link");
            throw new IllegalStateException(what + " of a freed link");
        }
    }

    @Override
    public MemoryRegion sendRing() {
        return inner.sendRing();
    }

    @Override
    public MemoryRegion receiveRing() {
        return inner.receiveRing();
    }

    @Override
    public void publish(long from, long to) {
        if (works(Call.PUBLISH)) {
            inner.publish(from, to);
        }
    }

    @Override
    public void signal(int state) {
        if (works(Call.SIGNAL)) {
            inner.signal(state);
        }
    }

    @Override
    public void forget(int state) {
        inner.forget(state);
    }

    @Override
    public long released() {
        boolean unused = works(Call.RELEASED);
        return inner.released();
    }

    @Override
    public void takeIn() {
        inner.takeIn();
    }

    @Override
    public boolean hasArrived() {
        return inner.hasArrived();
    }

    @Override
    public long published() {
        boolean unused = works(Call.PUBLISHED);
        return inner.published();
    }

    @Override
    public int peerState() {
        check("peerState");
        return broken ? inner.peerState() | RST : inner.peerState();
    }

    @Override
    public void consumed(long cursor) {
        if (works(Call.CONSUMED)) {
            inner.consumed(cursor);
        }
    }

    @Override
    public void arm(int what) {
        boolean unused = works(Call.ARM);
        inner.arm(what);
    }

    @Override
    public void whenBroken(Runnable told) {
        check("whenBroken");
        whenBroken = told;
    }

    @Override
    public SelectableChannel doorbell() {
        check("doorbell");
        return inner.doorbell();
    }

    @Override
    public boolean drainDoorbell() {
        boolean unused = works(Call.DRAIN);
        return inner.drainDoorbell();
    }

    @Override
    public boolean peerGone() {
        check("peerGone");
        return inner.peerGone();
    }

    @Override
    public void free() {
        check("free");
        freed = true;
        inner.free();
        faults.links.decrementAndGet();
    }
}
