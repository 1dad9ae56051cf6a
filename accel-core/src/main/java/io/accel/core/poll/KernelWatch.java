// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * The JDK's selector under a poller: it watches a channel for each registration, and lets go of cancelled keys. A
 * channel whose key was cancelled stays open in the kernel until the next select, which begins by letting go of it.
 *
 * <p>Used by the owner of the poller's turn, except for {@link #watch}, which a registering thread calls, too, and
 * {@link #wakeup}.
 */
final class KernelWatch {
    /** For {@link #select}: to sleep until there is something. */
    static final long NO_LIMIT = -1;

    private static final Log LOG = Log.of(KernelWatch.class);

    private final Selector inner;
    private final KernelEvents events = new KernelEvents();
    private final OutOfLine.Call selecting = new Selecting();

    /** Whether a key was cancelled and waits for its removal. Written by the turn's owner. */
    private boolean flush;
    /**
     * Whether that cannot wait for a select that may sleep, since more than the kernel's channel depends on it.
     * Written as {@link #flush}.
     */
    private boolean urgent;

    /** Whether the owner was woken by the JDK's means, which is reason enough for a pipe. Set by any thread. */
    private volatile boolean pipeWanted;
    /** Whether a pipe was asked for, and is not asked for again. Written as {@link #flush}. */
    private boolean pipeAsked;
    /** The channels that several registrations watch. Guarded by itself. */
    private final IdentityHashMap<SelectableChannel, SharedWatch> shared = new IdentityHashMap<>();

    /** Wakes the selector; null as long as nothing had to, and if there is none to be had. Written as {@link #flush}. */
    private volatile WakePipe pipe;

    KernelWatch() throws IOException {
        inner = JdkAccess.kernelProvider().openSelector();
    }

    /** The findings of the selects. */
    KernelEvents events() {
        return events;
    }

    boolean isOpen() {
        return inner.isOpen();
    }

    void close() throws IOException {
        try {
            inner.close();
        } finally {
            WakePipe present = pipe;
            if (present != null) {
                present.close();
            }
        }
    }

    /** Wakes the selector: by a pipe if it was woken before, and a pipe can be had. Any thread. */
    void wakeup() {
        WakePipe present = pipe;
        boolean rung = false;
        try {
            rung = present != null && present.ring();
        } finally {
            if (!rung) { // also after an error: nobody else wakes the owner
                pipeWanted = true;
                inner.wakeup();
            }
        }
    }

    /**
     * Selects, and lets go of the keys that were cancelled before.
     *
     * @param millis how long to sleep at most, or {@link #NO_LIMIT}; 0 only looks
     * @return how many keys were found
     * @throws IOException as the JDK's selector
     */
    int select(long millis) throws IOException {
        boolean wasFlush = flush;
        boolean wasUrgent = urgent;
        flush = false; // cleared before: a key that is cancelled meanwhile has not been let go of
        urgent = false;
        boolean done = false;
        try {
            int found = OutOfLine.call(selecting, millis);
            done = true;
            return found;
        } finally {
            if (!done) {
                flush |= wasFlush;
                urgent |= wasUrgent;
            }
        }
    }

    /** All registrations whose channel is watched. */
    List<Registration> registrations() {
        List<Registration> all = new ArrayList<>();
        for (SelectionKey key : inner.keys()) {
            if (key.attachment() instanceof Registration registration) {
                all.add(registration);
            } else if (key.attachment() instanceof SharedWatch watch) {
                watch.addMembersTo(all);
            }
        }
        return all;
    }

    private void openPipe() {
        pipeAsked = true;
        pipe = WakePipe.open(inner, inner.provider());
    }

    // ---- watched channels

    /**
     * Begins, changes or ends the watch for a registration. It takes a lock, because the turn's owner may hear of a
     * key that another thread is still registering.
     */
    void watch(Registration registration) throws ClosedChannelException {
        synchronized (registration) {
            SelectableChannel channel = registration.pollable.watched();
            int ops = registration.pollable.watchedOps(registration.interest());
            if (registration.pollable.isWatchedShared()) {
                watchShared(registration, channel, ops);
            } else if (channel != registration.watched) {
                watchAnother(registration, channel, ops);
            } else if (registration.key != null) {
                SelectionKey key = registration.key;
                if (key.isValid() && key.interestOps() != ops) {
                    key.interestOps(ops);
                }
            }
        }
    }

    /** Called under the registration's monitor. */
    private void watchAnother(Registration registration, SelectableChannel channel, int ops)
            throws ClosedChannelException {
        if (registration.key != null) {
            registration.key.cancel();
            flush = true;
        }
        registration.key = channel == null ? null : channel.register(inner, ops, registration);
        registration.watched = channel;
    }

    /** Called under the registration's monitor. A registration that has joined leaves in the turn, once it watches for nothing. */
    private void watchShared(Registration registration, SelectableChannel channel, int ops)
            throws ClosedChannelException {
        if (ops == 0) {
            leave(registration);
        } else if (registration.shared == null) {
            synchronized (shared) {
                SharedWatch watch = shared.get(channel);
                if (watch == null) {
                    watch = new SharedWatch(channel, inner);
                    shared.put(channel, watch);
                }
                watch.join(registration);
                registration.shared = watch;
                registration.watched = channel;
            }
        }
    }

    private void leave(Registration registration) {
        SharedWatch watch = registration.shared;
        if (watch == null) {
            return;
        }
        synchronized (shared) {
            boolean isLast = watch.leave(registration);
            registration.shared = null; // behind what may fail, and is done again then
            if (isLast) {
                shared.remove(registration.watched);
                flush = true;
                urgent = true; // the channel is a device's, which may be waiting for its end
            }
        }
    }

    void rewatch(Registration registration) {
        try {
            watch(registration);
        } catch (ClosedChannelException | CancelledKeyException e) {
            LOG.get().log(Level.DEBUG, "a channel was closed by another thread; its registration follows", e);
        }
    }

    /** Ends the watch of a registration that has ended. */
    void unwatch(Registration registration) {
        synchronized (registration) {
            leave(registration);
        }
        SelectionKey key = registration.key;
        if (key == null) {
            registration.unwatched = true;
            return;
        }
        if (key.isValid()) { // mostly the key was cancelled when the registration was closed
            key.cancel();
        }
        if (key.channel().keyFor(inner) == key) { // otherwise a select has let go of it meanwhile
            flush = true;
            urgent |= !registration.pollable.isKernels();
        }
        registration.unwatched = true;
    }

    // ---- cancelled keys

    /** Whether there are cancelled keys that no select has let go of. */
    boolean hasCancelled() {
        return flush;
    }

    /** Whether a select has to let go of them at once. */
    boolean isUrgent() {
        return urgent;
    }

    /** The next command ends with a select. */
    void hurry() {
        flush = true;
        urgent = true;
    }

    /** Forgets cancelled keys: none is left to let go of. */
    void forgetCancelled() {
        flush = false;
        urgent = false;
    }

    /** The select, which the compiler compiles on its own: {@link OutOfLine}. */
    private final class Selecting implements OutOfLine.Call {
        @Override
        public int call(long millis) throws IOException {
            int found = millis == 0
                    ? inner.selectNow(events)
                    : millis < 0 ? inner.select(events) : inner.select(events, millis);
            WakePipe rung = events.takeRung();
            if (rung != null) {
                rung.drain();
                return found - 1;
            }
            if (pipeWanted && !pipeAsked) {
                openPipe();
            }
            return found;
        }
    }
}
