package io.accel.core.socket;

import io.accel.core.fabric.Link;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * The links of a datagram socket. Those that had a datagram lately are <em>busy</em>: every look of a poller and every
 * receive looks at them. The others <em>rest</em>, and cost next to nothing however many they are.
 *
 * <p><b>To rest</b> is to be armed: a link is armed, looked at once more, and leaves the busy ones if it had nothing. So
 * whatever comes later rings its doorbell. The first thread to take a ring makes the link busy and then refreshes all pollers of
 * the socket, so that a poller which has not looked at this link before it sleeps does not sleep. Pollers arm the busy links alone.
 *
 * <p><b>The doorbell is heard</b> by a poller of the socket, or by a blocked receiver, which is one. So that a quiet link need
 * not wait for a poller that looks at the kernel seldom, each look goes on to a few of the resting links in turn; and so that
 * it need not wait for one that never comes, a receive looks at a few of them now and then, and at all of them before it says
 * that there is nothing.
 */
final class DatagramLinks {
    private static final DatagramLink[] NONE = {};
    /**
     * For how long, at least, a link had no datagram when it goes to rest. A ring costs both ends some microseconds, a look a few
     * nanoseconds, so a peer that speaks more often than this is better looked at.
     */
    private static final long QUIET_NANOS = 1_000_000;
    /** Of how many receives one asks whether links are to rest, and looks at some that do. */
    private static final int TEND_EVERY = 64;
    /** How many resting links such a receive looks at. */
    private static final int RESTING_AT_TEND = 32;
    /** How many resting links a poller's look goes on to. */
    private static final int RESTING_AT_LOOK = 4;

    private final Predicate<DatagramLink> hasNext;

    /** Replaced as a whole, under the monitor. A link leaves it before anything of the link is given back. */
    private volatile DatagramLink[] all = NONE;
    /** Some of {@link #all}. Replaced as a whole, under the monitor. */
    private volatile DatagramLink[] busy = NONE;

    /** Set by pollers that look, cleared by a receiver that finds nothing. */
    private volatile boolean polled;
    /** Where the looks at resting links have come to. Any thread that looks, unordered: a race looks at one twice. */
    private int rest;

    // Receiving half only.

    /** The busy ones when they were last looked at. */
    private DatagramLink[] lookedAt = NONE;

    private int turn;
    private int untilTended = TEND_EVERY;
    private long tendedAt = System.nanoTime();

    /**
     * No links.
     *
     * @param hasNext whether a link has a datagram for the socket; asked in the receiving half, and may remove the link
     */
    DatagramLinks(Predicate<DatagramLink> hasNext) {
        this.hasNext = hasNext;
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

    /** How many are looked at each time. */
    int busy() {
        return busy.length;
    }

    /** Takes a link in, as a busy one. Pollers are to be refreshed afterwards. */
    synchronized void add(DatagramLink link) {
        all = with(all, link);
        link.place(DatagramLink.Place.RESTING);
        wake(link);
    }

    /** Lets go of a link; false if it is not there. */
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

    /** A link has rung, or something was found in it: it is busy from now on. Nothing if it is, or is gone. Any thread. */
    synchronized void wake(DatagramLink link) {
        if (link.place() == DatagramLink.Place.RESTING) {
            link.heard();
            busy = with(busy, link); // first: who finds that it does not rest finds it here
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

    /** The link whose turn it is of the busy ones that have a datagram; null if none has. */
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
     * Looks at all resting links before a receive says that there is nothing; those that have a datagram are busy then. A receive
     * that has only emptied the socket, for a program whose poller was here since the last time, leaves them to the
     * poller, which hears them ring.
     *
     * @param emptying whether the receive before had a datagram
     * @return whether any had, or others are busy than were looked at: somebody else has found what it has meanwhile
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

    /** Sends those to rest that had no datagram since the last time. */
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

    private static boolean isQuietArmed(DatagramLink link) {
        link.link().arm(Link.DATA);
        return !link.receiver().ready(); // after arming: either this sees the datagram, or its sender rings
    }

    // ---- for pollers

    /** A poller is at work, and hears the doorbells. */
    void polled() {
        if (!polled) {
            polled = true;
        }
    }

    /** Whether a link has something, as far as looks at the busy ones and at a few others can tell. */
    boolean look() {
        polled();
        for (DatagramLink link : busy) {
            if (link.receiver().ready()) {
                return true;
            }
        }
        return lookAtResting(RESTING_AT_LOOK);
    }

    /** Asks for the doorbells of the busy links; those that rest have been asked. A look is to follow. */
    void arm() {
        for (DatagramLink link : busy) {
            link.link().arm(Link.DATA);
        }
    }

    /** Looks at the next so many links; those that rest and have something are busy then. Returns whether there were any. */
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
            if (link.place() == DatagramLink.Place.RESTING && link.receiver().ready()) {
                wake(link);
                found = true;
            }
        }
        rest = at;
        return found;
    }
}
