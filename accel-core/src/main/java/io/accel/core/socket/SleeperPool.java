// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Dropped;
import io.accel.core.fabric.DescriptorShare;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A pool of sleepers, each kept for the next sleep. The collector closes a sleeper that lies idle, so a program does not keep the
 * descriptors of all threads that once slept at the same time. Safe for use by several threads, without locks or garbage.
 */
final class SleeperPool {
    private static final int MOST_IDLE = 256;
    /** The descriptors of a sleeper: its selector's two, and a pipe's once another thread has woken it. */
    private static final int DESCRIPTORS = 4;

    private final PollConfig config;
    /** The idle sleepers. The thread that sets a place to null owns the sleeper that was there. */
    private final AtomicReferenceArray<WeakReference<Pooled>> idle = new AtomicReferenceArray<>(MOST_IDLE);

    SleeperPool(PollConfig config) {
        this.config = config;
    }

    /** A sleeper that one thread owns at a time, and holds as long as it uses it. */
    static final class Pooled {
        private final Sleeper sleeper;
        private final WeakReference<Pooled> reference = new WeakReference<>(this);
        private final Cleaner.Cleanable closing;
        /** The place where it lay last. Written by the thread that gives it back. */
        private volatile int place;

        private Pooled(Sleeper sleeper) {
            this.sleeper = sleeper;
            this.closing = Dropped.watch(this, () -> close(sleeper));
        }

        private static void close(Sleeper sleeper) {
            try {
                sleeper.close();
            } finally {
                DescriptorShare.giveBack(DESCRIPTORS);
            }
        }

        Sleeper sleeper() {
            return sleeper;
        }

        /** The reference with which a thread can ask for the same sleeper again. */
        WeakReference<Pooled> reference() {
            return reference;
        }
    }

    /**
     * Takes a sleeper for a sleep.
     *
     * @param preferred the sleeper to take if it is idle; null for any
     * @return that sleeper, or any idle one, or a new one; null if Accel has its share of the descriptors
     * @throws IOException if the JDK's selector cannot be opened
     */
    Pooled take(WeakReference<Pooled> preferred) throws IOException {
        Pooled known = preferred == null ? null : preferred.get();
        if (known != null && idle.compareAndSet(known.place, preferred, null)) {
            return known;
        }
        for (int i = 0; i < MOST_IDLE; i++) {
            WeakReference<Pooled> one = idle.get(i);
            if (one != null && idle.compareAndSet(i, one, null)) {
                Pooled pooled = one.get();
                if (pooled != null) {
                    return pooled;
                }
            }
        }
        return open();
    }

    private Pooled open() throws IOException {
        if (!DescriptorShare.tryTake(DESCRIPTORS)) {
            return null;
        }
        Pooled opened = null;
        try {
            opened = new Pooled(new Sleeper(new Poller(config)));
            return opened;
        } finally {
            if (opened == null) {
                DescriptorShare.giveBack(DESCRIPTORS);
            }
        }
    }

    /** Closes the sleepers that lie idle. Any thread. */
    void closeIdle() {
        for (int i = 0; i < MOST_IDLE; i++) {
            WeakReference<Pooled> one = idle.get(i);
            if (one != null && idle.compareAndSet(i, one, null)) {
                Pooled pooled = one.get();
                if (pooled != null) {
                    pooled.closing.clean();
                }
            }
        }
    }

    /** Keeps a sleeper for the next sleep. A sleep for the same object as the last costs nothing extra. */
    void giveBack(Pooled pooled) {
        int from = pooled.place;
        for (int i = 0; i < MOST_IDLE; i++) {
            int place = (from + i) % MOST_IDLE;
            if (idle.get(place) == null) {
                pooled.place = place; // written first, since a thread that finds the sleeper there may read it
                if (idle.compareAndSet(place, null, pooled.reference)) {
                    return;
                }
            }
        }
        pooled.closing.clean();
    }
}
