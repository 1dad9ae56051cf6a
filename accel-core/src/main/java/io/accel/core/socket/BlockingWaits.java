package io.accel.core.socket;

import io.accel.core.jdk.VirtualThreads;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import io.accel.core.poll.Yielder;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;

/**
 * How a blocking operation waits: it looks for {@code poll.spin}, then sleeps. A platform thread sleeps in a poller of its
 * own, taken from a pool, so that the peer's doorbell wakes it directly; a virtual thread parks, and one daemon thread
 * polls for all of them, so that no carrier is pinned.
 */
public final class BlockingWaits {
    private static final int CLOCK_TURNS = 64;
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
    private final PollerPool pool;
    private VirtualWaits virtualWaits; // guarded by this

    BlockingWaits(PollConfig config) {
        this.config = config;
        // The spinning is done before.
        this.sleeping = new PollConfig(0, config.kernelInterval(), config.hotMax(), 0, config.yielding());
        this.pool = new PollerPool(sleeping);
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
        if (spin(pollable, ops, start, timeoutNanos)) {
            return;
        }
        long left = timeoutNanos < 0 ? -1 : timeoutNanos - (System.nanoTime() - start);
        if (timeoutNanos >= 0 && left <= 0) {
            return;
        }
        try {
            // A handshake takes microseconds, at most connect.probe-timeout, and then changes what is to be watched.
            boolean handshake = (ops & SelectionKey.OP_CONNECT) != 0;
            if (VirtualThreads.isCurrent() && !handshake) {
                virtualWaits().await(pollable, ops, left);
            } else {
                sleep(pollable, ops, left);
            }
        } catch (ClosedChannelException e) {
            // Closed before it could be waited for: the operation will find it so.
            return;
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
        int looks = config.spinNanos() == 0 ? 0 : GLANCES;
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

    private boolean spin(Waitable pollable, int ops, long start, long timeoutNanos) {
        // Only a reader or writer has a share in the memory that look would look at.
        boolean isOwner = (ops & (SelectionKey.OP_READ | SelectionKey.OP_WRITE)) != 0;
        long most = timeoutNanos < 0 ? config.spinNanos() : Math.min(timeoutNanos, config.spinNanos());
        if (!isOwner || most == 0 || !pollable.isPolled() || !pollable.isComplete()) {
            return false;
        }
        Yielder yielder = new Yielder(config.yielding());
        for (int turns = 1; ; turns++) {
            if (pollable.look(ops) != 0) {
                pollable.looked(ops, turns, true);
                return true;
            }
            if ((turns & (CLOCK_TURNS - 1)) == 0) {
                long now = System.nanoTime();
                if (now - start >= most || Thread.currentThread().isInterrupted()) {
                    pollable.looked(ops, turns, false);
                    return false;
                }
                if (pollable.isClosed()) {
                    return true;
                }
                if ((turns & (CLOCK_TURNS * 1024 - 1)) == 0 && pollable.kernelReady(ops, 0) != 0) {
                    return true; // looked at the doorbell, too: the peer may have died
                }
                yielder.check(now);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void sleep(Pollable pollable, int ops, long timeoutNanos) throws IOException {
        PollerPool.Pooled pooled = pool.take();
        try {
            PlatformWaiter waiter = new PlatformWaiter(pooled.poller());
            Registration registration = waiter.poller.register(pollable, ops, waiter);
            try {
                waiter.poller.poll(timeoutNanos, NOTHING);
            } finally {
                waiter.done = true;
                registration.close();
            }
        } finally {
            pool.giveBack(pooled);
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
