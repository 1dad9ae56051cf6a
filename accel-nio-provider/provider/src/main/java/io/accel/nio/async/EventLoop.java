// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * The loop of a group's threads: one of them waits in the selector, the others wait for work.
 *
 * <p>The work is in a queue. The turn to wait is in that queue, too, or in the hands of one thread. The thread that has the turn
 * selects, and moves the bytes of the channels that became ready, so that no other thread finds them ready once more. It puts the
 * handlers to call into the queue, and the turn behind them for another thread, before it calls the first handler itself. So another
 * thread selects however long a handler takes.
 */
final class EventLoop {
    /** A channel in the selector. */
    interface Client {
        /**
         * Continues the pending operations as far as possible. Called by the thread that has the turn.
         *
         * @param operations the operations that the channel is ready for
         * @param handlers takes the calls of handlers
         */
        void ready(int operations, Deque<Runnable> handlers);
    }

    private static final Log LOG = Log.of(EventLoop.class);
    private static final Warnings ERRORS = new Warnings(LOG);

    /** The entries of the queue beside calls of handlers. */
    private enum Mark implements Runnable {
        /** The turn to wait. */
        TURN,
        /** Lets a thread check whether it is to end. */
        NOTHING;

        @Override
        public void run() {}
    }

    private final Selector selector;
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();

    /** Whether a thread is in the selector, or about to be. Written by the thread that has the turn. */
    private volatile boolean selecting;

    /** Written once, under the monitor. */
    private volatile boolean stopped;

    private int threads; // guarded by this

    // Only the thread that has the turn.
    private final List<SelectionKey> ready = new ArrayList<>();
    private final Deque<Runnable> handlers = new ArrayDeque<>();
    private final Consumer<SelectionKey> intoReady = ready::add;

    EventLoop(Selector selector) {
        this.selector = selector;
        work.add(Mark.TURN);
    }

    Selector selector() {
        return selector;
    }

    /** Called before a thread goes to {@link #run}. */
    synchronized void joining() {
        threads++;
    }

    /** Called when a thread has run, or could not be started after all. The last one closes the selector. */
    void left() {
        synchronized (this) {
            threads--;
            if (!stopped) {
                return;
            }
            if (threads > 0) {
                work.add(Mark.NOTHING); // for a thread that was about to wait for work when the loop was stopped
                return;
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.get().log(Level.WARNING, "the selector of a channel group could not be closed", e);
        }
    }

    /** Ends the threads when they have done the remaining work. */
    void stop() {
        synchronized (this) {
            stopped = true;
            work.add(Mark.NOTHING); // each thread that ends wakes another one
        }
        selector.wakeup();
    }

    /**
     * Has one of the threads run a task.
     *
     * @throws ShutdownChannelGroupException if the threads have ended, or are to end
     */
    void execute(Runnable task) {
        synchronized (this) {
            if (stopped) {
                throw new ShutdownChannelGroupException();
            }
            work.add(task);
        }
        notice();
    }

    /** Called when there is a change for the selector, or work for the thread that is in it. */
    void notice() {
        if (selecting) {
            selector.wakeup();
        }
    }

    /**
     * Does the work until the loop is stopped, or a task throws.
     *
     * @param call calls a handler
     */
    void run(Consumer<Runnable> call) {
        boolean hasMore = true;
        while (hasMore) {
            hasMore = runNext(call);
        }
    }

    /**
     * Does one piece of work. Its variables are gone before the next one is awaited: a thread that waits must not keep the last handler
     * from the collector.
     *
     * @return false if there is none left
     */
    private boolean runNext(Consumer<Runnable> call) {
        Runnable next = next();
        if (next == null) {
            return false;
        }
        Runnable task = next == Mark.TURN ? await() : next;
        if (task != Mark.NOTHING) {
            call.accept(task);
        }
        return true;
    }

    /** Returns the next task; null when there is none left. */
    private Runnable next() {
        while (!stopped) {
            try {
                return work.take();
            } catch (InterruptedException e) {
                // The interrupt was meant for a handler that has ended; only stopping the loop ends a thread.
            }
        }
        return work.poll();
    }

    /** Takes the turn. Returns a task to run. */
    private Runnable await() {
        if (stopped) {
            return Mark.NOTHING;
        }
        Runnable own = null;
        try {
            do { // futures alone are no reason for another thread to wake up
                ready.clear();
                select();
                for (SelectionKey key : ready) {
                    serve(key);
                }
            } while (handlers.isEmpty() && work.isEmpty() && !stopped);
            own = handlers.poll();
        } catch (IOException | RuntimeException | Error e) {
            rethrowDeath(e);
            ERRORS.warn("the selector of a channel group failed, and is tried again", e);
            Daemons.pause();
        } finally {
            ready.clear();
            work.addAll(handlers);
            handlers.clear();
            work.add(Mark.TURN);
        }
        return own == null ? Mark.NOTHING : own;
    }

    private void select() throws IOException {
        boolean unused = Thread.interrupted(); // an interrupted thread would not wait
        selecting = true;
        try {
            if (!work.isEmpty() || stopped) {
                selector.selectNow(intoReady);
            } else {
                selector.select(intoReady);
            }
        } finally {
            selecting = false;
        }
    }

    /** Serves one channel, whatever that one meets: the others are served as well, and it is found ready again. */
    private void serve(SelectionKey key) {
        try {
            ((Client) key.attachment()).ready(key.readyOps(), handlers);
        } catch (CancelledKeyException e) {
            // The channel was closed meanwhile, and its pending operations have been told.
        } catch (RuntimeException | Error e) {
            rethrowDeath(e);
            ERRORS.warn("a channel of a group met an error, and is served again", e);
        }
    }

    @SuppressWarnings("removal") // a thread that the program stops ends, and the group starts another
    private static void rethrowDeath(Throwable e) {
        if (e instanceof ThreadDeath death) {
            throw death;
        }
    }
}
