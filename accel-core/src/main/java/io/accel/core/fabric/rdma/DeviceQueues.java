// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * The completion queues of this process. Links that one poller serves, on one device, share a queue as long as there is room in it; then
 * the poller gets another one, twice as large. A link that no poller serves has a queue of its own. A queue goes with its last link. Any
 * thread.
 */
final class DeviceQueues {
    private static final Log LOG = Log.of(DeviceQueues.class);
    /** For how many links the first queue of a poller has room. */
    private static final int FIRST = 4;
    /** For how many links a queue has room at most. */
    private static final int MOST = 1024;

    /** The shared queues by what polls their links. Guarded by this. */
    private final IdentityHashMap<Object, List<DeviceQueue>> shared = new IdentityHashMap<>();

    /**
     * Finds a place for a new link's completions.
     *
     * @param home what polls the link, compared by identity; null for a queue of its own
     * @param completions how many completions the link can have in the queue at a time
     * @param batch how many completions are taken with one call
     * @throws IOException if the device, or the system's limits, do not allow it
     */
    QueuePlace open(Context context, Object home, int completions, int batch) throws IOException {
        QueuePlace place = home == null ? null : share(context, home, completions, batch);
        return place != null
                ? place
                : DeviceQueue.open(context, false, completions, batch).admit(completions);
    }

    /** Finds a place in a shared queue; null if the device has none to share. */
    private synchronized QueuePlace share(Context context, Object home, int completions, int batch) throws IOException {
        List<DeviceQueue> all = shared.get(home);
        int queues = 0;
        if (all != null) {
            for (DeviceQueue queue : all) {
                if (queue.context() == context) {
                    QueuePlace place = queue.admit(completions);
                    if (place != null) {
                        return place;
                    }
                    queues++;
                }
            }
        }
        DeviceQueue queue = openNext(context, queues, completions, batch);
        if (queue == null) {
            return null;
        }
        shared.computeIfAbsent(home, key -> new ArrayList<>(1)).add(queue);
        return queue.admit(completions);
    }

    /** Opens the next queue of a poller that has this many; null if the device gives none that is worth sharing. */
    private static DeviceQueue openNext(Context context, int queues, int completions, int batch) throws IOException {
        int links = FIRST << Math.min(queues, Integer.numberOfTrailingZeros(MOST / FIRST));
        try {
            long entries =
                    Math.min((long) links * completions, context.attributes().maxCompletions());
            return entries < 2L * completions ? null : DeviceQueue.open(context, true, (int) entries, batch);
        } catch (VerbsException e) {
            LOG.get()
                    .log(
                            Level.DEBUG,
                            "no completion queue for {0} connections, so the next one has one of its own: {1}",
                            links,
                            e.getMessage());
            return null;
        }
    }

    /** Gives a place back, after the link's queue pair is gone. It never fails: errors are logged. */
    void close(QueuePlace place) {
        DeviceQueue queue = place.queue();
        boolean isOver;
        synchronized (this) {
            isOver = queue.leave(place);
            if (isOver && queue.isShared()) {
                shared.values().removeIf(all -> all.remove(queue) && all.isEmpty());
            }
        }
        if (isOver) {
            queue.close(); // nobody finds it any more
        }
    }

    /** How many queues are shared at this moment. */
    synchronized int sharedQueues() {
        int count = 0;
        for (List<DeviceQueue> all : shared.values()) {
            count += all.size();
        }
        return count;
    }
}
