package io.accel.core.poll;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A machine with some cores and a scheduler, in simulated time: discrete events, no real threads. Requests and replies go
 * back and forth between pairs of threads that wait as a {@link WaitPolicy} says; others compute without end.
 *
 * <p>The scheduler is like Linux's: least virtual run time first, slices of some milliseconds, whoever is woken goes before who
 * has had more than its share, a yield gives up a slice, idle cores take what others have waiting.
 */
final class SimulatedMachine {
    // What things take, in nanoseconds; measured, and rounded.
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

    /**
     * What is simulated.
     *
     * @param cores how many cores
     * @param pairs how many clients, each with a server thread of its own; clients are one process, servers another
     * @param hogs how many threads compute without end
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
     * What came out.
     *
     * @param trips round trips
     * @param cpuNanos processor time of the pairs
     * @param p99Nanos of a round trip
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
    private final List<Task> tasks = new ArrayList<>();
    private final Task[] running;
    /** What the least favoured thread that ran on a core had run: what run times there are compared with. */
    private final long[] floor;

    private long[] latencies = new long[1 << 12];
    private int trips;
    private long now;
    private long used;
    private long usedInPeriod;
    private long period;
    private long balanceAt;
    private long throttlings;
    private boolean stopped;
    private long warm;
    private long usedBefore;

    private SimulatedMachine(Setting setting, long spinNanos) {
        this.setting = setting;
        this.running = new Task[setting.cores];
        this.floor = new long[setting.cores];
        // As the JVM counts processors.
        double share = setting.quota > 0 ? Math.min(setting.quota, setting.cores) : setting.cores;
        int places = share != Math.rint(share) ? 0 : (int) share - 1;
        PollConfig config = new PollConfig(spinNanos, 200, 64, 0, PollConfig.Yielding.ADAPTIVE);
        SpinBudget clients = new SpinBudget(places);
        SpinBudget servers = new SpinBudget(places);
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
            tasks.add(new Task(Stage.HOG, Long.MAX_VALUE / 4, config, clients));
        }
        for (int i = 0; i < tasks.size(); i++) {
            tasks.get(i).core = i % setting.cores;
        }
    }

    /** Simulates; what happens in the first half does not count. */
    static Outcome run(Setting setting, long spinNanos, long nanos) {
        SimulatedMachine machine = new SimulatedMachine(setting, spinNanos);
        machine.warm = nanos / 2;
        machine.run(nanos);
        int trips = machine.trips;
        Arrays.sort(machine.latencies, 0, trips);
        return new Outcome(
                trips,
                machine.used - machine.usedBefore,
                trips == 0 ? Long.MAX_VALUE : machine.latencies[(int) (trips * 99L / 100)]);
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
                    task.become(Stage.WORK, setting.clientNanos + WAKE_UP);
                    wake(task);
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
            if (task.isRunnable() && running[task.core] != task) {
                task.delay += nanos;
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
                if (mayRun(task) && running[task.core] != task && (next == null || task.vruntime < next.vruntime)) {
                    next = task;
                }
            }
        }
        if (next != null) {
            move(next, core);
            floor[core] = Math.max(floor[core], next.vruntime);
            next.onSince = now;
            if (next.left < Long.MAX_VALUE / 8) {
                next.left += SWITCH;
            }
            running[core] = next;
        }
    }

    /** Takes one thread from the core where most want to run to the one where fewest do. */
    private void balance() {
        int[] load = new int[running.length];
        for (Task task : tasks) {
            load[task.core] += mayRun(task) ? 1 : 0;
        }
        int most = 0;
        int least = 0;
        for (int core = 0; core < load.length; core++) {
            most = load[core] > load[most] ? core : most;
            least = load[core] < load[least] ? core : least;
        }
        Task moved = waiting(most);
        if (moved != null && load[most] - load[least] > 1) {
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

    private void wake(Task task) {
        for (int i = 0; i < running.length; i++) {
            int core = (task.core + i) % running.length;
            if (running[core] == null && waiting(core) == null) {
                move(task, core);
                task.vruntime = Math.max(task.vruntime, floor[core] - setting.sliceNanos / 2);
                task.left += IDLE_EXIT;
                return; // scheduled at once
            }
        }
        Task current = running[task.core];
        // A sleeper keeps half a slice of what it did not use.
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
                    task.vruntime += setting.sliceNanos;
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
                wake(peer);
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
        task.slept = false;
        task.policy.begin(now, task.waitSince);
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
        task.looked = false;
        if (!task.client) {
            task.become(Stage.WORK, setting.serverNanos);
            return;
        }
        if (now >= warm) {
            if (trips == latencies.length) {
                latencies = Arrays.copyOf(latencies, trips * 2);
            }
            latencies[trips++] = now - task.sentAt;
        }
        if (setting.pauseNanos > 0) {
            task.stage = Stage.PAUSE;
            task.wakeAt = now + setting.pauseNanos;
            leave(task);
        } else {
            task.become(Stage.WORK, setting.clientNanos);
        }
    }

    private final class Task implements WaitPolicy.Senses {
        final WaitPolicy policy;
        Stage stage;
        Task peer;
        boolean client;
        int core;
        long left;
        long vruntime;
        long onSince;
        long delay;
        long wakeAt;
        long sentAt;
        long waitSince;
        long yieldedAt;
        boolean data;
        boolean armed;
        boolean slept;
        boolean looked;

        Task(Stage stage, long left, PollConfig config, SpinBudget budget) {
            this.policy = new WaitPolicy(config, this, budget);
            become(stage, left);
        }

        void become(Stage next, long nanos) {
            stage = next;
            left = Math.max(1, nanos);
        }

        boolean isRunnable() {
            return stage != Stage.ASLEEP && stage != Stage.PAUSE;
        }

        @Override
        public long runDelay() {
            return delay;
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
