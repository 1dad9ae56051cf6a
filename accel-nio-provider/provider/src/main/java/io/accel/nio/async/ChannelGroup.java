// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import io.accel.core.daemon.CallersRights;
import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Privileged;
import io.accel.core.daemon.Warnings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.AsynchronousChannel;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * A group of channels: its threads, and the channels that are open in it. Safe for use by many threads.
 *
 * <p>Handlers run on threads of the pool alone. A growing pool also has one thread of Accel's, which waits and moves bytes, so that a
 * thread does so while all others are busy with handlers. Its handlers go to the pool.
 *
 * <p>It is an executor of its threads, since the JDK's group is one, and programs cast it.
 */
public final class ChannelGroup extends AsynchronousChannelGroup implements Executor {
    private enum State {
        OPEN,
        /** No further channel can be opened; the close of the last one ends the group. */
        SHUTDOWN,
        /** The threads end when they have done the remaining work. */
        ENDING
    }

    private static final Log LOG = Log.of(ChannelGroup.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    /** How often an executor is asked that has no memory, which takes two seconds. */
    private static final int MOST_TRIES = 20;

    private final SelectorProvider channels;
    private final ThreadPool pool;
    private final EventLoop loop;
    /** Held by the thread that ends the group, for as long as that takes. */
    private final Object ending = new Object();

    // Guarded by members.
    private final Set<AsynchronousChannel> members = new HashSet<>();
    private State state = State.OPEN;

    private ChannelGroup(AsynchronousChannelProvider provider, SelectorProvider channels, ThreadPool pool)
            throws IOException {
        super(provider);
        this.channels = channels;
        this.pool = pool;
        this.loop = new EventLoop(channels.openSelector());
    }

    /**
     * Creates a group with the given number of threads.
     *
     * @param provider the provider of the group
     * @param channels opens the channels beneath the group's channels
     * @param threads the number of threads
     * @param factory makes the threads
     * @throws IllegalArgumentException if {@code threads} is not positive
     * @throws IOException if no selector can be opened
     */
    public static ChannelGroup fixed(
            AsynchronousChannelProvider provider, SelectorProvider channels, int threads, ThreadFactory factory)
            throws IOException {
        return start(provider, channels, ThreadPool.fixed(threads, factory));
    }

    /**
     * Creates a group with an executor, which belongs to the group from now on.
     *
     * @param provider the provider of the group
     * @param channels opens the channels beneath the group's channels
     * @param executor runs the threads
     * @param initialSize how many of them wait for channels, if the executor makes new ones as needed; negative for a usual number
     * @throws IOException if no selector can be opened
     */
    public static ChannelGroup of(
            AsynchronousChannelProvider provider, SelectorProvider channels, ExecutorService executor, int initialSize)
            throws IOException {
        return start(provider, channels, ThreadPool.of(executor, initialSize));
    }

    /**
     * Creates the group of channels that name none, as the system properties that {@link AsynchronousChannelGroup} documents say.
     *
     * @param provider the provider of the group
     * @param channels opens the channels beneath the group's channels
     * @throws IOException if no selector can be opened
     */
    public static ChannelGroup byDefault(AsynchronousChannelProvider provider, SelectorProvider channels)
            throws IOException {
        return start(provider, channels, DefaultThreads.pool());
    }

    private static ChannelGroup start(AsynchronousChannelProvider provider, SelectorProvider channels, ThreadPool pool)
            throws IOException {
        ChannelGroup group = null;
        try {
            group = new ChannelGroup(provider, channels, pool);
        } finally {
            if (group == null) {
                shutDown(pool.executor());
            }
        }
        if (!pool.isFixed()) {
            group.startOwn();
        }
        for (int i = 0; i < pool.waiting(); i++) {
            group.startPooled();
        }
        return group;
    }

    private static void shutDown(ExecutorService executor) {
        Privileged.get(() -> {
            executor.shutdown();
            return executor;
        });
    }

    // ---- threads

    private void startOwn() {
        loop.joining();
        boolean started = false;
        try {
            Daemons.start("accel-async", this::runOwn);
            started = true;
        } finally {
            if (!started) {
                loop.left();
            }
        }
    }

    private void startPooled() {
        loop.joining();
        try {
            pool.executor().execute(() -> GroupThread.run(this, this::runPooled));
        } catch (RejectedExecutionException e) {
            loop.left(); // the program has shut its executor down
        }
    }

    private void runOwn() {
        boolean ended = false;
        try {
            loop.run(this::hand);
            ended = true;
        } finally {
            if (!ended) {
                startOwn(); // an error has ended this thread, and the group needs one
            }
            loop.left();
        }
    }

    /** Has the pool call a handler. As long as there is no memory for a thread the handler waits, and this thread with it. */
    private void hand(Runnable handler) {
        boolean isHanded = false;
        try {
            for (int tries = 1; !isHanded; tries++) {
                try {
                    onPool(handler);
                    isHanded = true;
                } catch (OutOfMemoryError e) {
                    if (tries == MOST_TRIES) {
                        throw e;
                    }
                    ERRORS.warn(
                            "a completion handler waits: the group's executor has no memory, or no thread, for it", e);
                    Daemons.pause();
                }
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.get().log(Level.WARNING, "a completion handler is not called: the group's executor refuses it", e);
        } finally {
            if (!isHanded && handler instanceof Result<?> result) {
                result.lost();
            }
        }
    }

    private void runPooled() {
        GroupThread thread = GroupThread.of(this);
        boolean ended = false;
        try {
            loop.run(handler -> {
                thread.beginTurn();
                handler.run();
            });
            ended = true;
        } finally {
            if (!ended) {
                startPooled(); // an exception of a handler ends the pool's thread
            }
            loop.left();
        }
    }

    private void onPool(Runnable handler) {
        pool.executor().execute(() -> GroupThread.run(this, handler));
    }

    // ---- handlers

    EventLoop loop() {
        return loop;
    }

    /**
     * Has a handler called, by the current thread if it is one of the group's and has not called too many.
     *
     * @param handler the handler, or null for none
     * @throws ShutdownChannelGroupException if the group has ended
     */
    void invoke(Runnable handler) {
        GroupThread here = handler == null ? null : GroupThread.of(this);
        if (here != null && here.hasRoom()) {
            here.call(handler);
            return;
        }
        try {
            dispatch(handler);
        } catch (ShutdownChannelGroupException e) {
            if (here == null) {
                throw e;
            }
            here.call(handler);
        }
    }

    /**
     * Has a handler called, but not by the current thread before this returns.
     *
     * @param handler the handler, or null for none
     * @throws ShutdownChannelGroupException if the group has ended
     */
    void dispatch(Runnable handler) {
        if (handler == null) {
            return;
        }
        if (pool.isFixed()) {
            loop.execute(handler);
            return;
        }
        try {
            onPool(handler);
        } catch (RejectedExecutionException e) {
            ShutdownChannelGroupException ended = new ShutdownChannelGroupException();
            ended.initCause(e);
            throw ended;
        }
    }

    /**
     * Runs a task on one of the group's threads, with the rights of the caller.
     *
     * @throws RejectedExecutionException if the group has ended, or takes no more tasks
     */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        CallersRights rights = CallersRights.now();
        try {
            dispatch(() -> rights.run(task));
        } catch (ShutdownChannelGroupException e) {
            throw new RejectedExecutionException("the group of channels has ended", e);
        }
    }

    // ---- channels

    /**
     * Opens a channel in the group.
     *
     * @throws ShutdownChannelGroupException if the group is shut down
     * @throws IOException if the channel cannot be opened
     */
    public AsynchronousSocketChannel openSocketChannel() throws IOException {
        refuseIfShutdown();
        return stream(channels.openSocketChannel(), StreamChannel.Connection.NONE);
    }

    /**
     * Opens a listening channel in the group.
     *
     * @throws ShutdownChannelGroupException if the group is shut down
     * @throws IOException if the channel cannot be opened
     */
    public AsynchronousServerSocketChannel openServerSocketChannel() throws IOException {
        refuseIfShutdown();
        ServerSocketChannel beneath = channels.openServerSocketChannel();
        boolean made = false;
        try {
            ListenerChannel channel = new ListenerChannel(this, beneath);
            enter(channel);
            made = true;
            return channel;
        } finally {
            if (!made) {
                beneath.close();
            }
        }
    }

    /** Returns a channel for a connection that a listener of the group has accepted. */
    AsynchronousSocketChannel accepted(SocketChannel channel) throws IOException {
        try {
            return stream(channel, StreamChannel.Connection.MADE);
        } catch (ShutdownChannelGroupException e) {
            throw new IOException(e);
        }
    }

    private StreamChannel stream(SocketChannel beneath, StreamChannel.Connection connection) throws IOException {
        boolean made = false;
        try {
            StreamChannel channel = new StreamChannel(this, beneath, connection);
            enter(channel);
            made = true;
            return channel;
        } finally {
            if (!made) {
                beneath.close();
            }
        }
    }

    private void refuseIfShutdown() {
        if (isShutdown()) {
            throw new ShutdownChannelGroupException();
        }
    }

    private void enter(AsynchronousChannel channel) throws IOException {
        synchronized (members) {
            if (state == State.OPEN) {
                members.add(channel);
                return;
            }
        }
        channel.close();
        throw new ShutdownChannelGroupException();
    }

    /** Called when a channel is closed, and its handlers have been told. */
    void leave(AsynchronousChannel channel) {
        boolean last;
        synchronized (members) {
            last = members.remove(channel) && members.isEmpty() && state == State.SHUTDOWN;
        }
        if (last) {
            end();
        }
    }

    // ---- shutting down

    @Override
    public boolean isShutdown() {
        synchronized (members) {
            return state != State.OPEN;
        }
    }

    @Override
    public boolean isTerminated() {
        return pool.executor().isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return pool.executor().awaitTermination(timeout, unit);
    }

    @Override
    public void shutdown() {
        boolean empty;
        synchronized (members) {
            if (state != State.OPEN) {
                return;
            }
            state = State.SHUTDOWN;
            empty = members.isEmpty();
        }
        if (empty) {
            end();
        }
    }

    @Override
    public void shutdownNow() throws IOException {
        synchronized (members) {
            if (state == State.OPEN) {
                state = State.SHUTDOWN;
            }
        }
        end();
    }

    /** Closes the open channels and ends the threads. A second caller returns when that is done. */
    private void end() {
        synchronized (ending) {
            List<AsynchronousChannel> open;
            synchronized (members) {
                if (state == State.ENDING) {
                    return;
                }
                state = State.ENDING;
                open = List.copyOf(members);
            }
            for (AsynchronousChannel channel : open) {
                try {
                    channel.close();
                } catch (IOException e) {
                    LOG.get().log(Level.DEBUG, "a channel of a group that ends could not be closed", e);
                }
            }
            loop.stop();
            shutDown(pool.executor());
        }
    }
}
