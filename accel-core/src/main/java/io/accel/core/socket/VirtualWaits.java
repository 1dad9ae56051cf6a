package io.accel.core.socket;

import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.locks.LockSupport;

/** Parks virtual threads; one daemon thread polls for all of them and unparks. */
final class VirtualWaits {
    private static final Logger LOG = System.getLogger(VirtualWaits.class.getName());

    private final Poller poller;

    VirtualWaits(Poller poller) {
        this.poller = poller;
        Thread thread = new Thread(this::run, "accel-unparker");
        thread.setDaemon(true);
        thread.start();
    }

    void await(Pollable pollable, int ops, long timeoutNanos) throws ClosedChannelException {
        Parked parked = new Parked(Thread.currentThread());
        Registration registration = poller.register(pollable, ops, parked);
        try {
            if (!parked.woken) {
                if (timeoutNanos < 0) {
                    LockSupport.park(parked);
                } else {
                    LockSupport.parkNanos(parked, timeoutNanos);
                }
            }
        } finally {
            registration.close();
        }
    }

    private void run() {
        while (true) {
            try {
                poller.poll(-1, VirtualWaits::wake);
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.WARNING, "the thread that wakes virtual threads met an error and goes on", e);
            }
        }
    }

    private static void wake(Registration registration, int ops) {
        registration.interest(0); // once is enough; the woken one looks for itself
        ((Parked) registration.attachment()).released();
    }

    private static final class Parked implements BlockingWaits.Waiter {
        private final Thread thread;
        volatile boolean woken;

        Parked(Thread thread) {
            this.thread = thread;
        }

        @Override
        public void released() {
            woken = true;
            LockSupport.unpark(thread);
        }
    }
}
