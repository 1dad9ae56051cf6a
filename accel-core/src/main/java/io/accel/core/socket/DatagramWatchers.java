// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The registrations of one datagram socket with pollers. The socket's own watches the kernel's channel and looks at the memory of all
 * links. Beside it, with the same poller, each link has a registration for its doorbell. A link is in {@link DatagramSocket}'s set only
 * while every poller of the socket has a doorbell's share in it, so looking is safe.
 */
final class DatagramWatchers {
    /** The time between two looks at waiters that must let go. They need as long as a thread needs to get a core. */
    private static final long NAP_NANOS = 20_000;
    /** The longest wait for the port. A thread that gets no core for that long is not waited for. */
    private static final long MOST_WAIT_NANOS = 2_000_000_000;

    /** The doorbells' registrations, keyed by the socket's own registration and by link. Guarded by this. */
    private final Map<Registration, Map<DatagramLink, Registration>> doorbells = new HashMap<>();
    /** Guarded by this. */
    private final List<DatagramLink> links = new ArrayList<>();
    /**
     * The doorbells' registrations with the poller that only hears of peers' deaths; used while the socket has no registrations. Guarded by
     * this.
     */
    private final Map<DatagramLink, Registration> guards = new HashMap<>();

    private boolean closed; // guarded by this
    private final Consumer<DatagramLink> whenRung;
    private final Consumer<DatagramLink> whenGone;
    private final BiConsumer<DatagramLink, Throwable> whenFailed;

    /**
     * The registrations of a socket.
     *
     * @param whenRung called for each ring, before the pollers are told
     * @param whenGone called when a doorbell has found its peer to be gone
     * @param whenFailed called when a doorbell has met an error
     */
    DatagramWatchers(
            Consumer<DatagramLink> whenRung,
            Consumer<DatagramLink> whenGone,
            BiConsumer<DatagramLink, Throwable> whenFailed) {
        this.whenRung = whenRung;
        this.whenGone = whenGone;
        this.whenFailed = whenFailed;
    }

    /** Adds a registration, with the doorbells of all links, unless the socket is closed. */
    boolean add(Registration registration) {
        List<Registration> toClose;
        synchronized (this) {
            if (closed) {
                return false;
            }
            Map<DatagramLink, Registration> own = new HashMap<>();
            doorbells.put(registration, own);
            for (DatagramLink link : links) {
                watch(own, link, registration::alongside);
            }
            toClose = unguard();
        }
        toClose.forEach(Registration::close); // two pollers would wake for each ring
        return true;
    }

    /** Takes the guards out. The caller closes them outside of the monitor, since their end may call back here. */
    private List<Registration> unguard() {
        List<Registration> all = List.copyOf(guards.values());
        guards.clear();
        return all;
    }

    /** Removes a registration whose poller will not look again. */
    void remove(Registration registration) {
        List<Registration> toClose;
        synchronized (this) {
            toClose = List.copyOf(doorbells.remove(registration).values());
        }
        toClose.forEach(Registration::close);
    }

    /** Makes all pollers of the socket watch a link; returns false if the socket is closed. */
    synchronized boolean linked(DatagramLink link) {
        if (closed) {
            return false;
        }
        links.add(link);
        doorbells.forEach((registration, own) -> watch(own, link, registration::alongside));
        return true;
    }

    /**
     * Makes a poller watch for the death of a link's peer, if no other would hear of it because the socket only sends.
     *
     * @param guard a poller that is none of the socket's, and does not watch the link's doorbell for other reasons
     */
    synchronized void guard(DatagramLink link, Poller guard) {
        if (doorbells.isEmpty() && links.contains(link)) {
            watch(guards, link, doorbell -> guard.register(doorbell, SelectionKey.OP_READ, null));
        }
    }

    /** Makes all pollers forget a link. */
    void unlinked(DatagramLink link) {
        List<Registration> toClose = new ArrayList<>();
        synchronized (this) {
            links.remove(link);
            Registration guard = guards.remove(link);
            if (guard != null) {
                toClose.add(guard);
            }
            for (Map<DatagramLink, Registration> own : doorbells.values()) {
                Registration doorbell = own.remove(link);
                if (doorbell != null) {
                    toClose.add(doorbell);
                }
            }
        }
        toClose.forEach(Registration::close);
    }

    private interface Registrar {
        Registration register(DatagramDoorbell doorbell) throws ClosedChannelException;
    }

    private void watch(Map<DatagramLink, Registration> own, DatagramLink link, Registrar registrar) {
        try {
            own.put(link, registrar.register(new DatagramDoorbell(this, link)));
        } catch (ClosedChannelException e) {
            // The peer has just gone, or the link was given up: its doorbell will not ring.
            return;
        }
    }

    /**
     * Takes the ring of a link's doorbell, if it has rung, for all, since only one thread hears it. The caller refreshes the watchers if
     * this returns true.
     */
    boolean drain(DatagramLink link) {
        boolean rung = link.link().drainDoorbell();
        if (rung) {
            whenRung.accept(link);
        }
        return rung;
    }

    /** Handles a link whose peer is gone. */
    void gone(DatagramLink link) {
        whenGone.accept(link);
    }

    /** Handles a link that has met an error in a poller. */
    void failed(DatagramLink link, Throwable e) {
        whenFailed.accept(link, e);
    }

    /** Makes every poller look. */
    void refresh() {
        copy().forEach(Registration::refresh);
    }

    /** Ends every registration, and accepts no more. */
    void close() {
        List<Registration> toClose;
        synchronized (this) {
            closed = true;
            links.clear();
            toClose = unguard();
        }
        toClose.forEach(Registration::close);
        copy().forEach(Registration::close);
    }

    /** Waits, after {@link #close}, until the selectors of waiting threads have let go of the kernel's descriptor. */
    void awaitWaiters() {
        long start = System.nanoTime();
        while (isWaitedFor() && System.nanoTime() - start < MOST_WAIT_NANOS) {
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    private boolean isWaitedFor() {
        for (Registration registration : copy()) {
            if (registration.attachment() instanceof BlockingWaits.Waiter waiter && !waiter.isInterrupted()) {
                return true;
            }
        }
        return false;
    }

    /** Ends the registrations whose attachment the predicate accepts. */
    void end(Predicate<Object> over) {
        for (Registration registration : copy()) {
            if (over.test(registration.attachment())) {
                registration.close();
            }
        }
    }

    private synchronized List<Registration> copy() {
        return List.copyOf(doorbells.keySet());
    }
}
