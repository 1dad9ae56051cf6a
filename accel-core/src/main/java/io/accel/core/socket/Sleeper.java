// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;

/**
 * A poller in which one thread at a time sleeps. It stays registered with the object of its last sleep: most threads wait for one
 * connection again and again, and then a sleep costs one system call, and the doorbell's read another. Its methods are for one thread at a
 * time.
 */
final class Sleeper {
    private static final Poller.Sink NOTHING = (registration, ops) -> {};

    private final Poller poller;
    /** Null before the first sleep. */
    private Sleep last;

    Sleeper(Poller poller) {
        this.poller = poller;
    }

    /**
     * Sleeps until an operation is ready, the object was closed, or the thread was interrupted; may return without cause.
     *
     * @param waitable the object to wait for
     * @param ops the operations to wait for
     * @param timeoutNanos how long at most; negative for no limit
     * @return whether an operation is ready
     * @throws ClosedChannelException if the object is closed
     * @throws IOException if the JDK's select fails
     */
    boolean await(BlockingWaits.Waitable waitable, int ops, long timeoutNanos) throws IOException {
        Sleep sleep = last;
        if (sleep == null || sleep.waitable != waitable) {
            leave();
            sleep = new Sleep(poller, waitable);
            sleep.registration = poller.register(waitable, ops, sleep);
            last = sleep;
        } else {
            Registration registration = sleep.registration;
            registration.interest(ops);
            registration.refresh(); // so that it is looked at and armed, although it may have gone cold
        }
        sleep.thread = Thread.currentThread();
        try {
            return poller.poll(timeoutNanos, NOTHING) > 0;
        } finally {
            sleep.thread = null;
        }
    }

    /** Forgets the object of the last sleep. */
    private void leave() {
        Sleep sleep = last;
        last = null;
        if (sleep != null) {
            sleep.waitable = null;
            sleep.registration.close();
        }
    }

    boolean isOpen() throws IOException {
        return poller.poll(0, NOTHING) >= 0;
    }

    /** Ends the registration, and closes the poller. */
    void close() {
        leave();
        try {
            poller.close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing a selector failed", e);
        }
    }

    private static final class Sleep implements BlockingWaits.Waiter {
        private final Poller poller;
        /** Null when the object was closed, or was left. Cleared by the thread that ends the registration. */
        private volatile BlockingWaits.Waitable waitable;

        private Registration registration;
        /** Null while no thread sleeps. Written by the sleeper, read by the closing thread. */
        private volatile Thread thread;

        Sleep(Poller poller, BlockingWaits.Waitable waitable) {
            this.poller = poller;
            this.waitable = waitable;
        }

        @Override
        public void released() {
            if (waitable != null) {
                waitable = null;
                poller.wakeup();
            }
        }

        @Override
        public boolean isInterrupted() {
            Thread sleeping = thread;
            return sleeping != null && sleeping.isInterrupted();
        }
    }
}
