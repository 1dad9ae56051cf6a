// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A machine with some cores and a scheduler, in simulated time: discrete events, no real threads. Requests and replies go
 * back and forth between pairs of threads that wait as a {@link WaitPolicy} says; other threads compute nearly all the time.
 *
 * <p>The scheduler is like Linux's: least virtual run time first, slices of some milliseconds. A woken thread goes before a thread
 * that has had more than its share, and to its waker's core if that has less to do. A yield gives up a slice, idle cores take
 * waiting threads from others, and mean loads are balanced.
 *
 * <p>No piece of work takes the same time twice, some take long, and computing threads pause now and then. Otherwise threads
 * would stay where they were placed at first, which no machine with an operating system does.
 */
final class SimulatedMachine {
    // The times of actions, in nanoseconds; measured, and rounded.
    private static final long LOOK = 40;
    private static final long LOOKS = 2_500;
    private static final long SEND = 150;
    private static final long RING = 1_800;
    private static final long FALL_ASLEEP = 1_500;
    private static final long WAKE_UP = 1_500;
    private static final long IDLE_EXIT = 4_000;
    private static final long SWITCH = 1_200;
    private static final long YIELD = 500;
    private static final long PERIOD = 100_000_000;
    private static final long BALANCE = 4_000_000;
    private static final long LONG_WORK = 1_000_000;
    private static final long LONG_EVERY = 100_000_000;
    private static final long HOG_RUNS = 100_000_000;
    private static final long HOG_PAUSES = 1_000_000;
    /** The weight of the last interval in the mean load of a thread, which halves in 32 ms. */
    private static final double LOAD_SHARE = 0.083;
    /** The part of its load by which a core may exceed another. */
    private static final double IMBALANCE = 0.17;

    /**
     * The setting that is simulated.
     *
     * @param cores how many cores
     * @param pairs how many clients, each with a server thread of its own; clients are one process, servers another
     * @param hogs how many threads compute nearly without end
     * @param serverNanos what a server takes for a reply
     * @param clientNanos what a client takes between a reply and the next request
     * @param pauseNanos how long a client sleeps between a reply and the next request
     * @param sliceNanos the scheduler's slice
     * @param quota how many cores' time the pairs may use; 0 for no limit
     */
    record Setting(
            int cores,
            int pairs,
            int hogs,
            long serverNanos,
            long clientNanos,
            long pauseNanos,
            long sliceNanos,
            double quota) {}

    /**
     * The result.
     *
     * @param trips round trips
     * @param cpuNanos processor time of the pairs
     * @param p99Nanos of a round trip, from the worst beginning
     */
    record Outcome(long trips, long cpuNanos, long p99Nanos) {
        double cpuPerTrip() {
            return (double) cpuNanos / Math.max(1, trips);
        }
    }

    private enum Stage {
        WORK,
        SEND,
        WAIT,
        LOOK,
        YIELD,
        FALL_ASLEEP,
        ASLEEP,
        PAUSE,
        HOG
    }

    private final Setting setting;
    /** The seed of the beginning: where threads are placed, and how long each piece of work takes. */
    private final int begin;

    private final List<Task> tasks = new ArrayList<>();
    private final Task[] running;
    /** The run time of the least favoured thread that ran on each core; run times on the core are compared with it. */
    private final long[] floor;

    private long[] latencies = new long[1 << 12];
    private int trips;
    private long now;
    private long used;
    private long usedInPeriod;
    private long period;
    private long balanceAt;
    /** How often in a row loads could not be balanced. */
    private int failed;

    private long throttlings;
    private boolean stopped;
    private long warm;
    private long usedBefore;

    private SimulatedMachine(Setting setting, long spinNanos, int begin) {
        this.setting = setting;
        this.begin = begin;
        this.running = new Task[setting.cores];
        this.floor = new long[setting.cores];
        // As the JVM counts processors.
        double share = setting.quota > 0 ? Math.min(setting.quota, setting.cores) : setting.cores;
        int places = share != Math.rint(share) ? 0 : (int) share - 1;
        PollConfig config = new PollConfig(spinNanos, 200, 64, 0, PollConfig.Yielding.ADAPTIVE);
        SpinBudget clients = new SpinBudget(places, places);
        SpinBudget servers = new SpinBudget(places, places);
        for (int i = 0; i < setting.pairs; i++) {
            Task client = new Task(Stage.WORK, setting.clientNanos, config, clients);
            Task server = new Task(Stage.WAIT, 0, config, servers);
            client.client = true;
            client.peer = server;
            server.peer = client;
            server.waitSince = 1;
            tasks.add(client);
            tasks.add(server);
        }
        for (int i = 0; i < setting.hogs; i++) {
            Task hog = new Task(Stage.HOG, HOG_RUNS, config, clients);
            hog.hog = true;
            hog.left = hog.about(HOG_RUNS);
            tasks.add(hog);
        }
        for (int i = 0; i < tasks.size(); i++) {
            tasks.get(i).core = (i + begin) % setting.cores;
        }
    }

    /**
     * Simulates from some beginnings; what happens in the first half of each does not count.
     *
     * @param spinNanos how long to look
     * @param nanos how long each lasts
     * @param begins how many
     */
    static Outcome run(Setting setting, long spinNanos, long nanos, int begins) {
        long trips = 0;
        long used = 0;
        long p99 = 0;
        for (int begin = 0; begin < begins; begin++) {
            SimulatedMachine machine = new SimulatedMachine(setting, spinNanos, begin);
            machine.warm = nanos / 2;
            machine.run(nanos);
            Arrays.sort(machine.latencies, 0, machine.trips);
            trips += machine.trips;
            used += machine.used - machine.usedBefore;
            p99 = Math.max(
                    p99, machine.trips == 0 ? Long.MAX_VALUE : machine.latencies[(int) (machine.trips * 99L / 100)]);
        }
        return new Outcome(trips, used, p99);
    }

    private void run(long end) {
        boolean isWarm = false;
        while (now < end) {
            for (int core = 0; core < running.length; core++) {
                if (running[core] == null) {
                    schedule(core);
                }
            }
            long next = Math.min(end, nextEvent());
            advance(next - now);
            now = next;
            if (!isWarm && now >= warm) {
                isWarm = true;
                usedBefore = used;
            }
            if (now >= period + PERIOD) {
                period += PERIOD;
                usedInPeriod = 0;
                stopped = false;
            } else if (setting.quota > 0 && !stopped && usedInPeriod >= setting.quota * PERIOD) {
                stop();
            }
            if (now >= balanceAt) {
                balanceAt = now + BALANCE;
                balance();
            }
            for (Task task : tasks) {
                if (task.stage == Stage.PAUSE && task.wakeAt <= now) {
                    if (task.hog) {
                        task.become(Stage.HOG, task.about(HOG_RUNS));
                    } else {
                        task.become(Stage.WORK, task.work(setting.clientNanos) + WAKE_UP);
                    }
                    wake(task, null);
                }
            }
            for (int core = 0; core < running.length; core++) {
                Task task = running[core];
                if (task != null && task.left <= 0) {
                    done(task);
                }
                task = running[core];
                if (task != null && now - task.onSince >= setting.sliceNanos) {
                    task.onSince = now;
                    if (waiting(core) != null) {
                        leave(task);
                    }
                }
            }
        }
    }

    private long nextEvent() {
        long next = period + PERIOD;
        for (Task task : tasks) {
            if (task.stage == Stage.PAUSE) {
                next = Math.min(next, task.wakeAt);
            }
        }
        long limit =
                setting.quota > 0 && !stopped ? (long) (setting.quota * PERIOD) - usedInPeriod : Long.MAX_VALUE / 4;
        for (Task task : running) {
            if (task != null) {
                next = Math.min(next, now + Math.max(1, Math.min(task.left, limit / running.length + 1)));
                next = Math.min(next, task.onSince + setting.sliceNanos);
            }
        }
        return Math.max(next, now);
    }

    private void advance(long nanos) {
        for (Task task : tasks) {
            if (task.isRunnable()) {
                task.wanted += nanos;
                task.delay += running[task.core] == task ? 0 : nanos;
            }
        }
        for (Task task : running) {
            if (task != null) {
                task.left -= nanos;
                task.vruntime += nanos;
                if (task.stage != Stage.HOG) {
                    used += nanos;
                    usedInPeriod += nanos;
                }
            }
        }
    }

    /** The quota is used up: the pairs stand still up to the end of the period. */
    private void stop() {
        stopped = true;
        throttlings++;
        for (int core = 0; core < running.length; core++) {
            if (running[core] != null && running[core].stage != Stage.HOG) {
                running[core] = null;
            }
        }
    }

    // ---- the scheduler

    private boolean mayRun(Task task) {
        return task.isRunnable() && !(stopped && task.stage != Stage.HOG);
    }

    private Task waiting(int core) {
        Task least = null;
        for (Task task : tasks) {
            if (task.core == core
                    && running[core] != task
                    && mayRun(task)
                    && (least == null || task.vruntime < least.vruntime)) {
                least = task;
            }
        }
        return least;
    }

    private void schedule(int core) {
        Task next = waiting(core);
        if (next == null) {
            for (Task task : tasks) {
                if (mayRun(task) && running[task.core] != task && (next == null || task.lag() > next.lag())) {
                    next = task;
                }
            }
        }
        if (next != null) {
            move(next, core);
            floor[core] = Math.max(floor[core], next.vruntime);
            next.onSince = now;
            next.left += SWITCH;
            running[core] = next;
        }
    }

    /** Takes one thread from the core with the highest mean load to the one with the lowest. */
    private void balance() {
        double[] load = new double[running.length];
        for (Task task : tasks) {
            task.load += ((double) task.wanted / BALANCE - task.load) * LOAD_SHARE;
            task.wanted = 0;
            load[task.core] += task.load;
        }
        int most = 0;
        int least = 0;
        for (int core = 0; core < load.length; core++) {
            most = load[core] > load[most] ? core : most;
            least = load[core] < load[least] ? core : least;
        }
        double gap = load[most] - load[least];
        if (gap < load[least] * IMBALANCE) {
            failed = 0;
            return;
        }
        // As Linux does: a thread that is too heavy to even loads out is still moved after some attempts, so that
        // three threads that never sleep take turns at having one of two cores to themselves.
        double heaviest = gap / 2 * (1 << Math.min(failed, 8));
        Task moved = null;
        for (Task task : tasks) {
            if (task.core == most
                    && running[most] != task
                    && mayRun(task)
                    && task.load <= heaviest
                    && (moved == null || task.load > moved.load)) {
                moved = task;
            }
        }
        if (moved == null) {
            failed++;
        } else {
            failed = 0;
            move(moved, least);
        }
    }

    /** Run times of two cores have nothing to do with each other. */
    private void move(Task task, int core) {
        task.vruntime += floor[core] - floor[task.core];
        task.core = core;
    }

    private void leave(Task task) {
        running[task.core] = null;
        schedule(task.core);
    }

    private double load(int core) {
        double sum = 0;
        for (Task task : tasks) {
            sum += task.core == core ? task.load : 0;
        }
        return sum;
    }

    private void wake(Task task, Task waker) {
        for (int i = 0; i < running.length; i++) {
            int core = (task.core + i) % running.length;
            if (running[core] == null && waiting(core) == null) {
                move(task, core);
                task.vruntime = Math.max(task.vruntime, floor[core] - setting.sliceNanos / 2);
                task.left += IDLE_EXIT;
                return; // scheduled at once
            }
        }
        if (waker != null && waker.core != task.core) {
            // As Linux does: the waker's core, which the waker is about to leave, or the thread's own, whichever has
            // less to do.
            double there = load(waker.core) - waker.load + task.load;
            if (there < load(task.core) - task.load) {
                move(task, waker.core);
            }
        }
        Task current = running[task.core];
        // A sleeper keeps half a slice of its unused time.
        long least = current == null ? task.vruntime : current.vruntime - setting.sliceNanos / 2;
        task.vruntime = Math.max(task.vruntime, least);
        if (current != null && task.vruntime < current.vruntime) {
            running[task.core] = null; // the lowest is next
        }
    }

    // ---- what threads do

    private void done(Task task) {
        switch (task.stage) {
            case WORK -> task.become(Stage.SEND, SEND + (task.peer.armed ? RING : 0));
            case SEND -> sent(task);
            case WAIT -> waitOn(task);
            case LOOK -> waitOn(task);
            case YIELD -> {
                task.become(Stage.WAIT, LOOK);
                task.yieldedAt = now;
                if (waiting(task.core) != null) {
                    // As Linux does: a thread that has not had more than others gives up a slice.
                    task.vruntime += task.isOwed() ? setting.sliceNanos : 0;
                    leave(task);
                }
            }
            case FALL_ASLEEP -> {
                if (task.data) {
                    got(task);
                } else {
                    task.stage = Stage.ASLEEP;
                    leave(task);
                }
            }
            case HOG -> pause(task, HOG_PAUSES);
            default -> throw new AssertionError(task.stage);
        }
    }

    private void sent(Task task) {
        Task peer = task.peer;
        peer.data = true;
        if (peer.stage == Stage.LOOK && running[peer.core] == peer) {
            peer.left = Math.min(peer.left, LOOK);
        }
        if (peer.armed) {
            peer.armed = false;
            if (peer.stage == Stage.ASLEEP) {
                peer.become(Stage.WAIT, WAKE_UP);
                peer.slept = true;
                wake(peer, task);
            }
        }
        if (task.client) {
            task.sentAt = now;
        }
        task.waitSince = now | 1;
        task.slept = false;
        task.become(Stage.WAIT, LOOK);
    }

    private void waitOn(Task task) {
        if (task.yieldedAt != 0) {
            task.policy.yielded(task.yieldedAt - YIELD, now);
            task.yieldedAt = 0;
        }
        if (task.data) {
            got(task);
            return;
        }
        if (!task.begun || task.slept) {
            task.begun = true;
            task.slept = false;
            task.policy.begin(now, task.waitSince, false);
        }
        switch (task.policy.next(now)) {
            case LOOK -> {
                task.looked = true;
                task.become(Stage.LOOK, LOOKS);
            }
            case YIELD -> {
                task.looked = true;
                task.become(Stage.YIELD, YIELD);
            }
            case SLEEP -> {
                task.armed = true;
                task.become(Stage.FALL_ASLEEP, FALL_ASLEEP);
            }
            default -> throw new AssertionError();
        }
    }

    private void got(Task task) {
        task.data = false;
        task.armed = false;
        if (task.slept) {
            task.policy.woken(now, now - task.waitSince);
        } else if (task.looked) {
            task.policy.found();
        }
        task.policy.end();
        task.begun = false;
        task.looked = false;
        if (!task.client) {
            task.become(Stage.WORK, task.work(setting.serverNanos));
            return;
        }
        if (now >= warm) {
            if (trips == latencies.length) {
                latencies = Arrays.copyOf(latencies, trips * 2);
            }
            latencies[trips++] = now - task.sentAt;
        }
        if (setting.pauseNanos > 0) {
            pause(task, setting.pauseNanos);
        } else {
            task.become(Stage.WORK, task.work(setting.clientNanos));
        }
    }

    private void pause(Task task, long nanos) {
        task.stage = Stage.PAUSE;
        task.wakeAt = now + task.about(nanos);
        leave(task);
    }

    private final class Task implements WaitPolicy.Senses {
        final WaitPolicy policy;
        /** A generator of its own, so that its work is the same whatever others do. */
        final SplittableRandom random;

        Stage stage;
        Task peer;
        boolean client;
        boolean hog;
        int core;
        long left;
        long vruntime;
        long onSince;
        long delay;
        /** How long it was runnable since loads were last balanced. */
        long wanted;
        /** The part of the recent time in which it was runnable. */
        double load;

        long wakeAt;
        long sentAt;
        /** When its work is long next. */
        long longAt;

        long waitSince;
        long yieldedAt;
        boolean data;
        boolean armed;
        boolean slept;
        boolean looked;
        /** Whether its policy knows of its wait. */
        boolean begun;

        Task(Stage stage, long left, PollConfig config, SpinBudget budget) {
            this.policy = new WaitPolicy(config, this, budget);
            this.random = new SplittableRandom(begin * 1_000L + tasks.size());
            become(stage, left);
        }

        void become(Stage next, long nanos) {
            stage = next;
            left = Math.max(1, nanos);
        }

        /** About as long: programs that work in step to the nanosecond would meet each time or never, and do not exist. */
        long about(long nanos) {
            return nanos == 0 ? 0 : nanos * 3 / 4 + random.nextLong(nanos / 2);
        }

        /**
         * About as long as usual, and now and then long: a collector's work, a large request. Without those, threads
         * that sleep and wake stay where the scheduler has put them, well or badly, and the comparison is about luck.
         */
        long work(long nanos) {
            long extra = 0;
            if (now >= longAt) {
                extra = longAt == 0 ? 0 : about(LONG_WORK);
                longAt = now + about(LONG_EVERY);
            }
            return about(nanos) + extra;
        }

        boolean isRunnable() {
            return stage != Stage.ASLEEP && stage != Stage.PAUSE;
        }

        /** Whether it has had no more than the mean of the threads that want its core. */
        boolean isOwed() {
            long sum = 0;
            for (Task task : tasks) {
                sum += task.core == core && mayRun(task) ? task.vruntime - vruntime : 0;
            }
            return sum >= 0;
        }

        /** By how much it has run less than its core's least favoured. */
        long lag() {
            return floor[core] - vruntime;
        }

        @Override
        public long runDelay() {
            return delay;
        }

        @Override
        public long unusedYield() {
            return YIELD;
        }

        @Override
        public int surplus() {
            int runnable = 0;
            for (Task task : tasks) {
                runnable += mayRun(task) ? 1 : 0;
            }
            return runnable - setting.cores;
        }

        @Override
        public long throttled() {
            return throttlings;
        }
    }
}
