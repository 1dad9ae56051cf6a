// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * The requests of connections to the one thread that serves them. A request leaves only when it is done, so that none is lost if the thread
 * runs out of memory in the middle. An error concerns the request that met it, and no other.
 *
 * @param <T> the type that stands for a connection
 */
final class Backlog<T> {
    private static final Warnings ERRORS = new Warnings(Log.of(Backlog.class));

    /** Keeps a request that has met an error. */
    static final BiPredicate<Object, Throwable> KEEPING = (request, e) -> {
        ERRORS.warn("serving a connection met an error, and is tried again", e);
        return true;
    };

    /** Drops a request that has met an error. */
    static final BiPredicate<Object, Throwable> DROPPING = (request, e) -> {
        ERRORS.warn("serving a connection met an error, and the others are served", e);
        return false;
    };

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
     * Serves each request that is there now. By one thread, always the same.
     *
     * @param server returns whether it is done with a request; otherwise the request goes to the end, for the next time
     * @param failed told of a request that has met an error; returns whether the request stays, for the next time
     */
    void serve(Predicate<? super T> server, BiPredicate<? super T, Throwable> failed) {
        for (int left = queue.size(); left > 0; left--) {
            T first = queue.peek();
            if (first == null) {
                return;
            }
            if (!isDone(first, server, failed)) {
                queue.add(first);
            }
            queue.remove();
        }
    }

    private boolean isDone(T one, Predicate<? super T> server, BiPredicate<? super T, Throwable> failed) {
        try {
            return server.test(one);
        } catch (Throwable e) {
            return !failed.test(one, e);
        }
    }
}
