package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.SpinBudget;
import io.accel.core.poll.WaitPolicy;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * How a blocking operation waits: it looks as long as its thread's {@link WaitPolicy} says, then sleeps. A platform thread
 * sleeps in a {@link Sleeper}, so that the peer's doorbell wakes it directly; a virtual thread parks, and one daemon thread
 * polls for all of them, so that no carrier is pinned.
 */
public final class BlockingWaits {
    /** Looks between two readings of the clock. */
    private static final int LOOKS = 64;
    /** Looks, at least, between two looks at a doorbell. */
    private static final int DOORBELL_LOOKS = 64 * 1024;

    private static final int GLANCES = 128;

    private static final Warnings ERRORS = new Warnings(Log.of(BlockingWaits.class));
    /** Between two looks of a thread that has no selector to sleep in. */
    private static final long NAP_NANOS = 1_000_000;
    /** After so long it tries again to have one. */
    private static final long NAPS_NANOS = 100_000_000;

    /** What a blocking operation can wait for. */
    public interface Waitable extends Pollable {
        /** Whether it was closed, so that nothing is to be waited for any more. */
        boolean isClosed();

        /** Whether looking at memory tells all that can come, so that nothing else need be looked at for a while. */
        default boolean isComplete() {
            return true;
        }

        /**
         * A wait without a sleep is over. The caller is in the half that it waited for.
         *
         * @param ops what it waited for
         * @param looks how many times it looked
         * @param hit whether it found something
         */
        default void looked(int ops, int looks, boolean hit) {}
    }

    /** Somebody who waits, as the attachment of the registration that it waits with. */
    interface Waiter {
        /** The registration has ended: closed by another thread, unless the waiter did. */
        void released();

        /**
         * Whether the thread that sleeps was interrupted. Its interrupter may hold a lock that it needs to leave the JDK's selector,
         * and may be the one who closes: it is not to be waited for then. Any thread.
         */
        boolean isInterrupted();
    }

    private final PollConfig config;
    private final PollConfig sleeping;
    private final SleeperPool pool;
    private final ThreadLocal<OfThread> ofThread;
    /**
     * Virtual threads are too many to learn one by one, and no more of them look at a time than there are places here. A thread that
     * has taken one has set its place to null.
     */
    private final AtomicReferenceArray<WaitPolicy> ofVirtual;

    private VirtualWaits virtualWaits; // guarded by this

    /** What a platform thread keeps from wait to wait. */
    private static final class OfThread {
        final WaitPolicy policy;
        /** What it slept in last; null before. */
        WeakReference<SleeperPool.Pooled> sleeper;

        OfThread(PollConfig config) {
            this.policy = WaitPolicy.of(config);
        }
    }

    BlockingWaits(PollConfig config) {
        this.config = config;
        // The spinning is done before.
        this.sleeping = config.withSpin(0).withModeration(0);
        this.pool = new SleeperPool(sleeping);
        this.ofThread = ThreadLocal.withInitial(() -> new OfThread(config));
        this.ofVirtual = new AtomicReferenceArray<>(SpinBudget.ofProcess());
        for (int i = 0; i < ofVirtual.length(); i++) {
            ofVirtual.set(i, WaitPolicy.of(config));
        }
    }

    /**
     * Waits until an operation should be tried again: it is ready, the socket was closed, the thread interrupted. May return
     * without cause. It looks first, and then sleeps. All that is in one method, which is long enough for the compiler to make it one
     * of its own, once, where it would else be part of all that may wait.
     *
     * @param pollable what to wait for; if it is an accelerated connection, the caller is in the half that it waits for
     * @param ops the operations to wait for
     * @param timeoutNanos how long; negative for no limit
     * @throws IOException if the JDK's select fails
     */
    public void await(Waitable pollable, int ops, long timeoutNanos) throws IOException {
        long start = System.nanoTime();
        boolean isVirtual = VirtualThreads.isCurrent();
        OfThread own = isVirtual ? null : ofThread.get();
        if (config.spinNanos() > 0 && pollable.isPolled() && pollable.isComplete()) {
            WaitPolicy policy = isVirtual ? takePlace() : own.policy;
            if (policy != null) {
                try {
                    policy.begin(start, start);
                    int looks = 0;
                    int atDoorbell = DOORBELL_LOOKS;
                    for (long now = start; ; now = System.nanoTime()) {
                        if (pollable.isClosed()) {
                            return;
                        }
                        boolean over = (timeoutNanos >= 0 && now - start >= timeoutNanos)
                                || Thread.currentThread().isInterrupted();
                        WaitPolicy.Step step = over ? WaitPolicy.Step.SLEEP : policy.next(now);
                        if (step == WaitPolicy.Step.SLEEP) {
                            pollable.looked(ops, looks, false);
                            break;
                        }
                        int most = looks + LOOKS;
                        if (step == WaitPolicy.Step.YIELD) {
                            Thread.yield();
                            policy.yielded(now, System.nanoTime());
                            most = looks + 1;
                        }
                        while (looks < most) {
                            looks++;
                            if (pollable.look(ops) != 0) {
                                policy.found();
                                pollable.looked(ops, looks, true);
                                return;
                            }
                            Thread.onSpinWait();
                        }
                        if (looks >= atDoorbell) {
                            atDoorbell = looks + DOORBELL_LOOKS;
                            if (pollable.kernelReady(ops, 0) != 0) {
                                return; // looked at the doorbell, too: the peer may have died
                            }
                        }
                    }
                } finally {
                    policy.end();
                    if (isVirtual) {
                        leavePlace(policy);
                    }
                }
            }
        }
        long left = left(start, timeoutNanos);
        if (left == 0) {
            return;
        }
        if (isVirtual) {
            park(pollable, ops, left);
        } else if (sleep(own, pollable, ops, left) && config.spinNanos() > 0) {
            long now = System.nanoTime();
            own.policy.woken(now, now - start);
        }
    }

    /** What is left of a time, 0 if nothing is; negative for no limit. */
    private static long left(long start, long timeoutNanos) {
        return timeoutNanos < 0 ? -1 : Math.max(0, timeoutNanos - (System.nanoTime() - start));
    }

    private void park(Waitable pollable, int ops, long timeoutNanos) throws IOException {
        VirtualWaits all;
        try {
            all = virtualWaits();
        } catch (IOException e) {
            boolean unused = nap(pollable, ops, timeoutNanos, e);
            return;
        }
        try {
            all.await(pollable, ops, timeoutNanos);
        } catch (ClosedChannelException e) {
            return; // closed before it could be waited for: the operation will find it so
        }
    }

    /**
     * Looks for a few microseconds, without a clock and whatever else waiting costs: most answers come in that time.
     *
     * @param waitable what to wait for; the caller is in the half that it waits for
     * @param ops the operations to wait for
     * @return whether one is ready
     */
    public boolean glance(Waitable waitable, int ops) {
        int looks = mayGlance() ? GLANCES : 0;
        for (int i = 0; i < looks; i++) {
            if (waitable.look(ops) != 0) {
                waitable.looked(ops, i + 1, true);
                return true;
            }
            Thread.onSpinWait();
        }
        waitable.looked(ops, looks, false);
        return false;
    }

    private boolean mayGlance() {
        if (config.spinNanos() == 0) {
            return false;
        }
        return VirtualThreads.isCurrent()
                ? ofVirtual.length() > 0
                : ofThread.get().policy.mayGlance();
    }

    /** Returns a policy for a virtual thread that is to look; null if as many look already as there may be. */
    private WaitPolicy takePlace() {
        WaitPolicy policy = null;
        for (int i = 0; i < ofVirtual.length() && policy == null; i++) {
            policy = ofVirtual.getAndSet(i, null);
        }
        return policy;
    }

    /** Leaves it to the next one. There is a place: who has taken one has left it empty. */
    private void leavePlace(WaitPolicy policy) {
        int i = 0;
        while (!ofVirtual.compareAndSet(i, null, policy)) {
            i = (i + 1) % ofVirtual.length(); // others come and go meanwhile
        }
    }

    /** Sleeps until there is something (true), or something else to return for. */
    private boolean sleep(OfThread own, Waitable pollable, int ops, long timeoutNanos) throws IOException {
        SleeperPool.Pooled pooled;
        try {
            pooled = pool.take(own.sleeper);
        } catch (IOException e) {
            return nap(pollable, ops, timeoutNanos, e);
        }
        own.sleeper = pooled.reference();
        try {
            return pooled.sleeper().await(pollable, ops, timeoutNanos);
        } catch (ClosedChannelException e) {
            return false; // closed before it could be waited for: the operation will find it so
        } finally {
            pool.giveBack(pooled);
        }
    }

    /**
     * Ends the waits of virtual threads for something, or the next one that begins. Any thread.
     *
     * @param waitable what they wait for
     */
    void wakeVirtual(Waitable waitable) {
        try {
            virtualWaits().wake(waitable);
        } catch (IOException e) {
            return; // they nap, and look for themselves soon
        }
    }

    /**
     * Waits without a selector, which could not be had: a process that is out of descriptors can still wait for a connection of the
     * kernel's, and so it can for one that has moved.
     *
     * @return whether there is something; where there is not, the caller may try again to have a selector
     */
    private static boolean nap(Waitable pollable, int ops, long timeoutNanos, IOException why) {
        ERRORS.warn(
                "opening a selector failed, so a thread that waits for a connection looks for itself each millisecond",
                why);
        long most = timeoutNanos < 0 ? NAPS_NANOS : Math.min(timeoutNanos, NAPS_NANOS);
        long start = System.nanoTime();
        while (!pollable.isClosed() && !Thread.currentThread().isInterrupted() && System.nanoTime() - start < most) {
            LockSupport.parkNanos(NAP_NANOS);
            // The doorbell as well: the peer may have died.
            if (pollable.look(ops) != 0 || pollable.kernelReady(ops, 0) != 0) {
                return true;
            }
        }
        return false;
    }

    private synchronized VirtualWaits virtualWaits() throws IOException {
        if (virtualWaits == null) {
            virtualWaits = new VirtualWaits(new Poller(sleeping));
        }
        return virtualWaits;
    }
}
