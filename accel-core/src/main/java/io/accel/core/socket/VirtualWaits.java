package io.accel.core.socket;

import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks virtual threads; one daemon thread polls for all of them and unparks. The threads that wait for one socket, a
 * reader and a writer, say, share a registration, for a selector has but one key for a channel.
 */
final class VirtualWaits {
    private static final Logger LOG = System.getLogger(VirtualWaits.class.getName());

    private final Poller poller;
    private final ConcurrentMap<Pollable, Group> groups = new ConcurrentHashMap<>();

    VirtualWaits(Poller poller) {
        this.poller = poller;
        Thread thread = new Thread(this::run, "accel-unparker");
        thread.setDaemon(true);
        thread.start();
    }

    void await(Pollable pollable, int ops, long timeoutNanos) throws ClosedChannelException {
        Parked parked = new Parked(Thread.currentThread(), ops);
        Group group = groups.computeIfAbsent(pollable, Group::new);
        while (!group.join(parked)) {
            groups.remove(pollable, group);
            group = groups.computeIfAbsent(pollable, Group::new);
        }
        try {
            if (!parked.woken) {
                if (timeoutNanos < 0) {
                    LockSupport.park(parked);
                } else {
                    LockSupport.parkNanos(parked, timeoutNanos);
                }
            }
        } finally {
            group.leave(parked);
        }
    }

    private void run() {
        while (true) {
            try {
                poller.poll(-1, (registration, ops) -> ((Group) registration.attachment()).ready(ops));
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.WARNING, "the thread that wakes virtual threads met an error and goes on", e);
            }
        }
    }

    private static final class Parked {
        private final Thread thread;
        private final int ops;
        private volatile boolean woken;

        Parked(Thread thread, int ops) {
            this.thread = thread;
            this.ops = ops;
        }

        void wake() {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    /** Those who wait for one pollable. */
    private final class Group implements BlockingWaits.Waiter {
        private final Pollable pollable;

        // All guarded by this.
        private final List<Parked> waiting = new ArrayList<>(2);
        private Registration registration;
        private boolean ended;

        Group(Pollable pollable) {
            this.pollable = pollable;
        }

        /** Begins to wait; false if this group has ended. */
        synchronized boolean join(Parked parked) throws ClosedChannelException {
            if (ended) {
                return false;
            }
            waiting.add(parked);
            try {
                if (registration == null) {
                    registration = poller.register(pollable, parked.ops, this);
                } else {
                    registration.interest(interest());
                    registration.refresh();
                }
                return true;
            } catch (ClosedChannelException | RuntimeException e) {
                waiting.remove(parked);
                end();
                throw e;
            }
        }

        synchronized void leave(Parked parked) {
            waiting.remove(parked);
            if (ended) {
                return;
            }
            boolean isLink = pollable instanceof StreamSocket socket && socket.stream() != null;
            if (waiting.isEmpty() && !isLink) {
                // A link stays registered for the next wait; a kernel's channel must be free to change its mode.
                end();
                registration.close();
            } else {
                registration.interest(interest());
            }
        }

        /** Once is enough: the woken ones look for themselves, and wait again if they have to. */
        synchronized void ready(int ops) {
            int left = 0;
            for (Parked parked : waiting) {
                if ((parked.ops & ops) != 0) {
                    parked.wake();
                }
                left |= parked.woken ? 0 : parked.ops;
            }
            if (registration != null) {
                registration.interest(left);
            }
        }

        @Override
        public synchronized void released() {
            end();
            waiting.forEach(Parked::wake);
        }

        private void end() {
            ended = true;
            groups.remove(pollable, this);
        }

        private int interest() {
            int ops = 0;
            for (Parked parked : waiting) {
                ops |= parked.woken ? 0 : parked.ops;
            }
            return ops;
        }
    }
}
