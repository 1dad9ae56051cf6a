// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds paths for the datagram sockets of this process, and gives up unused ones, on one daemon thread that sleeps unless it has work to
 * do. No sender ever waits for it.
 */
final class DatagramPaths {
    private static final Warnings ERRORS = new Warnings(Log.of(DatagramPaths.class));
    private static final String MET_AN_ERROR = "the thread that finds paths for datagrams met an error and goes on";
    private static final Poller.Sink NOTHING = (registration, ops) -> {};
    /** The most searches under way, so that a flood of new destinations costs bounded memory and descriptors. */
    private static final int MOST_UNDER_WAY = 256;

    private static final long LEAST_SWEEP_NANOS = 1_000_000L;
    private static final long MOST_SWEEP_NANOS = 250_000_000L;

    private static DatagramPaths instance;

    private final Poller poller;
    private final Queue<DatagramSearch> searches = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    /** Sockets that have links. */
    private final Set<DatagramSocket> linked = ConcurrentHashMap.newKeySet();

    private final long sweepNanos;
    /** When links are looked at next. The thread's. */
    private long sweepAt;

    private DatagramPaths(Poller poller, long sweepNanos) {
        this.poller = poller;
        this.sweepNanos = sweepNanos;
    }

    /**
     * The instance of this process, started when it is first needed.
     *
     * @param idleNanos the time after which unused links are given up; the first profile's value sets how often they are looked for
     */
    static synchronized DatagramPaths get(long idleNanos) throws IOException {
        if (instance == null) {
            long sweepNanos = Math.min(Math.max(idleNanos / 4, LEAST_SWEEP_NANOS), MOST_SWEEP_NANOS);
            Poller poller = new Poller(new PollConfig(0, 1, 1, 0, PollConfig.Yielding.NEVER));
            DatagramPaths paths = new DatagramPaths(poller, sweepNanos);
            Daemons.start("accel-datagram-paths", paths::run, poller::wakeup);
            instance = paths;
        }
        return instance;
    }

    /** Begins a search soon; false if too many are under way. */
    boolean begin(DatagramSearch search) {
        if (underWay.incrementAndGet() > MOST_UNDER_WAY) {
            underWay.decrementAndGet();
            return false;
        }
        searches.add(search);
        poller.wakeup();
        return true;
    }

    /** Watches for the death of a peer, as long as the socket has no poller that would hear of it. */
    void guard(DatagramWatchers watchers, DatagramLink link) {
        // Done later, since the search that found the link still watches its doorbell.
        later(() -> watchers.guard(link, poller));
    }

    /** Runs a short task on this thread. */
    void later(Runnable task) {
        tasks.add(task);
        poller.wakeup();
    }

    /** Adds a socket that has got its first link. */
    void watch(DatagramSocket socket) {
        if (linked.add(socket)) {
            poller.wakeup();
        }
    }

    /** Removes a socket that has no link any more, or is closed. */
    void forget(DatagramSocket socket) {
        linked.remove(socket);
    }

    private void run() {
        sweepAt = System.nanoTime() + sweepNanos;
        Daemons.turns(
                ERRORS,
                MET_AN_ERROR,
                this::beginSearches,
                () -> Daemons.runTasks(tasks, ERRORS, MET_AN_ERROR),
                () -> poller.poll(Daemons.sleep(pause()), NOTHING),
                this::sweep);
    }

    private void beginSearches() {
        for (DatagramSearch search = searches.poll(); search != null; search = searches.poll()) {
            try {
                search.begin(poller, underWay::decrementAndGet);
            } catch (Throwable e) {
                // No destination may keep the thread from the others.
                ERRORS.warn(MET_AN_ERROR, e);
                search.giveUp();
            }
        }
    }

    private long pause() {
        return linked.isEmpty() && tasks.isEmpty() ? -1 : Math.max(0, sweepAt - System.nanoTime());
    }

    private void sweep() {
        if (System.nanoTime() - sweepAt < 0) {
            return;
        }
        sweepAt = System.nanoTime() + sweepNanos; // first: an error of one socket must not bring this back at once
        for (DatagramSocket socket : linked) {
            try {
                socket.sweep();
            } catch (Throwable e) {
                ERRORS.warn(MET_AN_ERROR, e);
            }
        }
    }
}
