package io.accel.nio.async;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
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
 * What the threads of a group do: one of them waits in the selector, the others for work.
 *
 * <p>The work is a queue. In it, or in the hands of one thread, is the turn to wait. The thread that has the turn selects, and moves the bytes of what
 * became ready: no other thread then finds it ready once more. What handlers there are to call it puts in the queue, and behind them the
 * turn, for another thread to take, before it calls the first one itself. So however long a handler takes, another thread selects.
 */
final class EventLoop {
    /** A channel in the selector. */
    interface Client {
        /**
         * Does what can be done now. Called by the thread that has the turn.
         *
         * @param operations what the channel is ready for
         * @param handlers takes calls of handlers
         */
        void ready(int operations, Deque<Runnable> handlers);
    }

    private static final Log LOG = Log.of(EventLoop.class);

    /** What is in the queue beside calls of handlers. */
    private enum Mark implements Runnable {
        /** The turn to wait. */
        TURN,
        /** Lets a thread look whether it is to end. */
        NOTHING;

        @Override
        public void run() {}
    }

    private final Selector selector;
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();

    /** Whether a thread is in the selector, or about to be. Written by the one that has the turn. */
    private volatile boolean selecting;

    /** Written once, under the monitor. */
    private volatile boolean stopped;

    private int threads; // guarded by this

    // Only who has the turn.
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

    /** A thread is going to {@link #run}. */
    synchronized void joining() {
        threads++;
    }

    /** A thread has run, or was not to be had after all. The last one closes the selector. */
    void left() {
        synchronized (this) {
            threads--;
            if (!stopped) {
                return;
            }
            if (threads > 0) {
                work.add(Mark.NOTHING); // for one that was about to wait for work when the loop was stopped
                return;
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.get().log(Level.WARNING, "the selector of a channel group could not be closed", e);
        }
    }

    /** Ends the threads when they have done the work that there is. */
    void stop() {
        synchronized (this) {
            stopped = true;
            work.add(Mark.NOTHING); // and each thread that ends wakes another one
        }
        selector.wakeup();
    }

    /**
     * Has something done by one of the threads.
     *
     * @throws ShutdownChannelGroupException if they have ended, or are to
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

    /** There is word for the selector, or work for the thread that is in it. */
    void notice() {
        if (selecting) {
            selector.wakeup();
        }
    }

    /**
     * Does the work until the loop is stopped, or a task throws something.
     *
     * @param call calls a handler
     */
    void run(Consumer<Runnable> call) {
        for (Runnable next = next(); next != null; next = next()) {
            Runnable task = next == Mark.TURN ? await() : next;
            if (task != Mark.NOTHING) {
                call.accept(task);
            }
        }
    }

    /** The next thing to do; null when there is nothing more. */
    private Runnable next() {
        while (!stopped) {
            try {
                return work.take();
            } catch (InterruptedException e) {
                // Meant for a handler that has ended; whoever ends this thread stops the loop.
            }
        }
        return work.poll();
    }

    /** Takes the turn. Returns something to do. */
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
        } catch (IOException e) {
            LOG.get().log(Level.WARNING, "the selector of a channel group failed, and is tried again", e);
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
        boolean unused = Thread.interrupted(); // or there would be no waiting
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

    private void serve(SelectionKey key) {
        try {
            ((Client) key.attachment()).ready(key.readyOps(), handlers);
        } catch (CancelledKeyException e) {
            // Closed meanwhile; what was pending has been told.
        }
    }
}
