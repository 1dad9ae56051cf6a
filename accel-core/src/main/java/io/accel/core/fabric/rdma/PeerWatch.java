// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/**
 * Decides by the clock whether a peer is still there. A peer that was silent for long, or that owes completions, is
 * asked for a sign of life, and given up when it gives none for as long as a device may take. The class has no device
 * and no lock of its own; only under the link's lock.
 */
final class PeerWatch {
    enum Step {
        NOTHING,
        /** Ask for a sign of life. */
        ASK,
        GIVE_UP
    }

    private static final long LONGEST_INTERVAL_NANOS = 10_000_000_000L;

    private final long keepaliveNanos;
    private final long givingUpNanos;
    private long completionsBefore;
    /** When the last completion was seen. */
    private long activeAt;

    private boolean asked;
    private long askedAt;

    /**
     * Makes a watch that begins now.
     *
     * @param keepaliveNanos how long a peer that owes nothing may be silent; 0 for as long as it likes
     * @param givingUpNanos how long the peer may take to answer
     */
    PeerWatch(long keepaliveNanos, long givingUpNanos, long now) {
        this.keepaliveNanos = keepaliveNanos;
        this.givingUpNanos = givingUpNanos;
        this.activeAt = now;
    }

    /**
     * Decides the next step.
     *
     * @param completions how many completions have come so far; a new one is a sign of life
     * @param owes whether completions are due
     */
    Step next(long now, long completions, boolean owes) {
        if (completions != completionsBefore) {
            completionsBefore = completions;
            activeAt = now;
            asked = false;
            return Step.NOTHING;
        }
        if (asked) {
            return now - askedAt > givingUpNanos ? Step.GIVE_UP : Step.NOTHING;
        }
        if (owes || (keepaliveNanos > 0 && now - activeAt >= keepaliveNanos)) {
            asked = true;
            askedAt = now;
            return Step.ASK;
        }
        return Step.NOTHING;
    }

    /** For how long the peer has not answered. */
    long silence(long now) {
        return now - askedAt;
    }

    /** How often to call {@link #next}. Any thread. */
    long intervalNanos() {
        return keepaliveNanos > 0 ? Math.min(keepaliveNanos, LONGEST_INTERVAL_NANOS) : LONGEST_INTERVAL_NANOS;
    }
}
