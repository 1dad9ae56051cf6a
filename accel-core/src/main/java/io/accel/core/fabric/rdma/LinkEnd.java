// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/**
 * Decides how a connection ends: the next step, given the clock. It has no device and no lock of its own; only under
 * the link's lock but for {@link #begin}.
 *
 * <p>When the program has freed the link: deliver the rest, for as long as there is progress; disconnect; wait a
 * while for the peer to hear it; destroy. When a device is taken away, the end comes sooner: the pollers get a moment
 * to be woken by the queue pair's error, then everything of the device is given back, and the memory only when the
 * program has freed the link.
 */
final class LinkEnd {
    enum Step {
        /** The program still has the link. */
        NOTHING,
        WAIT,
        DISCONNECT,
        /** Give back all resources of the device, and keep the memory. */
        DETACH,
        DESTROY
    }

    private static final long MILLISECOND = 1_000_000L;
    private static final long FAREWELL_NANOS = 1_000 * MILLISECOND;
    /** Connections that go on through the kernel wait for this. */
    private static final long REMOVAL_NANOS = 80 * MILLISECOND;

    private static final long SHORTEST_PAUSE = MILLISECOND;
    private static final long LONGEST_PAUSE = 32 * MILLISECOND;

    private final long lingerNanos;

    private volatile boolean begun;
    private long progressAt;
    private boolean peerHeard;
    private boolean disconnecting;
    private long disconnectedAt;
    private boolean isRemoved;
    private long removedAt;
    private boolean detached;
    private long pause = SHORTEST_PAUSE;

    LinkEnd(long lingerNanos) {
        this.lingerNanos = lingerNanos;
    }

    /** The program has freed the link. Any thread. */
    void begin(long now) {
        progressAt = now;
        begun = true;
    }

    /** The connection manager reports that the connection has ended. */
    void disconnected() {
        peerHeard = true;
        pause = SHORTEST_PAUSE;
    }

    /** The device is going away. */
    void removed(long now) {
        isRemoved = true;
        removedAt = now;
    }

    /**
     * Decides the next step.
     *
     * @param progress whether anything has completed since the last call
     * @param idle whether nothing is left to deliver, or nothing can be
     */
    Step next(long now, boolean progress, boolean idle) {
        if (progress) {
            progressAt = now;
            pause = SHORTEST_PAUSE;
        } else {
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
        if (isRemoved) {
            return removal(now);
        }
        if (!begun) {
            return Step.NOTHING;
        }
        if (!disconnecting) {
            if (!idle && !peerHeard && now - progressAt < lingerNanos) {
                return Step.WAIT;
            }
            disconnecting = true;
            disconnectedAt = now;
            pause = SHORTEST_PAUSE;
            if (!peerHeard) {
                return Step.DISCONNECT;
            }
        }
        return peerHeard || now - disconnectedAt >= FAREWELL_NANOS ? Step.DESTROY : Step.WAIT;
    }

    private Step removal(long now) {
        if (begun) {
            return Step.DESTROY;
        }
        if (!detached && now - removedAt >= REMOVAL_NANOS) {
            detached = true;
            return Step.DETACH;
        }
        return detached ? Step.NOTHING : Step.WAIT;
    }

    /** How long to wait before the next step: longer and longer while nothing happens. */
    long pause() {
        return pause;
    }
}
