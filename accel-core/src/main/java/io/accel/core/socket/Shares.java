// SPDX-License-Identifier: Apache-2.0
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

    // All guarded by this. A list is made for its first element, since a program may open and close thousands of
    // sockets a second.
    private List<Registration> registrations = NONE;
    private List<Former> former = List.of();
    /** Those of the registrations that came when the link had failed and was freed. They have no share in it. */
    private List<Registration> shareless = NONE;

    private LinkLease lease;
    private boolean closed;

    /** Whether {@link #former} may have any elements. Written under the monitor, so that pollers need not enter it in vain. */
    private volatile boolean hasFormer;

    /** A registration's share in a link that the socket no longer has, and that the registration's poller may just be looking at. */
    private record Former(Registration registration, LinkLease lease) {}

    /** Adds a registration, unless the socket is closed, or the link is freed. */
    synchronized boolean add(Registration registration) {
        if (closed || (lease != null && !lease.hold())) {
            return false; // the link goes first, and may be freed while the socket is still being closed
        }
        boolean added = false;
        try {
            registrations = with(registrations, registration);
            added = true;
        } finally {
            if (!added && lease != null) {
                lease.release(); // for want of memory
            }
        }
        return true;
    }

    /**
     * As {@link #add}, and also if the link has failed and is freed, for a registration that looks at none of its memory then: nothing else
     * tells its user of the end.
     */
    synchronized boolean addToFailed(Registration registration) {
        if (add(registration)) {
            return true;
        }
        if (closed || lease == null || !lease.hasFailed()) {
            return false;
        }
        shareless = with(shareless, registration);
        registrations = with(registrations, registration);
        return true;
    }

    private static List<Registration> with(List<Registration> all, Registration one) {
        List<Registration> some = all == NONE ? new ArrayList<>(1) : all;
        some.add(one);
        return some;
    }

    /** Gives all registrations their share in the link that the socket now has. */
    synchronized void establish(LinkLease established) {
        if (lease != null) {
            letGo(lease); // for want of memory that has failed before
        }
        lease = established;
        established.retain(registrations.size());
    }

    /**
     * Takes note that the socket no longer has the link. Each registration gives its share back when its poller has taken notice of the
     * next refresh.
     */
    synchronized void letGo(LinkLease lost) {
        List<Former> all = new ArrayList<>(former.size() + registrations.size());
        all.addAll(former);
        for (Registration each : registrations) {
            if (!shareless.contains(each)) {
                all.add(new Former(each, lost));
            }
        }
        former = all; // behind everything that may fail
        hasFormer = !former.isEmpty();
        shareless = NONE;
        lease = null;
    }

    /** Whether a poller may be looking at a link that the socket no longer has. Any thread. */
    boolean hasFormer() {
        return hasFormer;
    }

    /** Takes note that a registration's poller has taken notice, and looks at no former link. */
    void passed(Registration registration) {
        while (hasFormer) {
            LinkLease one = takeFormer(registration);
            if (one == null) {
                return;
            }
            one.release();
        }
    }

    /** One of them; null if there is none. Makes no object, so that no share is lost. */
    private synchronized LinkLease takeFormer(Registration registration) {
        for (int i = 0; i < former.size(); i++) {
            if (former.get(i).registration() == registration) {
                LinkLease taken = former.remove(i).lease();
                hasFormer = !former.isEmpty();
                return taken;
            }
        }
        return null;
    }

    /** Removes a registration whose poller will not look again. */
    void remove(Registration registration) {
        LinkLease established;
        synchronized (this) {
            if (!registrations.isEmpty()) {
                registrations.remove(registration);
            }
            established = !shareless.isEmpty() && shareless.remove(registration) ? null : lease;
        }
        try {
            if (established != null) {
                established.release();
            }
        } finally {
            passed(registration);
        }
    }

    /** As {@link #remove}, and tells a thread that waits with the registration. */
    void release(Registration registration) {
        try {
            remove(registration);
        } finally {
            if (registration.attachment() instanceof BlockingWaits.Waiter waiter) {
                waiter.released();
            }
        }
    }

    /** The present registrations. */
    List<Registration> all() {
        return copy();
    }

    synchronized boolean has(Registration registration) {
        return registrations.contains(registration);
    }

    /** Makes every poller look. */
    void refresh() {
        for (Registration registration : copy()) {
            registration.refresh();
        }
    }

    /**
     * Ends every registration, and accepts no more. A link that is in use, or was, is given back very soon. Without a link the pollers'
     * next polls end the registrations, as the JDK's selectors do when they select next. Waking a sleeping poller for each closed
     * connection costs more than everything else in a close, and the kernel's part would end sooner than a program sees it end without
     * Accel.
     *
     * @param inUse whether there is a link over which bytes go
     */
    void close(boolean inUse) {
        boolean atOnce;
        Registration only = null; // the usual case, for which a copy would be garbage
        List<Registration> all = NONE;
        synchronized (this) {
            closed = true;
            atOnce = inUse || hasFormer;
            if (registrations.size() == 1) {
                only = registrations.get(0);
            } else {
                all = List.copyOf(registrations);
            }
        }
        if (only != null) {
            close(only, atOnce);
            return;
        }
        for (Registration registration : all) {
            close(registration, atOnce);
        }
    }

    private static void close(Registration registration, boolean atOnce) {
        if (atOnce) {
            registration.close();
        } else {
            registration.closeInPoll();
        }
    }

    /** Ends the registrations whose attachment the predicate accepts. */
    void end(Predicate<Object> over) {
        if (size() == 0) {
            return; // the usual case when a channel changes its mode: an empty copy would be garbage
        }
        for (Registration registration : copy()) {
            if (over.test(registration.attachment())) {
                registration.close();
            }
        }
    }

    synchronized int size() {
        return registrations.size();
    }

    private synchronized List<Registration> copy() {
        return List.copyOf(registrations);
    }
}
