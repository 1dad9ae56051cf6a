// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.jdk.MemoryFaults;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.WaitPolicy;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes blocking operations wait. A platform thread looks as long as its {@link WaitPolicy} says, then sleeps in a {@link Sleeper}, so that
 * the peer's doorbell wakes it directly, as long as Accel has descriptors left for that; another platform thread parks, and a daemon thread
 * polls for it. A virtual thread parks at once, as at one of the JDK's channels: as long as it looks, no other has
 * its carrier.
 */
public final class BlockingWaits {
    /** The number of looks between two readings of the clock. */
    private static final int LOOKS = 64;
    /** The least number of looks between two looks at a doorbell. */
    private static final int DOORBELL_LOOKS = 64 * 1024;

    private static final int GLANCES = 128;

    private static final Warnings ERRORS = new Warnings(Log.of(BlockingWaits.class));
    /** The time between two looks of a thread that has no selector to sleep in. */
    private static final long NAP_NANOS = 1_000_000;
    /** The time after which such a thread tries again to get a selector. */
    private static final long NAPS_NANOS = 100_000_000;

    /** An object that a blocking operation can wait for. */
    public interface Waitable extends Pollable {
        /** Whether it was closed, so that no thread need wait for it any more. */
        boolean isClosed();

        /** Whether a look at memory shows everything that can come, so that nothing else need be looked at for a while. */
        default boolean isComplete() {
            return true;
        }

        /**
         * Counts a wait that ended without a sleep. The caller is in the half that it waited for.
         *
         * @param ops the operations it waited for
         * @param looks how many times it looked
         * @param hit whether an operation was ready
         */
        default void looked(int ops, int looks, boolean hit) {}

        /**
         * Takes note that a thread was parked for so long that others have had its carrier, or nobody has wanted it. The caller is in the
         * half that it waited for.
         *
         * @param ops the operations it waited for
         */
        default void parked(int ops) {}

        /**
         * Whether an error that a wait, or another step for this object, has met says nothing about the object: memory or stack has run out, or
         * other memory has failed, of which an older JVM tells late.
         */
        default boolean isStray(Throwable e) {
            return e instanceof OutOfMemoryError
                    || e instanceof StackOverflowError
                    || (MemoryFaults.isFault(e) && isIntact());
        }
    }

    /** A waiting thread, as the attachment of the registration that it waits with. */
    interface Waiter {
        /** Takes note that the registration has ended: another thread closed it, unless the waiter did. */
        void released();

        /**
         * Whether the sleeping thread was interrupted. The interrupter may hold a lock that this thread needs to leave the JDK's selector,
         * and may be the closing thread, which must not wait for this thread then. Any thread.
         */
        boolean isInterrupted();
    }

    private final PollConfig config;
    private final PollConfig sleeping;
    private final SleeperPool pool;
    private final ThreadLocal<OfThread> ofThread;
    private VirtualWaits virtualWaits; // guarded by this

    /** The state that a platform thread keeps from wait to wait. */
    private static final class OfThread {
        final WaitPolicy policy;
        /** The sleeper of the last sleep; null before that. */
        WeakReference<SleeperPool.Pooled> sleeper;

        OfThread(PollConfig config) {
            this.policy = WaitPolicy.of(config);
        }
    }

    BlockingWaits(PollConfig config) {
        this.config = config;
        // The thread has spun before it sleeps.
        this.sleeping = config.withSpin(0).withModeration(0);
        this.pool = new SleeperPool(sleeping);
        this.ofThread = ThreadLocal.withInitial(() -> new OfThread(config));
    }

    /**
     * Waits until an operation should be tried again: it is ready, the socket was closed, or the thread was interrupted. May return without
     * cause. A platform thread looks first, and then sleeps. All that is in one method (awaitOrFail), which is long enough for the compiler to compile it once,
     * on its own; it would otherwise become a part of every method that may wait. An error that the wait meets ends what is waited for, and the operation tells why.
     *
     * @param pollable the object to wait for; if it is an accelerated connection, the caller is in the half that it waits for
     * @param ops the operations to wait for
     * @param timeoutNanos how long; negative for no limit
     * @throws IOException if the JDK's select fails
     */
    public void await(Waitable pollable, int ops, long timeoutNanos) throws IOException {
        try {
            awaitOrFail(pollable, ops, timeoutNanos);
        } catch (RuntimeException | Error e) {
            met(pollable, e);
        }
    }

    private void awaitOrFail(Waitable pollable, int ops, long timeoutNanos) throws IOException {
        if (VirtualThreads.isCurrent()) {
            if (timeoutNanos != 0) {
                park(pollable, ops, timeoutNanos);
            }
            return;
        }
        long start = System.nanoTime();
        OfThread own = ofThread.get();
        if (config.spinNanos() > 0 && pollable.isPolled() && pollable.isComplete()) {
            WaitPolicy policy = own.policy;
            try {
                policy.begin(start, start, pollable.isRemote());
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
                            return; // this looked at the doorbell, too: the peer may have died
                        }
                    }
                }
            } finally {
                policy.end();
            }
        }
        long left = left(start, timeoutNanos);
        if (left == 0) {
            return;
        }
        if (sleep(own, pollable, ops, left) && config.spinNanos() > 0) {
            long now = System.nanoTime();
            own.policy.woken(now, now - start);
        }
    }

    /** The remainder of a time limit, 0 if nothing is left; negative for no limit. */
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
     * Looks for a few microseconds, without a clock and the other costs of waiting. Most answers come in that time.
     *
     * @param waitable the object to wait for; the caller is in the half that it waits for
     * @param ops the operations to wait for
     * @return whether one is ready
     */
    public boolean glance(Waitable waitable, int ops) {
        try {
            return glanceOrFail(waitable, ops);
        } catch (RuntimeException | Error e) {
            met(waitable, e);
            return true;
        }
    }

    /**
     * Takes note of an error that a wait has met. One that says nothing about what is waited for is the waiting thread's, as at a channel of the
     * JDK.
     */
    @SuppressWarnings("removal") // as is the death of a thread that the program stops
    private static void met(Waitable waitable, Throwable e) {
        if (e instanceof ThreadDeath || waitable.isStray(e) || !waitable.failed(e)) {
            throwUnchecked(e);
        }
    }

    private static void throwUnchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) e;
    }

    private boolean glanceOrFail(Waitable waitable, int ops) {
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
        return config.spinNanos() > 0
                && !VirtualThreads.isCurrent()
                && ofThread.get().policy.mayGlance();
    }

    /** Sleeps until an operation is ready (true), or there is another reason to return. */
    private boolean sleep(OfThread own, Waitable pollable, int ops, long timeoutNanos) throws IOException {
        SleeperPool.Pooled pooled;
        try {
            pooled = pool.take(own.sleeper);
        } catch (IOException e) {
            return nap(pollable, ops, timeoutNanos, e);
        }
        if (pooled == null) {
            own.sleeper = null;
            park(pollable, ops, timeoutNanos);
            return false;
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

    /** Closes what no thread sleeps in at the moment, for the descriptors. Any thread. */
    void closeIdle() {
        pool.closeIdle();
    }

    /**
     * Ends the waits of virtual threads for an object, or the next one that begins. Any thread.
     *
     * @param waitable the object they wait for
     */
    void wakeVirtual(Waitable waitable) {
        try {
            virtualWaits().wake(waitable);
        } catch (IOException e) {
            return; // they nap, and look for themselves soon
        }
    }

    /**
     * Waits without a selector, since none could be opened. A process that is out of descriptors can still wait for a kernel's connection,
     * and so it can for one that has moved.
     *
     * @return whether an operation is ready; if not, the caller may try again to get a selector
     */
    private static boolean nap(Waitable pollable, int ops, long timeoutNanos, IOException why) {
        ERRORS.warn(
                "opening a selector failed, so a thread that waits for a connection looks for itself each millisecond",
                why);
        long most = timeoutNanos < 0 ? NAPS_NANOS : Math.min(timeoutNanos, NAPS_NANOS);
        long start = System.nanoTime();
        while (!pollable.isClosed() && !Thread.currentThread().isInterrupted() && System.nanoTime() - start < most) {
            LockSupport.parkNanos(NAP_NANOS);
            // Look at the doorbell as well: the peer may have died.
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
