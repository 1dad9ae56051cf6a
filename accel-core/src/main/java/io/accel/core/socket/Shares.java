package io.accel.core.socket;

import io.accel.core.poll.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The registrations of one socket with pollers. Each has a share in the socket's accelerated connection as soon as there is
 * one, and gives it back when its poller will not look again.
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

    /** The socket has become an accelerated connection: all registrations get their share in it. */
    synchronized void establish(LinkStream established) {
        stream = established;
        established.retain(registrations.size());
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
