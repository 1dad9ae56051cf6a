// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * The requests of connections to the one thread that serves them. A request leaves only when it is done, so that none is lost if the thread
 * runs out of memory in the middle: the thread meets the same request first when it comes again.
 *
 * @param <T> the type that stands for a connection
 */
final class Backlog<T> {
    private static final Warnings ERRORS = new Warnings(Log.of(Backlog.class));

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();

    /** Any thread. */
    void add(T one) {
        queue.add(one);
    }

    /** Any thread. */
    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Removes a request that need not be served any more, and returns whether it was there. By the thread that serves. */
    boolean remove(T one) {
        return queue.remove(one);
    }

    /**
     * Serves each request that is there now. By one thread, always the same. A request that meets an exception is given up with a warning,
     * since all others wait behind it. An error ends this, and leaves the request that met it, and those behind it, for the next time.
     *
     * @param server returns whether it is done with a request; otherwise the request goes to the end, for the next time
     */
    void serve(Predicate<T> server) {
        for (int left = queue.size(); left > 0; left--) {
            T first = queue.peek();
            if (first == null) {
                return;
            }
            if (!isDone(first, server)) {
                queue.add(first);
            }
            queue.remove();
        }
    }

    private boolean isDone(T one, Predicate<T> server) {
        try {
            return server.test(one);
        } catch (RuntimeException e) {
            ERRORS.warn("serving a connection met an error, and the others are served", e);
            return true;
        }
    }
}
