// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The completion queues of this process. Links on one device that the same thread waits for share them. Each further queue has more places
 * than all before it, so that a thread with one link has a queue of one place, and one with thousands has one queue for each {@value
 * RequestId#PLACES} links. Any thread.
 */
final class SharedQueues {
    private static final Map<Sharers, List<Open>> OPEN = new HashMap<>(); // guarded by the class

    private SharedQueues() {}

    /** The traits that links have in common which share queues. A map key that does not use a record's own methods, for they are slow to be made. */
    private static final class Sharers {
        private final Context context;
        private final Object waiter;
        private final int depth;
        private final int atOnce;
        private final boolean bySend;

        Sharers(Context context, Object waiter, int depth, int atOnce, boolean bySend) {
            this.context = context;
            this.waiter = waiter;
            this.depth = depth;
            this.atOnce = atOnce;
            this.bySend = bySend;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Sharers them
                    && context == them.context
                    && waiter == them.waiter
                    && depth == them.depth
                    && atOnce == them.atOnce
                    && bySend == them.bySend;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(context) + System.identityHashCode(waiter);
        }
    }

    private record Open(SharedQueue queue, DeviceCompletions completions) {}

    /** The place of a link in a queue. It is given back once, when the link's queue pair is no more. */
    static final class Share implements AutoCloseable {
        private final Sharers sharers;
        private final Open open;
        private final SharedQueue.Place place;

        private Share(Sharers sharers, Open open, SharedQueue.Place place) {
            this.sharers = sharers;
            this.open = open;
            this.place = place;
        }

        SharedQueue.Place place() {
            return place;
        }

        CompletionQueue queue() {
            return open.completions.queue();
        }

        SelectableChannel doorbell() {
            return open.completions.doorbell();
        }

        @Override
        public void close() {
            leave(this);
        }
    }

    /**
     * Gives a new link its place.
     *
     * @param waiter stands for the thread that waits for the link; null if it is not known
     * @param depth the most sends, and the most receives, that the link has outstanding
     * @param atOnce how many completions are taken with one call
     * @param bySend whether words come as messages of their own
     * @throws IOException if there is no queue with room, and none can be had
     */
    static synchronized Share join(
            Context context, Object waiter, int depth, int atOnce, boolean bySend, Arrivals arrivals)
            throws IOException {
        Sharers sharers = new Sharers(context, waiter, depth, atOnce, bySend);
        List<Open> present = OPEN.computeIfAbsent(sharers, key -> new ArrayList<>(1));
        int all = 0;
        for (Open open : present) {
            SharedQueue.Place place = open.queue.join(arrivals);
            if (place != null) {
                return new Share(sharers, open, place);
            }
            all += open.queue.size();
        }
        try {
            int places = all == 0 ? 1 : SharedQueue.places(3 * all + 1, depth, mostEntries(context));
            DeviceCompletions completions = DeviceCompletions.open(context, SharedQueue.entries(places, depth), atOnce);
            Open open = new Open(new SharedQueue(completions, places, depth, !bySend), completions);
            present.add(open);
            return new Share(sharers, open, open.queue.join(arrivals));
        } finally {
            if (present.isEmpty()) {
                OPEN.remove(sharers);
            }
        }
    }

    /** How many entries a queue of the device may have; 0 if the device does not say so. */
    private static int mostEntries(Context context) {
        try {
            return context.attributes().maxCompletions();
        } catch (VerbsException e) {
            return 0; // so it has one place, which the device refuses if that is too much
        }
    }

    private static void leave(Share share) {
        boolean isLast;
        synchronized (SharedQueues.class) {
            isLast = share.open.queue.leave(share.place);
            if (isLast) {
                List<Open> present = OPEN.get(share.sharers);
                present.remove(share.open);
                if (present.isEmpty()) {
                    OPEN.remove(share.sharers);
                }
            }
        }
        share.place.ring(); // whoever watches the channel for this link lets go of it
        if (isLast) {
            share.open.queue.close();
        }
    }

    /** How many queues there are. */
    static synchronized int count() {
        return OPEN.values().stream().mapToInt(List::size).sum();
    }
}
