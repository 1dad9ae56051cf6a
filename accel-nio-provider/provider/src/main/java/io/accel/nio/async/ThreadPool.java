// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * A group's threads.
 *
 * @param executor the executor of the threads, which is the group's own
 * @param kind how the group may use it
 * @param waiting how many of its threads wait for channels
 */
record ThreadPool(ExecutorService executor, Kind kind, int waiting) {
    /** The kinds of pools. */
    enum Kind {
        /** All of its threads wait for channels, and handlers run on these alone. */
        FIXED,
        /** Handlers run on further threads, too, and a thread of Accel's waits as well, so a handler may block. */
        GROWING
    }

    static ThreadPool fixed(int threads, ThreadFactory factory) {
        if (threads <= 0) {
            throw new IllegalArgumentException("'nThreads' must be > 0");
        }
        return new ThreadPool(Executors.newFixedThreadPool(threads, factory), Kind.FIXED, threads);
    }

    /**
     * Makes a pool of the program's executor. Only an executor that makes a thread for each task gets tasks that never end: another
     * one might run nothing beside them.
     *
     * @param initialSize how many such tasks; negative for a usual number
     */
    static ThreadPool of(ExecutorService executor, int initialSize) {
        if (executor == null) {
            throw new NullPointerException("'executor' is null");
        }
        boolean cached = executor instanceof ThreadPoolExecutor pool && pool.getMaximumPoolSize() == Integer.MAX_VALUE;
        int usual = Runtime.getRuntime().availableProcessors();
        return new ThreadPool(executor, Kind.GROWING, !cached ? 0 : initialSize < 0 ? usual : initialSize);
    }

    boolean isFixed() {
        return kind == Kind.FIXED;
    }
}
