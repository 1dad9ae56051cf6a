// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks virtual threads, and platform threads for which Accel has no descriptors to sleep with. The first virtual thread that waits for a
 * connection parks at its doorbell, as it would at a JDK channel. Then the JDK's pollers wake it, which share the carriers with it. One daemon
 * thread polls for, and unparks, the threads that come beside it, threads whose object has no doorbell, and platform threads. A socket that a virtual thread has waited for stays registered with that thread's poller, without interest,
 * until it closes: its readers and writers share the registration.
 *
 * <p><b>One thread hears a ring, and tells all.</b> A thread woken at the doorbell takes the ring, and so does the poller's thread; each
 * passes it on ({@link LinkStream#doorbellRang}). A thread that waits sets its place first, then arms, then looks. So a ring that it has
 * asked for finds it there.
 */
final class VirtualWaits {
    private static final Warnings ERRORS = new Warnings(Log.of(VirtualWaits.class));

    /**
     * A carrier that had nothing to do meanwhile, or others' work, takes at least this long to come back to a thread. In less it has run the
     * JDK's poller for the thread, which was in its own queue, and nobody else.
     */
    private static final long LONG_NANOS = 10_000;

    private final Poller poller;
    /** Guarded by itself. */
    private final Map<BlockingWaits.Waitable, Waiters> waiters = new HashMap<>();

    VirtualWaits(Poller poller) {
        this.poller = poller;
        Daemons.start("accel-unparker", this::run, poller::wakeup);
    }

    /** As {@link BlockingWaits#await}, after its looks. */
    void await(BlockingWaits.Waitable waitable, int ops, long timeoutNanos) throws IOException {
        Waiters all = waitersOf(waitable);
        Parked parked = new Parked(Thread.currentThread(), ops);
        SelectableChannel doorbell = all.add(parked);
        try {
            if (parked.woken || all.isReady(ops) || parked.woken) { // read last: nothing parks in between
                return;
            }
            long from = System.nanoTime();
            if (doorbell != null) {
                VirtualThreads.parkAt(doorbell, timeoutNanos);
            } else if (timeoutNanos < 0) {
                LockSupport.park(parked);
            } else {
                LockSupport.parkNanos(parked, timeoutNanos);
            }
            if (System.nanoTime() - from >= LONG_NANOS) {
                waitable.parked(ops);
            }
        } finally {
            all.remove(parked);
        }
    }

    /** Wakes all threads that wait for an object, ready or not; if none waits, the next one. */
    void wake(BlockingWaits.Waitable waitable) {
        try {
            waitersOf(waitable).wakeAll();
        } catch (ClosedChannelException e) {
            return; // its end has woken the threads that waited for it
        }
    }

    private Waiters waitersOf(BlockingWaits.Waitable waitable) throws ClosedChannelException {
        synchronized (waiters) {
            Waiters known = waiters.get(waitable);
            if (known == null) {
                known = new Waiters(waitable);
                known.registration = poller.register(known, 0, known);
                waiters.put(waitable, known);
            }
            return known;
        }
    }

    private void run() {
        Daemons.turns(
                ERRORS,
                "the thread that wakes virtual threads met an error and goes on",
                () -> poller.poll(
                        Daemons.sleep(-1), (registration, ops) -> ((Waiters) registration.attachment()).ready(ops)));
    }

    private static final class Parked {
        final Thread thread;
        final int ops;
        /** A platform thread that waited at the doorbell itself could not be unparked there. */
        final boolean isVirtual;

        volatile boolean woken;

        Parked(Thread thread, int ops) {
            this.thread = thread;
            this.isVirtual = VirtualThreads.isCurrent();
            this.ops = ops;
        }

        void wake() {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    /**
     * The threads that wait for one socket, and that socket as the poller's thread sees it: while no thread wants it, there is nothing to
     * watch.
     */
    private final class Waiters implements BlockingWaits.Waiter, Pollable {
        private final BlockingWaits.Waitable waitable;
        /** Set before other threads find this, under the map's lock. */
        private Registration registration;

        // Guarded by this.

        /** The threads that the poller's thread wakes. */
        private final List<Parked> parked = new ArrayList<>(1);
        /** The thread that waits at the doorbell; null if none does. */
        private Parked atDoorbell;

        /** Whether the next thread must not wait: a wake-up found no waiting thread. */
        private boolean isWoken;

        private boolean over;

        Waiters(BlockingWaits.Waitable waitable) {
            this.waitable = waitable;
        }

        /** Adds a thread that is about to wait. Returns the doorbell to wait at; null if the poller's thread wakes it. */
        synchronized SelectableChannel add(Parked one) {
            if (over || isWoken) {
                isWoken = false;
                one.woken = true;
                return null;
            }
            if (atDoorbell == null && one.isVirtual && waitable.isComplete() && waitable.watchedOps(one.ops) != 0) {
                SelectableChannel doorbell = waitable.watched();
                if (VirtualThreads.canParkAt(doorbell)) {
                    atDoorbell = one;
                    return doorbell;
                }
            }
            parked.add(one);
            registration.interest(interest());
            registration.refresh(); // so that it is watched, looked at, and armed
            return null;
        }

        void remove(Parked one) {
            boolean isAtDoorbell;
            synchronized (this) {
                parked.remove(one);
                isAtDoorbell = atDoorbell == one;
            }
            if (!isAtDoorbell) {
                return;
            }
            // A ring that is left there would end the next wait at once. It may have been meant for other threads: this
            // tells those of this registration and of others. The place is left only afterwards, so that the next
            // thread to take it has asked for a ring that nobody else takes.
            try {
                int unused = waitable.kernelReady(one.ops, one.ops);
            } finally {
                synchronized (this) {
                    atDoorbell = null;
                    if (!parked.isEmpty()) {
                        registration.refresh();
                    }
                }
            }
        }

        /** Arms and looks in the place of the poller's thread, for a thread that waits at the doorbell. */
        boolean isReady(int ops) {
            if (!waitable.isComplete()) {
                return false; // the poller's thread looks
            }
            waitable.arm(ops);
            return waitable.look(ops) != 0;
        }

        /** Wakes the threads that wait for this object. Once is enough: they look for themselves, and add themselves again. */
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

        synchronized void wakeAll() {
            isWoken = parked.isEmpty() && atDoorbell == null;
            parked.forEach(Parked::wake); // they leave by themselves
            wakeAtDoorbell();
        }

        private int interest() {
            int ops = 0;
            for (Parked one : parked) {
                ops |= one.ops;
            }
            return ops;
        }

        private synchronized void wakeAtDoorbell() {
            if (atDoorbell != null) {
                atDoorbell.wake();
            }
        }

        @Override
        public SelectableChannel watched() {
            return waitable.watched();
        }

        @Override
        public int watchedOps(int interest) {
            return interest == 0 ? 0 : waitable.watchedOps(interest);
        }

        @Override
        public boolean isPolled() {
            return waitable.isPolled();
        }

        @Override
        public boolean isRemote() {
            return waitable.isRemote();
        }

        @Override
        public boolean isKernels() {
            return waitable.isKernels();
        }

        @Override
        public int look(int interest) {
            return waitable.look(interest);
        }

        @Override
        public int kernelReady(int interest, int watchedReady) {
            int ready = waitable.kernelReady(interest, watchedReady);
            wakeAtDoorbell(); // the ring may have been meant for that thread
            return ready;
        }

        @Override
        public void arm(int interest) {
            waitable.arm(interest);
        }

        @Override
        public void refreshed(Registration which) {
            waitable.refreshed(which);
            wakeAtDoorbell();
        }

        @Override
        public long deadline() {
            return waitable.deadline();
        }

        @Override
        public boolean retained(Registration which) {
            return waitable.retained(which);
        }

        @Override
        public void released(Registration which) {
            waitable.released(which);
        }

        @Override
        public boolean failed(Throwable e) {
            return waitable.failed(e);
        }

        @Override
        public boolean isIntact() {
            return waitable.isIntact();
        }

        @Override
        public void released() {
            synchronized (waiters) {
                waiters.remove(waitable, this);
            }
            synchronized (this) {
                over = true;
                wakeAtDoorbell();
                parked.forEach(Parked::wake);
                parked.clear();
            }
        }

        @Override
        public boolean isInterrupted() {
            return false; // they park, and no program may interrupt the thread that polls for them
        }
    }
}
