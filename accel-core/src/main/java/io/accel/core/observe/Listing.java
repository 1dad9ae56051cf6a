// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * The place of a connection in the list of {@link Connections}, from {@link Connections#opened} to {@link #closed}. Its connection keeps hold
 * of it, and the list keeps hold of it but not of the connection. Any thread.
 *
 * <p>It is the link of the list itself, so that a program that opens and closes thousands of connections a second looks nothing up.
 */
public final class Listing extends WeakReference<ObservedConnection> {
    private static final ReferenceQueue<ObservedConnection> FORGOTTEN = new ReferenceQueue<>();

    private final ListingPart part;

    // Guarded by the part.

    /** Null if this is in no list. */
    Listing before;

    Listing next;
    /** Whether the connection has a link. */
    private boolean accelerated;

    /** The place of a connection in a part, in no list yet; without a connection the head of an empty list. */
    Listing(ObservedConnection connection, ListingPart part) {
        super(connection, FORGOTTEN);
        this.part = part;
        if (connection == null) {
            before = this;
            next = this;
        }
    }

    /** Takes forgotten connections off the list, which nobody closes any more. Looks at one field if there are none. */
    static void sweep() {
        for (Reference<?> each = FORGOTTEN.poll(); each != null; each = FORGOTTEN.poll()) {
            ((Listing) each).closed();
        }
    }

    /** Whether the two are in the same part, so that who reads one holds up who closes the other. */
    boolean sharesPartWith(Listing other) {
        return part == other.part;
    }

    /** Adds this behind the head of a list. Under the part's monitor. */
    void addTo(Listing head) {
        before = head;
        next = head.next;
        head.next.before = this;
        head.next = this;
    }

    /** Whether this is in a list. Under the part's monitor; elsewhere a hint. */
    boolean isListed() {
        return before != null;
    }

    private void remove() {
        before.next = next;
        next.before = before;
        before = null;
        next = null;
    }

    /** Notes that the connection is established and accelerated; nothing if the program has closed it while its handshake was still going on. */
    public void established() {
        synchronized (part) {
            if (isListed() && !accelerated) {
                accelerated = true;
                remove();
                addTo(part.accelerated);
            }
        }
    }

    /** Notes that the connection goes through the kernel again. Call it while the connection still has the path that it comes from. */
    public void wentBack() {
        synchronized (part) {
            if (isListed() && accelerated) {
                part.fold(get());
                accelerated = false;
                remove();
                addTo(part.others);
            }
        }
    }

    /** Notes that the connection has ended; nothing more will be counted for it. A second call does nothing. */
    public void closed() {
        synchronized (part) {
            if (isListed()) {
                remove();
                if (accelerated) {
                    part.fold(get());
                }
            }
        }
    }
}
