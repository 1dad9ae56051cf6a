package io.accel.core.socket;

import io.accel.core.jdk.VirtualThreads;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import io.accel.core.poll.WaitPolicy;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How a blocking operation waits: it looks for {@code poll.spin}, then sleeps. A platform thread sleeps in a poller of its
 * own, taken from a pool, so that the peer's doorbell wakes it directly; a virtual thread parks, and one daemon thread
 * polls for all of them, so that no carrier is pinned.
 */
public final class BlockingWaits {
    private static final int MOST_IDLE = 256;
    /** Looks between two readings of the clock. */
    private static final int LOOKS = 64;
    /** Looks, at least, between two looks at a doorbell. */
    private static final int DOORBELL_LOOKS = 64 * 1024;

    private static final int GLANCES = 256;
    private static final Poller.Sink NOTHING = (registration, ops) -> {};

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
    }

    private final PollConfig config;
    private final PollConfig sleeping;
    private final Deque<Poller> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger idleCount = new AtomicInteger();
    private final ThreadLocal<WaitPolicy> policies;
    /** Virtual threads are too many to have one each, and look seldom: those at a time that may. */
    private final Deque<WaitPolicy> sharedPolicies = new ConcurrentLinkedDeque<>();

    private VirtualWaits virtualWaits; // guarded by this

    BlockingWaits(PollConfig config) {
        this.config = config;
        this.policies = ThreadLocal.withInitial(() -> WaitPolicy.of(config));
        // The spinning is done before.
        this.sleeping = new PollConfig(0, config.kernelInterval(), config.hotMax(), 0, config.yielding());
    }

    /**
     * Waits until an operation should be tried again: it is ready, the socket was closed, the thread interrupted. May return
     * without cause.
     *
     * @param pollable what to wait for; if it is an accelerated connection, the caller is in the half that it waits for
     * @param ops the operations to wait for
     * @param timeoutNanos how long; negative for no limit
     * @throws IOException if a selector cannot be had
     */
    public void await(Waitable pollable, int ops, long timeoutNanos) throws IOException {
        long start = System.nanoTime();
        boolean virtual = VirtualThreads.isCurrent();
        if (spin(virtual, pollable, ops, start, timeoutNanos)) {
            return;
        }
        long left = timeoutNanos < 0 ? -1 : timeoutNanos - (System.nanoTime() - start);
        if (timeoutNanos >= 0 && left <= 0) {
            return;
        }
        try {
            // A handshake takes microseconds, at most connect.probe-timeout, and then changes what is to be watched.
            boolean handshake = (ops & SelectionKey.OP_CONNECT) != 0;
            if (virtual && !handshake) {
                virtualWaits().await(pollable, ops, left);
            } else if (!sleep(pollable, ops, left)) {
                return;
            }
        } catch (ClosedChannelException e) {
            // Closed before it could be waited for: the operation will find it so.
            return;
        }
        WaitPolicy policy = take(virtual);
        policy.came(System.nanoTime() - start);
        giveBack(policy, virtual);
    }

    private WaitPolicy take(boolean virtual) {
        if (!virtual) {
            return policies.get();
        }
        WaitPolicy policy = sharedPolicies.pollFirst();
        return policy == null ? WaitPolicy.of(config) : policy;
    }

    private void giveBack(WaitPolicy policy, boolean virtual) {
        policy.release();
        if (virtual) {
            sharedPolicies.addFirst(policy);
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
        boolean pays = VirtualThreads.isCurrent()
                ? config.spinNanos() > 0 && WaitPolicy.hasBudget()
                : policies.get().mayGlance();
        int looks = pays ? GLANCES : 0;
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

    private boolean spin(boolean virtual, Waitable pollable, int ops, long start, long timeoutNanos) {
        // Only a reader or writer has a share in the memory that look would look at.
        boolean isOwner = (ops & (SelectionKey.OP_READ | SelectionKey.OP_WRITE)) != 0;
        if (config.spinNanos() == 0 || !isOwner || !pollable.isPolled() || !pollable.isComplete()) {
            return false;
        }
        WaitPolicy policy = take(virtual);
        try {
            return spin(policy, pollable, ops, start, timeoutNanos);
        } finally {
            giveBack(policy, virtual);
        }
    }

    /** Looks until there is something to return for (true), or it is time to sleep (false). */
    private static boolean spin(WaitPolicy policy, Waitable pollable, int ops, long start, long timeoutNanos) {
        policy.begin(start, start);
        int looks = 0;
        int looksAtDoorbell = DOORBELL_LOOKS;
        for (long now = start; ; now = System.nanoTime()) {
            if (pollable.isClosed()) {
                return true;
            }
            boolean over = (timeoutNanos >= 0 && now - start >= timeoutNanos)
                    || Thread.currentThread().isInterrupted();
            WaitPolicy.Step step = over ? WaitPolicy.Step.SLEEP : policy.next(now);
            if (step == WaitPolicy.Step.SLEEP) {
                pollable.looked(ops, looks, false);
                return false;
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
                    return true;
                }
                Thread.onSpinWait();
            }
            if (looks >= looksAtDoorbell) {
                looksAtDoorbell = looks + DOORBELL_LOOKS;
                if (pollable.kernelReady(ops, 0) != 0) {
                    return true; // looked at the doorbell, too: the peer may have died
                }
            }
        }
    }

    /** Sleeps until there is something (true), or something else to return for. */
    private boolean sleep(Pollable pollable, int ops, long timeoutNanos) throws IOException {
        PlatformWaiter waiter = new PlatformWaiter(take());
        try {
            Registration registration = waiter.poller.register(pollable, ops, waiter);
            try {
                return waiter.poller.poll(timeoutNanos, NOTHING) > 0;
            } finally {
                waiter.done = true;
                registration.close();
            }
        } finally {
            giveBack(waiter.poller);
        }
    }

    private Poller take() throws IOException {
        Poller poller = idle.pollFirst();
        if (poller != null) {
            idleCount.decrementAndGet();
            return poller;
        }
        return new Poller(sleeping);
    }

    private void giveBack(Poller poller) throws IOException {
        if (idleCount.incrementAndGet() <= MOST_IDLE) {
            idle.addFirst(poller);
        } else {
            idleCount.decrementAndGet();
            poller.close();
        }
    }

    private synchronized VirtualWaits virtualWaits() throws IOException {
        if (virtualWaits == null) {
            virtualWaits = new VirtualWaits(new Poller(sleeping));
        }
        return virtualWaits;
    }

    private static final class PlatformWaiter implements Waiter {
        final Poller poller;
        volatile boolean done;

        PlatformWaiter(Poller poller) {
            this.poller = poller;
        }

        @Override
        public void released() {
            if (!done) {
                poller.wakeup();
            }
        }
    }
}
