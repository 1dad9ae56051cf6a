package io.accel.core.socket;

import io.accel.core.poll.Registration;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The registrations of one datagram socket with pollers. The socket's own watches the kernel's channel and looks at the
 * memory of all links; beside it, with the same poller, each link has one for its doorbell. A link is in {@link
 * DatagramSocket}'s set only while every poller of the socket has a doorbell's share in it, so looking is safe.
 */
final class DatagramWatchers {
    /** By the socket's own registrations. Guarded by this. */
    private final Map<Registration, Map<DatagramLink, Registration>> doorbells = new HashMap<>();
    /** Guarded by this. */
    private final List<DatagramLink> links = new ArrayList<>();

    private boolean closed; // guarded by this
    private final Consumer<DatagramLink> whenGone;

    /**
     * The registrations of a socket.
     *
     * @param whenGone is told when a doorbell has found its peer to be gone
     */
    DatagramWatchers(Consumer<DatagramLink> whenGone) {
        this.whenGone = whenGone;
    }

    /** Takes a registration in, with the doorbells of all links, unless the socket is closed. */
    synchronized boolean add(Registration registration) {
        if (closed) {
            return false;
        }
        Map<DatagramLink, Registration> own = new HashMap<>();
        doorbells.put(registration, own);
        for (DatagramLink link : links) {
            watch(registration, own, link);
        }
        return true;
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
        doorbells.forEach((registration, own) -> watch(registration, own, link));
        return true;
    }

    /** Lets all pollers forget a link. */
    void unlinked(DatagramLink link) {
        List<Registration> toClose = new ArrayList<>();
        synchronized (this) {
            links.remove(link);
            for (Map<DatagramLink, Registration> own : doorbells.values()) {
                Registration doorbell = own.remove(link);
                if (doorbell != null) {
                    toClose.add(doorbell);
                }
            }
        }
        toClose.forEach(Registration::close);
    }

    private void watch(Registration registration, Map<DatagramLink, Registration> own, DatagramLink link) {
        try {
            own.put(link, registration.alongside(new DatagramDoorbell(this, link)));
        } catch (ClosedChannelException e) {
            // The peer has gone in this moment, or the link was given up: there is nothing to hear.
            return;
        }
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
        synchronized (this) {
            closed = true;
        }
        copy().forEach(Registration::close);
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
