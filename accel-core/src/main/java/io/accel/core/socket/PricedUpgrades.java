// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.handover.LinkTrial;
import io.accel.core.handover.LinkTrial.Verdict;
import io.accel.core.handover.Senses;
import io.accel.core.handover.SkiRental;
import io.accel.core.handover.UpgradeGate;
import io.accel.core.handover.UpgradePrices;
import io.accel.core.observe.UpgradeCounters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The connections of a process that ask for links when these have paid off: they wait at the gate, where the pace that they have through
 * the kernel is measured; and for some seconds each new link is on trial. {@link io.accel.core.handover} decides; this brings it together
 * with connections.
 *
 * <p>{@link StreamSearches}' thread, except {@link #areDue} and {@link #serves}, which are for any.
 */
final class PricedUpgrades {
    /** How long the pace through the kernel is measured, at least. */
    private static final long SAMPLE_NANOS = 50_000_000L;
    /** How many links are on trial at a time; the others need none, since these speak for them. */
    private static final int MOST_TRIALS = 64;
    /** How often links are paid for. */
    private static final long PAY_NANOS = 1_000_000_000L;
    /** Of its processor time a crowded process spends so much, in hundredths, for its first link. */
    private static final int SHARE = 5;

    private static final long FOR_EVER = -1;
    /** After so many operations of a connection its traffic is summed up: far fewer than any link costs. */
    static final int UNCOUNTED = 15;

    /**
     * A connection that waits.
     *
     * @param since when it came
     * @param bytes what it had carried then
     * @param units and what that was worth in units
     */
    private record Waiting(StreamSocket socket, long since, long bytes, long units) {}

    /**
     * The traffic of a connection through the kernel.
     *
     * @param pace in bytes a second
     * @param bytesPerUnit the bytes of a unit
     */
    private record Traffic(double pace, double bytesPerUnit) {
        static Traffic of(Waiting one, long now) {
            long bytes = carried(one.socket) - one.bytes;
            long units = units(one.socket) - one.units;
            return new Traffic(bytes * 1e9 / (now - one.since), units == 0 ? 0 : (double) bytes / units);
        }
    }

    /** A link on trial. */
    private record Tried(StreamSocket socket, LinkStream stream, LinkTrial trial, double bytesPerUnit) {}

    private final Senses senses;
    private final UpgradePrices prices;
    private final UpgradeGate gate;
    /** For peers that ask. Guarded by itself. */
    private final UpgradeGate atServer;

    private final Queue<Waiting> waiting = new ArrayDeque<>();
    /** The connections for which links are searched. */
    private final Map<StreamSocket, Traffic> asking = new HashMap<>();

    private final List<Tried> trials = new ArrayList<>();

    /** How many links have come that were not paid for. */
    private int unpaid;

    private long paidAt;
    private long paidNanos;

    /**
     * The connections of a profile.
     *
     * @param saving what the profile takes the saving of a unit of traffic for, in nanoseconds
     * @param senses the load of the machine
     */
    PricedUpgrades(long saving, Senses senses) {
        this.senses = senses;
        this.prices = new UpgradePrices(saving);
        this.gate = new UpgradeGate(senses, SHARE);
        this.atServer = new UpgradeGate(senses, SHARE);
    }

    /** Whether a connection with so much traffic through the kernel has paid for a link. */
    boolean areDue(int operations, long bytes) {
        return prices.areDue(operations, bytes);
    }

    /** Whether this process can afford a link that a peer asks for now. */
    boolean serves() {
        synchronized (atServer) {
            return atServer.serves(System.nanoTime());
        }
    }

    /** Takes a connection that has paid for a link. */
    void add(StreamSocket socket, long now) {
        waiting.add(new Waiting(socket, now, carried(socket), units(socket)));
    }

    private static long carried(StreamSocket socket) {
        return socket.incoming().taken() + socket.outgoing().given();
    }

    private static long units(StreamSocket socket) {
        return SkiRental.units(socket.incoming().reads() + socket.outgoing().writes(), carried(socket));
    }

    /** How long until the next {@link #turn}, in nanoseconds; negative if there is nothing to do. */
    long pause() {
        if (!trials.isEmpty() || unpaid > 0) {
            return SAMPLE_NANOS;
        }
        return waiting.isEmpty() && asking.isEmpty() ? FOR_EVER : Math.max(SAMPLE_NANOS, gate.pauseNanos());
    }

    /**
     * Does what is to be done now.
     *
     * @param begin begins the search for a link
     * @param now the time
     */
    void turn(Consumer<StreamSocket> begin, long now) {
        gate.look(now);
        asking.keySet().removeIf(each -> each.isClosed() && hasFailed(each));
        trials.removeIf(each -> isOver(each, now));
        waiting.removeIf(each -> each.socket.isClosed());
        for (Waiting first = waiting.peek();
                first != null && now - first.since >= SAMPLE_NANOS;
                first = waiting.peek()) {
            Traffic traffic = Traffic.of(first, now);
            if (!first.socket.handover().isContent(traffic.pace)) {
                if (!gate.admits(first.socket, now)) {
                    break;
                }
                asking.put(first.socket, traffic);
                begin.accept(first.socket);
            }
            waiting.remove();
        }
        pay(now);
        UpgradeCounters.show(gate.state().name(), waiting.size(), prices.price(), prices.saving());
    }

    private boolean hasFailed(StreamSocket socket) {
        gate.failed(socket);
        return true;
    }

    /** Takes note that a connection has its link. */
    void found(StreamSocket socket, long now) {
        Traffic before = asking.remove(socket);
        LinkStream stream = socket.attached();
        if (before == null || stream == null) {
            return;
        }
        unpaid++;
        if (trials.size() < MOST_TRIALS) {
            trials.add(new Tried(socket, stream, new LinkTrial(before.pace, now), before.bytesPerUnit));
        }
    }

    /** Takes note that there is no link for a connection. */
    void notFound(StreamSocket socket) {
        if (asking.remove(socket) != null) {
            gate.failed(socket);
        }
    }

    private boolean isOver(Tried each, long now) {
        if (each.socket.isClosed() || each.socket.attached() != each.stream) {
            gate.failed(each.socket);
            return true;
        }
        Verdict verdict = each.trial.look(each.stream.carried(), gate.isCompiling(), now);
        switch (verdict) {
            case UNDECIDED -> {
                return false;
            }
            case NOT_SLOWER -> {
                gate.judged(false, now);
                prices.saved(each.trial.savedNanos(each.bytesPerUnit));
                each.socket.handover().foundNotSlower();
            }
            case SLOWER -> {
                gate.judged(true, now);
                UpgradeCounters.slower();
                each.socket.handover().foundSlower(each.trial.pace());
                StreamUpgrades.get().giveBack(each.stream.retirement());
            }
            case NONE -> {} // the gate does not wait for it any longer either
        }
        return true;
    }

    private void pay(long now) {
        if (unpaid > 0 && now - paidAt >= PAY_NANOS) {
            long nanos = senses.threadNanos();
            prices.paid(unpaid, nanos - paidNanos);
            UpgradeCounters.paid(unpaid, nanos - paidNanos);
            paidNanos = nanos;
            paidAt = now;
            unpaid = 0;
        }
    }
}
