// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A link over shared memory that breaks as an RDMA link does when a verb fails: the bytes are not sent, the peer counts as having
 * reset, or the fate of the stream is left open, and the doorbell rings once more. It notices who uses it after
 * it was freed.
 */
final class FaultyLink implements Link {
    /** The nonce by which the records of both ends are recognised. */
    static final long NONCE = 0x1234_5678_9ABC_DEF0L;

    private static final long ARRIVAL_NANOS = 1_000_000_000L;
    private static final long ARRIVAL_PAUSE_NANOS = 100_000L;

    private final Link inner;
    private final Faults.Side side;
    private final Faults faults;
    /** Whether no fault is to come from its calls. Written by the test. */
    private volatile boolean spared;

    private volatile boolean broken;
    private volatile boolean freed;
    private volatile Runnable whenBroken = () -> {};
    private volatile FaultyLink other;

    // The bytes that had come when it broke; written before the break is seen.
    private long lastPublished;
    private long lastReleased;
    private volatile int lastStates;
    /** The cursor up to which the peer has the published bytes. */
    private volatile long arrived;
    /** Whether a switch was signalled that never left. */
    private volatile boolean hasLost;
    /** Null if the fabric knows its peers. */
    private final PairedOwnership ownership;

    FaultyLink(Link inner, Faults.Side side, Faults faults, InetSocketAddress client) {
        this.inner = inner;
        this.side = side;
        this.faults = faults;
        boolean isClient = side == Faults.Side.CLIENT;
        this.ownership = faults.owner == null
                ? null
                : new PairedOwnership(
                        client.toString().getBytes(StandardCharsets.UTF_8),
                        isClient,
                        faults.owner,
                        isClient || faults.serverLeads);
    }

    private boolean isHidden() {
        return ownership != null && !ownership.isProved();
    }

    @Override
    public PairedOwnership ownership() {
        return ownership;
    }

    /** Whether the call has to go through. */
    private boolean works(Call call) {
        check(call.name());
        if (!broken && !spared && faults.next(side, call) != null) {
            breakNow();
            FaultyLink peer = other;
            if (faults.isResumable && peer != null && faults.newsMicros >= 0) {
                CompletableFuture.delayedExecutor(
                                ThreadLocalRandom.current().nextInt(faults.newsMicros + 1), TimeUnit.MICROSECONDS)
                        .execute(peer::breakNow);
            }
        }
        return !broken;
    }

    void spare() {
        spared = true;
    }

    void pairWith(FaultyLink peer) {
        other = peer;
        if (ownership != null) {
            ownership.pairWith(peer.ownership);
        }
    }

    /** Acts like a device that has the answer of the peer's device, which a broken one does not give. */
    private boolean arrives(Runnable message) {
        FaultyLink peer = other;
        if (!faults.isResumable || peer == null) {
            message.run();
            return true;
        }
        synchronized (peer) {
            if (peer.broken) {
                return false;
            }
            message.run();
            return true;
        }
    }

    @Override
    public void breakNow() {
        synchronized (this) {
            if (broken || freed) {
                return;
            }
            int states = inner.peerState(); // first: a state comes after the bytes that were published before it
            lastStates = states | (faults.isResumable ? BROKEN : RST);
            lastPublished = inner.published();
            lastReleased = inner.released();
            broken = true;
            try {
                ((SocketChannel) inner.doorbell()).shutdownInput(); // readable from now on, which wakes sleepers
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        whenBroken.run();
    }

    private void check(String what) {
        if (freed) {
            faults.misused(what + " of a freed link");
            throw new IllegalStateException(what + " of a freed link");
        }
    }

    @Override
    public MemoryRegion sendRing() {
        faults.steps.accept(Step.ATTACHES);
        return inner.sendRing();
    }

    @Override
    public MemoryRegion receiveRing() {
        return inner.receiveRing();
    }

    @Override
    public void publish(long from, long to) {
        faults.steps.accept(Step.SWITCHES);
        if (works(Call.PUBLISH) && arrives(() -> inner.publish(from, to))) {
            arrived = to;
        }
    }

    @Override
    public long sent() {
        return faults.isResumable ? arrived : inner.sent();
    }

    @Override
    public boolean isReached() {
        return false;
    }

    @Override
    public void signal(int state) {
        if ((state & ATTACHED) != 0) {
            faults.steps.accept(Step.SAYS_ATTACHED);
        } else if ((state & SWITCHED) != 0) {
            faults.steps.accept(Step.SAYS_SWITCHED);
        }
        if (!works(Call.SIGNAL) || !arrives(() -> inner.signal(state))) {
            hasLost |= (state & SWITCHED) != 0;
        }
        if ((state & SWITCHED) != 0) {
            faults.steps.accept(Step.HAS_SWITCHED);
        }
    }

    @Override
    public void forget(int state) {
        inner.forget(state);
        synchronized (this) {
            lastStates &= ~state;
        }
    }

    @Override
    public void decide(int states) {
        synchronized (this) {
            lastStates |= states;
            if (!broken) {
                inner.decide(states);
            }
        }
    }

    @Override
    public boolean canBreak() {
        faults.asked.run();
        return faults.isResumable;
    }

    @Override
    public long nonce() {
        return NONCE;
    }

    @Override
    public long released() {
        boolean unused = works(Call.RELEASED);
        long now = inner.released();
        return broken && faults.isResumable ? lastReleased : now; // a value read before the break is seen is older
    }

    @Override
    public void takeIn() {
        if (broken) {
            faults.steps.accept(Step.DRAINS);
        }
        inner.takeIn();
    }

    @Override
    public boolean hasArrived() {
        return inner.hasArrived() && !hasLost && faults.arrives;
    }

    /** As a device does, and with its limit. */
    @Override
    public void awaitArrival() {
        faults.waits.incrementAndGet();
        long start = System.nanoTime();
        while (!faults.arrives && System.nanoTime() - start < ARRIVAL_NANOS) {
            LockSupport.parkNanos(ARRIVAL_PAUSE_NANOS);
        }
    }

    @Override
    public long published() {
        boolean unused = works(Call.PUBLISHED);
        if (isHidden()) {
            return 0;
        }
        long now = inner.published();
        return broken && faults.isResumable ? lastPublished : now;
    }

    @Override
    public long publishedHere() {
        return inner.publishedHere();
    }

    @Override
    public int peerState() {
        check("peerState");
        faults.looks.accept(this);
        int now = inner.peerState();
        if (isHidden()) {
            return (now & (ATTACHED | RETIRING | RETIRED | LARGER)) | (broken && faults.isResumable ? BROKEN : 0);
        }
        if (broken) {
            return faults.isResumable ? lastStates : now | RST;
        }
        return now;
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
        boolean already;
        synchronized (this) {
            whenBroken = told;
            already = broken;
        }
        if (already) {
            told.run();
        }
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
        boolean isGone = inner.peerGone();
        if (isGone && faults.isResumable && (inner.peerState() & (CLOSED | RST)) == 0) {
            breakNow(); // without a word
        }
        return isGone || (broken && faults.isResumable);
    }

    @Override
    public void hangUp() {
        check("hangUp");
        inner.hangUp();
    }

    @Override
    public void free() {
        check("free");
        if (broken) {
            faults.steps.accept(Step.FREES);
        }
        synchronized (this) {
            freed = true;
            inner.free();
        }
        faults.links.decrementAndGet();
    }
}
