// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * The links of a datagram socket. The links that had a datagram lately are <em>busy</em>: every look of a poller and every receive looks at
 * them. The others <em>rest</em>, and cost next to nothing however many they are.
 *
 * <p><b>To rest</b> is to be armed: a link is armed, looked at once more, and leaves the busy ones if it had nothing. So any datagram that
 * comes later rings its doorbell. The first thread to take a ring makes the link busy and then refreshes all pollers of the socket, so that
 * a poller which has not looked at this link before it sleeps does not sleep. Pollers arm the busy links alone.
 *
 * <p><b>The doorbell is heard</b> by a poller of the socket; a blocked receiver is such a poller. A quiet link must not wait for a poller
 * that seldom looks at the kernel, so each look goes on to a few of the resting links in turn. Nor must it wait for a poller that never
 * comes, so a receive looks at a few resting links now and then, and at all of them before it says that there is no datagram.
 */
final class DatagramLinks {
    private static final DatagramLink[] NONE = {};
    /**
     * The least time without a datagram before a link goes to rest. A ring costs both ends some microseconds, a look a few nanoseconds. So
     * looking is cheaper for a peer that sends more often than this.
     */
    private static final long QUIET_NANOS = 1_000_000;
    /** One receive in this many asks whether links should rest, and looks at some that do. */
    private static final int TEND_EVERY = 64;
    /** The number of resting links that such a receive looks at. */
    private static final int RESTING_AT_TEND = 32;
    /** The number of resting links that a poller's look goes on to. */
    private static final int RESTING_AT_LOOK = 4;

    private final Predicate<DatagramLink> hasNext;
    private final BiConsumer<DatagramLink, Throwable> failed;

    /** Replaced as a whole, under the monitor. A link leaves it before anything of the link is given back. */
    private volatile DatagramLink[] all = NONE;
    /** Some of {@link #all}. Replaced as a whole, under the monitor. */
    private volatile DatagramLink[] busy = NONE;

    /** Set by pollers that look, cleared by a receiver that finds nothing. */
    private volatile boolean polled;
    /**
     * The position that the looks at resting links have reached. Used by any thread that looks, without ordering: a race looks at one link
     * twice.
     */
    private int rest;

    // Receiving half only.

    /** The busy links at the last look. */
    private DatagramLink[] lookedAt = NONE;

    private int turn;
    private int untilTended = TEND_EVERY;
    private long tendedAt = System.nanoTime();

    /**
     * No links.
     *
     * @param hasNext whether a link has a datagram for the socket; asked in the receiving half, and may remove the link
     * @param failed told of a link that has met an error, which it removes; the other links are looked at
     */
    DatagramLinks(Predicate<DatagramLink> hasNext, BiConsumer<DatagramLink, Throwable> failed) {
        this.hasNext = hasNext;
        this.failed = failed;
    }

    DatagramLink[] all() {
        return all;
    }

    int size() {
        return all.length;
    }

    boolean isEmpty() {
        return all.length == 0;
    }

    /** The number of links that each look covers. */
    int busy() {
        return busy.length;
    }

    /** Adds a link as a busy one. The caller refreshes the pollers afterwards. */
    synchronized void add(DatagramLink link) {
        all = with(all, link);
        link.place(DatagramLink.Place.RESTING);
        wake(link);
    }

    /** Removes a link; false if it is not there. */
    synchronized boolean remove(DatagramLink link) {
        if (link.place() == DatagramLink.Place.NONE) {
            return false;
        }
        all = without(all, link);
        if (link.place() == DatagramLink.Place.BUSY) {
            busy = without(busy, link);
        }
        link.place(DatagramLink.Place.NONE);
        return true;
    }

    /** Makes a link busy that has rung, or in which a datagram was found. Does nothing if it is busy already, or gone. Any thread. */
    synchronized void wake(DatagramLink link) {
        if (link.place() == DatagramLink.Place.RESTING) {
            link.heard();
            busy = with(busy, link); // first: a thread that finds it not resting finds it here
            link.place(DatagramLink.Place.BUSY);
        }
    }

    private static DatagramLink[] with(DatagramLink[] some, DatagramLink link) {
        DatagramLink[] more = Arrays.copyOf(some, some.length + 1);
        more[some.length] = link;
        return more;
    }

    private static DatagramLink[] without(DatagramLink[] some, DatagramLink link) {
        List<DatagramLink> fewer = new ArrayList<>(List.of(some));
        fewer.remove(link);
        return fewer.toArray(NONE);
    }

    // ---- receiving: in that half

    /** The next of the busy links that have a datagram, in turn; null if none has. */
    DatagramLink next() {
        if (--untilTended <= 0) {
            tend();
        }
        DatagramLink[] some = busy;
        lookedAt = some;
        int at = turn;
        for (int i = 0; i < some.length; i++) {
            at = at + 1 < some.length ? at + 1 : 0;
            if (hasNext.test(some[at])) {
                turn = at;
                some[at].heard();
                return some[at];
            }
        }
        return null;
    }

    /**
     * Looks at all resting links before a receive says that there is no datagram, and makes each link busy that has one. A receive that has
     * only emptied the socket, for a program whose poller was here since the last time, leaves the resting links to the poller, which hears
     * them ring.
     *
     * @param emptying whether the receive before had a datagram
     * @return whether any link had one, or the busy links differ from those looked at: another thread has found a datagram meanwhile
     */
    boolean wakeResting(boolean emptying) {
        boolean toPoller = polled && emptying;
        if (polled) {
            polled = false;
        }
        return !toPoller && (lookAtResting(Integer.MAX_VALUE) || busy != lookedAt);
    }

    private void tend() {
        untilTended = TEND_EVERY;
        boolean unused = lookAtResting(RESTING_AT_TEND);
        long now = System.nanoTime();
        if (now - tendedAt >= QUIET_NANOS) {
            tendedAt = now;
            restQuiet();
        }
    }

    /** Sends the links to rest that had no datagram since the last time. */
    private synchronized void restQuiet() {
        DatagramLink[] some = busy;
        DatagramLink[] stay = null;
        int count = 0;
        int next = turn;
        for (int i = 0; i < some.length; i++) {
            DatagramLink link = some[i];
            if (link.forgetHeard() || !isQuietArmed(link)) {
                if (stay != null) {
                    stay[count] = link;
                }
                count++;
            } else {
                link.place(DatagramLink.Place.RESTING);
                if (stay == null) {
                    stay = Arrays.copyOf(some, some.length);
                }
                if (i <= turn) {
                    next--;
                }
            }
        }
        if (stay != null) {
            turn = next;
            busy = Arrays.copyOf(stay, count);
        }
    }

    private boolean isQuietArmed(DatagramLink link) {
        arm(link);
        return !isReady(link); // after arming: either this sees the datagram, or its sender rings
    }

    private boolean isReady(DatagramLink link) {
        try {
            return link.receiver().ready();
        } catch (RuntimeException | InternalError e) {
            failed.accept(link, e);
            return false;
        }
    }

    private void arm(DatagramLink link) {
        try {
            link.link().arm(Link.DATA);
        } catch (RuntimeException | InternalError e) {
            failed.accept(link, e);
        }
    }

    // ---- for pollers

    /** Takes note that a poller is at work, and hears the doorbells. */
    void polled() {
        if (!polled) {
            polled = true;
        }
    }

    /** Whether a link has a datagram, as far as looks at the busy links and at a few others can tell. */
    boolean look() {
        polled();
        for (DatagramLink link : busy) {
            if (isReady(link)) {
                return true;
            }
        }
        return lookAtResting(RESTING_AT_LOOK);
    }

    /** Whether a busy link is with a peer on another host. */
    boolean hasRemote() {
        for (DatagramLink link : busy) {
            if (link.isRemote()) {
                return true;
            }
        }
        return false;
    }

    /** Arms the doorbells of the busy links; those of the resting links are armed already. The caller must look afterwards. */
    void arm() {
        for (DatagramLink link : busy) {
            arm(link);
        }
    }

    /** Looks at the next {@code most} links, and makes those busy that rest and have a datagram. Returns whether there were any. */
    private boolean lookAtResting(int most) {
        DatagramLink[] every = all;
        if (busy.length >= every.length) {
            return false;
        }
        boolean found = false;
        int at = rest;
        for (int i = Math.min(most, every.length); i > 0; i--) {
            at = at + 1 < every.length ? at + 1 : 0;
            DatagramLink link = every[at];
            if (link.place() == DatagramLink.Place.RESTING && isReady(link)) {
                wake(link);
                found = true;
            }
        }
        rest = at;
        return found;
    }
}
