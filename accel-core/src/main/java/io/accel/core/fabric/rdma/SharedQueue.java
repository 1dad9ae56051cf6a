// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A completion queue that several links share, with the channel on which the device announces completions. Each link has a {@link Place}.
 * Whoever polls for one link takes the completions of all, and leaves those of the others in their {@link Arrivals}.
 *
 * <p><b>Locks.</b> One thread at a time polls, under this queue's lock. It is taken under the lock of a link, or under none, and no lock of
 * a link is taken under it. A thread that only looks tries it, and leaves the work to the thread that has it. Completions are taken in
 * batches, and at one time no more than the queue holds, so that a link with much traffic keeps no thread for itself.
 *
 * <p><b>Sleeping.</b> A link that a thread is about to sleep for is <em>armed</em>. All that follows is under the lock:
 *
 * <ul>
 *   <li>Arming marks the link, has the device announce the next completion (as long as any link is armed it has been asked, by the
 *       strongest wish of them), and takes what has completed before.
 *   <li>Whoever takes a completion that an armed link waits for, on behalf of whichever link, unmarks the link and <em>rings</em>: the
 *       sleepers' ringers are run. So it does not matter who takes the completion.
 *   <li>Each sleeper also watches the channel, which wakes it when nobody polls. Whoever takes the announcement takes the completions,
 *       which rings for those concerned, and has the device announce the next one if links are still armed.
 * </ul>
 *
 * A completion comes either before the sleeper's own look, which sees it, or after the request, and is then taken by another thread,
 * which rings, or announced. {@code SharedQueueModelTest} has all interleavings.
 *
 * <p><b>No overrun.</b> A link never has more than its depth of sends and its depth of receives outstanding, from the post until it has
 * taken note of the completion. The queue has an entry for each of these, and some to spare, for each {@linkplain #entries place}. A
 * place gets its next link only when the queue pair of the last one is no more, and all that the queue held then was taken.
 */
final class SharedQueue {
    /** Completions of a link beside its requests, such as that of a request that a careless device flushed twice. */
    static final int SPARE = 16;

    private static final Log LOG = Log.of(SharedQueue.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    private static final Runnable[] NOBODY = {};

    private final Completions completions;
    private final int entries;
    /** Whether the device tells which messages ask for a notification. Linux's Soft-iWARP marks no receive so. */
    private final boolean tellsSolicited;

    private final ReentrantLock lock = new ReentrantLock();
    // All of these are under the lock.
    private final Place[] places;
    private final int[] generations;
    /** A bit for each place that can be given to a link. */
    private long free;
    /** A bit for each link whose waiters sleep, or are about to. */
    private long armed;
    /** A bit for each of them that waits for any completion. */
    private long armedForAll;
    /** A bit for each link whose sleepers are to be woken, and of which one has met an error. */
    private long unrung;
    /** The first completion of the last batch that its link has not got, and the number of those of the batch; equal but for an error. */
    private int next;

    private int taken;
    /** What the device was asked to announce, and has not announced yet. */
    private Wanted asked = Wanted.NONE;

    private int links;
    private boolean closed;

    /**
     * Makes a queue without links.
     *
     * @param completions the device's part, with room for {@link #entries}
     * @param places how many links can share it, 1 to {@link RequestId#PLACES}
     * @param depth the most sends, and the most receives, of a link
     * @param tellsSolicited whether the device tells which messages ask for a notification
     */
    SharedQueue(Completions completions, int places, int depth, boolean tellsSolicited) {
        this.completions = completions;
        this.entries = entries(places, depth);
        this.tellsSolicited = tellsSolicited;
        this.places = new Place[places];
        this.generations = new int[places];
        this.free = -1L >>> (Long.SIZE - places);
    }

    /** How many entries a queue needs for that many links: one for each request that they can have outstanding, and some to spare. */
    static int entries(int places, int depth) {
        return Math.multiplyExact(places, 2 * depth + SPARE);
    }

    /**
     * How many links can share a queue.
     *
     * @param wanted how many would be good
     * @param depth as in {@link #entries}
     * @param mostEntries how many entries the device allows
     * @return at least 1, and at most {@link RequestId#PLACES}
     */
    static int places(int wanted, int depth, int mostEntries) {
        return Math.max(1, Math.min(Math.min(wanted, RequestId.PLACES), mostEntries / (2 * depth + SPARE)));
    }

    /** How many links can share it. */
    int size() {
        return places.length;
    }

    /** Gives a link a place; null if there is none. */
    Place join(Arrivals arrivals) {
        lock.lock();
        try {
            if (closed || free == 0) {
                return null;
            }
            int index = Long.numberOfTrailingZeros(free);
            free &= ~(1L << index);
            links++;
            Place place = new Place(index, generations[index], arrivals);
            places[index] = place;
            return place;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a link's place back. Its queue pair exists no more.
     *
     * @return whether it was the last link
     */
    boolean leave(Place place) {
        lock.lock();
        try {
            long bit = 1L << place.index;
            boolean isClean = false;
            try {
                takeAll(); // late completions of the link, which would take the room of the next one's
                isClean = true;
            } catch (VerbsException | RuntimeException | Error e) {
                LOG.get().log(Level.DEBUG, "late completions are not taken, and their place stays empty", e);
            }
            places[place.index] = null;
            generations[place.index] = RequestId.nextGeneration(generations[place.index]);
            armed &= ~bit;
            armedForAll &= ~bit;
            unrung &= ~bit;
            free |= isClean ? bit : 0;
            links--;
            return links == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the device's part. No link is left. */
    void close() {
        lock.lock();
        try {
            closed = true;
            completions.close();
        } finally {
            lock.unlock();
        }
    }

    // ---- under the lock

    /** Takes everything that the queue holds now. */
    private void takeAll() throws VerbsException {
        int left = entries; // what comes meanwhile is somebody else's turn
        int count;
        do {
            count = takeSome();
            left -= count;
        } while (count == completions.atOnce() && left > 0);
    }

    /** An error, such as a want of stack, keeps the completions behind it for the next taker: they are those of other links. */
    private int takeSome() throws VerbsException {
        if (closed) {
            return 0;
        }
        boolean isRest = next < taken;
        if (!isRest) {
            next = 0;
            taken = 0;
            taken = completions.take();
        }
        int count = taken;
        while (next < taken) {
            dispatchNext();
        }
        if (unrung != 0) {
            ringAgain();
        }
        return isRest ? completions.atOnce() : count;
    }

    private void dispatchNext() {
        int i = next;
        long id = completions.id(i);
        int index = RequestId.place(id);
        Place place = index < places.length ? places[index] : null;
        next = i + 1; // an error before this is met again, and one behind it is that link's
        if (place == null || RequestId.generation(id) != generations[index]) {
            return; // its link is gone
        }
        boolean isNotable;
        try {
            isNotable = place.arrivals.take(completions, i);
        } catch (RuntimeException | Error e) {
            place.arrivals.met(e); // which ends that link
            isNotable = true;
        }
        long bit = 1L << index;
        if ((armed & bit) != 0 && (isNotable || (armedForAll & bit) != 0)) {
            ring(place, bit);
        }
    }

    private void ring(Place place, long bit) {
        armed &= ~bit;
        armedForAll &= ~bit;
        unrung |= bit;
        try {
            place.ring();
            unrung &= ~bit;
        } catch (RuntimeException | Error e) { // of a sleeper, which is perhaps none of the caller's
            ERRORS.warn("waking those who wait for an RDMA connection met an error, and is tried again", e);
        }
    }

    private void ringAgain() {
        long due = unrung;
        for (Place place : places) {
            if (place != null && (due & 1L << place.index) != 0) {
                ring(place, 1L << place.index);
            }
        }
    }

    /** Has the device announce completions, as the armed links wish. Returns whether that was news to it. */
    private boolean request() throws VerbsException {
        Wanted wanted = Wanted.NONE;
        if (armed != 0) {
            wanted = armedForAll != 0 || !tellsSolicited ? Wanted.ALL : Wanted.SOLICITED;
        }
        if (wanted.compareTo(asked) <= 0) {
            return false;
        }
        completions.requestNotify(wanted == Wanted.SOLICITED);
        asked = wanted;
        return true;
    }

    /** Something failed: each link that is waited for finds that out for itself. */
    private void ringAll() {
        for (Place place : places) {
            if (place != null && (armed & 1L << place.index) != 0) {
                ring(place, 1L << place.index);
            }
        }
    }

    /** The share of a link. */
    final class Place {
        private final int index;
        private final long base;
        private final Arrivals arrivals;
        /** Run when it rings. Written under this monitor, and never in place. */
        private volatile Runnable[] ringers = NOBODY;
        /** Whether it has rung since that was last asked. Set under the queue's lock, cleared by whoever asks. */
        private volatile boolean rung;

        Place(int index, int generation, Arrivals arrivals) {
            this.index = index;
            this.base = RequestId.base(index, generation);
            this.arrivals = arrivals;
        }

        /** The queue of the place. */
        SharedQueue queue() {
            return SharedQueue.this;
        }

        /** The identifier of all receives of the link. */
        long receiveId() {
            return RequestId.receive(base);
        }

        /** The identifier of a send request of the link. */
        long sendId(long number) {
            return RequestId.send(base, number);
        }

        /** Takes all completions that have come until now, for all links; waits for another thread that is just doing so. */
        void poll() throws VerbsException {
            lock.lock();
            try {
                takeAll();
            } finally {
                lock.unlock();
            }
        }

        /** Takes some of the completions, unless another thread is just doing so. */
        void glance() throws VerbsException {
            if (lock.tryLock()) {
                try {
                    int unused = takeSome();
                } finally {
                    lock.unlock();
                }
            }
        }

        /** Has the link ring at a completion from now on, and takes all that have come until now. */
        void arm(Wanted wanted) throws VerbsException {
            lock.lock();
            try {
                if (closed || places[index] != this || wanted == Wanted.NONE) {
                    return;
                }
                armed |= 1L << index;
                if (wanted == Wanted.ALL) {
                    armedForAll |= 1L << index;
                }
                boolean unused = request();
                takeAll();
            } finally {
                lock.unlock();
            }
        }

        /** Takes the device's announcement, if there is one, and rings for all links that it is for. */
        void takeRings() {
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                if (completions.takeEvents()) {
                    asked = Wanted.NONE;
                }
                takeAll();
                if (request()) {
                    takeAll();
                }
            } catch (VerbsException | RuntimeException | Error e) {
                LOG.get().log(Level.DEBUG, "a completion queue has failed, which its links find out", e);
                asked = Wanted.NONE; // the announcement may be taken
                ringAll();
            } finally {
                lock.unlock();
            }
        }

        /** Whether it has rung since this was last called; if not, looks whether the device has announced something. */
        boolean drain() {
            if (!rung) {
                takeRings();
            }
            boolean was = rung;
            rung = false;
            return was;
        }

        synchronized void addRinger(Runnable ringer) {
            Runnable[] more = Arrays.copyOf(ringers, ringers.length + 1);
            more[ringers.length] = ringer;
            ringers = more;
        }

        synchronized void removeRinger(Runnable ringer) {
            ringers = Arrays.stream(ringers).filter(each -> each != ringer).toArray(Runnable[]::new);
        }

        /** Wakes those who sleep for the link, so that they look. */
        void ring() {
            rung = true;
            for (Runnable ringer : ringers) {
                ringer.run();
            }
        }
    }
}
