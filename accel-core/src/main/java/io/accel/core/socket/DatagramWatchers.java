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
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The registrations of one datagram socket with pollers. The socket's own watches the kernel's channel and looks at the
 * memory of all links; beside it, with the same poller, each link has one for its doorbell. A link is in {@link
 * DatagramSocket}'s set only while every poller of the socket has a doorbell's share in it, so looking is safe.
 */
final class DatagramWatchers {
    /** Between two looks for those who are to let go, which takes them as long as a thread needs to get a core. */
    private static final long NAP_NANOS = 20_000;
    /** Of a thread that gets none for so long the port is not waited for. */
    private static final long MOST_WAIT_NANOS = 2_000_000_000;

    /** By the socket's own registrations. Guarded by this. */
    private final Map<Registration, Map<DatagramLink, Registration>> doorbells = new HashMap<>();
    /** Guarded by this. */
    private final List<DatagramLink> links = new ArrayList<>();
    /** While there are no registrations: those of doorbells with the poller that only hears of peers' deaths. Guarded by this. */
    private final Map<DatagramLink, Registration> guards = new HashMap<>();

    private boolean closed; // guarded by this
    private final Consumer<DatagramLink> whenRung;
    private final Consumer<DatagramLink> whenGone;

    /**
     * The registrations of a socket.
     *
     * @param whenRung is told of each ring, before the pollers are
     * @param whenGone is told when a doorbell has found its peer to be gone
     */
    DatagramWatchers(Consumer<DatagramLink> whenRung, Consumer<DatagramLink> whenGone) {
        this.whenRung = whenRung;
        this.whenGone = whenGone;
    }

    /** Takes a registration in, with the doorbells of all links, unless the socket is closed. */
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

    /** To be closed outside of the monitor: whatever ends with them may come back here. */
    private List<Registration> unguard() {
        List<Registration> all = List.copyOf(guards.values());
        guards.clear();
        return all;
    }

    /** A registration's poller will not look again. */
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
     * Makes a poller hear of the death of a link's peer if nobody else would, because the socket only sends.
     *
     * @param guard no poller of the socket, nor one that watches the link's doorbell for other reasons
     */
    synchronized void guard(DatagramLink link, Poller guard) {
        if (doorbells.isEmpty() && links.contains(link)) {
            watch(guards, link, doorbell -> guard.register(doorbell, SelectionKey.OP_READ, null));
        }
    }

    /** Lets all pollers forget a link. */
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
            // The peer has gone in this moment, or the link was given up: there is nothing to hear.
            return;
        }
    }

    /** Takes what a link's doorbell has rung, if it has, for all: only one hears it. The watchers that are told are to be refreshed. */
    boolean drain(DatagramLink link) {
        boolean rung = link.link().drainDoorbell();
        if (rung) {
            whenRung.accept(link);
        }
        return rung;
    }

    /** A link's peer is gone. */
    void gone(DatagramLink link) {
        whenGone.accept(link);
    }

    /** Makes every poller look. */
    void refresh() {
        copy().forEach(Registration::refresh);
    }

    /** Ends every registration, and takes in no more. */
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

    /** After {@link #close}: waits until the selectors of those who wait have let go of the kernel's descriptor. */
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

    /** Ends those whose attachment a test picks out. */
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
