package io.accel.core.socket;

import io.accel.core.poll.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Registrations with pollers of one socket, or of its link. Each has a share in the link as soon as there is one, and gives it
 * back when its poller will not look at it again.
 */
final class Shares {
    private static final List<Registration> NONE = List.of();

    // All guarded by this. Lists are made for the first that is in them: a program may open and close thousands of
    // sockets a second.
    private List<Registration> registrations = NONE;
    private List<Former> former = List.of();
    private LinkLease lease;
    private boolean closed;

    /** Whether {@link #former} may have any; written under the monitor, so that pollers need not enter that in vain. */
    private volatile boolean hasFormer;

    /** A registration's share in a link that the socket has no more, and that its poller may just be looking at. */
    private record Former(Registration registration, LinkLease lease) {}

    /** Takes a registration in, unless the socket is closed. */
    synchronized boolean add(Registration registration) {
        if (closed || (lease != null && !lease.hold())) {
            return false; // the link goes first, and may be freed while the socket is still being closed
        }
        registrations = registrations == NONE ? new ArrayList<>(1) : registrations;
        registrations.add(registration);
        return true;
    }

    /** The socket has a link: all registrations get their share in it. */
    synchronized void establish(LinkLease established) {
        lease = established;
        established.retain(registrations.size());
    }

    /** The socket has the link no more: each gives its share in it back when its poller has taken notice of the next refresh. */
    synchronized void letGo(LinkLease lost) {
        lease = null;
        if (former.isEmpty()) {
            former = new ArrayList<>(registrations.size());
        }
        for (Registration each : registrations) {
            former.add(new Former(each, lost));
        }
        hasFormer = !former.isEmpty();
    }

    /** Whether a poller may be looking at a link that the socket has no more. Any thread. */
    boolean hasFormer() {
        return hasFormer;
    }

    /** A registration's poller has taken notice: it looks at no former link. */
    void passed(Registration registration) {
        if (hasFormer) {
            for (LinkLease each : takeFormer(registration)) {
                each.release();
            }
        }
    }

    private synchronized List<LinkLease> takeFormer(Registration registration) {
        List<LinkLease> taken = former.stream()
                .filter(each -> each.registration() == registration)
                .map(Former::lease)
                .toList();
        former.removeIf(each -> each.registration() == registration);
        hasFormer = !former.isEmpty();
        return taken;
    }

    /** A registration's poller will not look again. */
    void remove(Registration registration) {
        LinkLease established;
        synchronized (this) {
            if (!registrations.isEmpty()) {
                registrations.remove(registration);
            }
            established = lease;
        }
        if (established != null) {
            established.release();
        }
        passed(registration);
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

    /**
     * Ends every registration, and takes in no more. A link that is in use, or was, is given back very soon. Where there is none the
     * pollers' next polls do it, as the JDK's selectors do when they select next: to wake a sleeping one for each connection that is closed
     * costs more than all else about it, and the kernel's part would end sooner than a program sees it end without Accel.
     *
     * @param inUse whether there is a link by which bytes go
     */
    void close(boolean inUse) {
        boolean atOnce;
        List<Registration> all;
        synchronized (this) {
            atOnce = inUse || hasFormer;
            all = copy(true);
        }
        for (Registration registration : all) {
            if (atOnce) {
                registration.close();
            } else {
                registration.closeInPoll();
            }
        }
    }

    /** Ends those whose attachment a test picks out. */
    void end(Predicate<Object> over) {
        if (size() == 0) {
            return; // as mostly when a channel changes its mode: a copy of none would be garbage
        }
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
