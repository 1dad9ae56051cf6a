package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * What connections want of the one thread that serves them. Nothing leaves before it is done, so that nothing is lost where the
 * thread runs out of memory in the middle: it meets the same thing first when it comes again.
 *
 * @param <T> what stands for a connection
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

    /** Takes one out that is not to be served any more, and says whether it was there. By the thread that serves. */
    boolean remove(T one) {
        return queue.remove(one);
    }

    /**
     * Serves each that is there now. By one thread, always the same. One that meets an exception is given up with a warning: all the
     * others wait behind it. An error ends this, and leaves the one that met it, and those behind it, for the next time.
     *
     * @param server says whether it has done with one; otherwise that one goes to the end, for the next time
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
