package io.accel.core.socket;

import io.accel.core.poll.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Registrations with pollers of one socket, or of its link. Each has a share in the link as soon as there is one, and gives it
 * back when its poller will not look again.
 */
final class Shares {
    // All guarded by this.
    private final List<Registration> registrations = new ArrayList<>(1);
    private LinkStream stream;
    private boolean closed;

    /** Takes a registration in, unless the socket is closed. */
    synchronized boolean add(Registration registration) {
        if (closed) {
            return false;
        }
        registrations.add(registration);
        if (stream != null) {
            stream.retain(1);
        }
        return true;
    }

    /** The socket has a link: all registrations get their share in it. */
    synchronized void establish(LinkStream established) {
        stream = established;
        established.retain(registrations.size());
    }

    /** The socket has no link after all: all give their share in it back. */
    void disestablish(LinkStream lost) {
        int count;
        synchronized (this) {
            if (stream != lost) {
                return;
            }
            stream = null;
            count = registrations.size();
        }
        for (int i = 0; i < count; i++) {
            lost.release();
        }
    }

    /** A registration's poller will not look again. */
    void remove(Registration registration) {
        LinkStream established;
        synchronized (this) {
            registrations.remove(registration);
            established = stream;
        }
        if (established != null) {
            established.release();
        }
    }

    /** Those that there are. */
    List<Registration> all() {
        return copy(false);
    }

    synchronized boolean has(Registration registration) {
        return registrations.contains(registration);
    }

    /** Makes every poller look. */
    void refresh() {
        for (Registration registration : copy(false)) {
            registration.refresh();
        }
    }

    /** Ends every registration, and takes in no more. */
    void close() {
        for (Registration registration : copy(true)) {
            registration.close();
        }
    }

    /** Ends those whose attachment a test picks out. */
    void end(Predicate<Object> over) {
        for (Registration registration : copy(false)) {
            if (over.test(registration.attachment())) {
                registration.close();
            }
        }
    }

    synchronized int size() {
        return registrations.size();
    }

    private synchronized List<Registration> copy(boolean last) {
        closed |= last;
        return List.copyOf(registrations);
    }
}
