package io.accel.core.socket;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks virtual threads; one daemon thread polls for all of them and unparks. A socket that a virtual thread has waited for
 * stays registered, without interest, until it closes: its readers and writers share the registration.
 */
final class VirtualWaits {
    private static final Warnings ERRORS = new Warnings(Log.of(VirtualWaits.class));

    private final Poller poller;
    /** Guarded by itself. */
    private final Map<BlockingWaits.Waitable, Waiters> waiters = new HashMap<>();

    VirtualWaits(Poller poller) {
        this.poller = poller;
        Daemons.start("accel-unparker", this::run, poller::wakeup);
    }

    void await(BlockingWaits.Waitable waitable, int ops, long timeoutNanos) throws ClosedChannelException {
        Waiters all = waitersOf(waitable);
        Parked parked = new Parked(Thread.currentThread(), ops);
        all.add(parked);
        try {
            if (!parked.woken) {
                if (timeoutNanos < 0) {
                    LockSupport.park(parked);
                } else {
                    LockSupport.parkNanos(parked, timeoutNanos);
                }
            }
        } finally {
            all.remove(parked);
        }
    }

    private Waiters waitersOf(BlockingWaits.Waitable waitable) throws ClosedChannelException {
        synchronized (waiters) {
            Waiters known = waiters.get(waitable);
            if (known == null) {
                known = new Waiters(waitable);
                known.registration = poller.register(waitable, 0, known);
                waiters.put(waitable, known);
            }
            return known;
        }
    }

    private void run() {
        while (true) {
            try {
                poller.poll(Daemons.sleep(-1), (registration, ops) -> ((Waiters) registration.attachment()).ready(ops));
            } catch (Throwable e) {
                ERRORS.warn("the thread that wakes virtual threads met an error and goes on", e);
                Daemons.pause();
            }
        }
    }

    private static final class Parked {
        final Thread thread;
        final int ops;
        volatile boolean woken;

        Parked(Thread thread, int ops) {
            this.thread = thread;
            this.ops = ops;
        }

        void wake() {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    /** Who waits for one socket. */
    private final class Waiters implements BlockingWaits.Waiter {
        private final BlockingWaits.Waitable waitable;
        /** Set before this is found by others, under the map's lock. */
        private Registration registration;

        // Guarded by this.
        private final List<Parked> parked = new ArrayList<>(1);
        private boolean over;

        Waiters(BlockingWaits.Waitable waitable) {
            this.waitable = waitable;
        }

        synchronized void add(Parked one) {
            if (over) {
                one.woken = true;
                return;
            }
            parked.add(one);
            registration.interest(interest());
            registration.refresh(); // so that it is looked at, and armed
        }

        synchronized void remove(Parked one) {
            parked.remove(one);
        }

        /** Wakes those who wait for this. Once is enough: they look for themselves, and add themselves again. */
        synchronized void ready(int ops) {
            parked.removeIf(one -> {
                boolean isReady = (one.ops & ops) != 0;
                if (isReady) {
                    one.wake();
                }
                return isReady;
            });
            registration.interest(interest());
        }

        private int interest() {
            int ops = 0;
            for (Parked one : parked) {
                ops |= one.ops;
            }
            return ops;
        }

        @Override
        public void released() {
            synchronized (waiters) {
                waiters.remove(waitable, this);
            }
            synchronized (this) {
                over = true;
                parked.forEach(Parked::wake);
                parked.clear();
            }
        }
    }
}
