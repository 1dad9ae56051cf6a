package io.accel.core.poll;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import io.accel.core.observe.PollCounters;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;

/**
 * Waits for accelerated links and kernel descriptors alike.
 *
 * <p>Links with traffic are <em>hot</em>: each turn looks at their memory, without a system call. A link that has been
 * quiet for {@code poll.spin} is armed, looked at once more, and <em>cold</em>: it costs nothing until its doorbell, a
 * descriptor in the JDK's own selector, rings. A poller without a hot link sleeps in that selector. So a turn costs O(active
 * links), and an idle poller costs nothing.
 *
 * <p><b>Fairness.</b> At most {@code poll.hot-max} links are hot: one that becomes hot takes the place of the quietest. If
 * all have traffic at this moment it waits in a queue, from which each turn looks at a few. The clock is read for every so
 * many looks, wherever they were made, and for every few calls; so links cool, and the kernel's descriptors are served,
 * however busy the others are.
 *
 * <p><b>Threads.</b> One thread at a time has the poller's <em>turn</em>, in {@link #poll}. Others register, change
 * interest, close and wake up at any time: they push the registration on the command stack. A closing thread that finds
 * the turn free carries the commands out itself, so that a closed link's memory is given back at once though nobody
 * polls.
 *
 * <p><b>Its parts.</b> {@link Turn} is what other threads touch, and says how falling asleep and leaving word meet. {@link HotLinks}
 * decides what is looked at, {@link KernelWatch} is the JDK's selector, {@link Members} what happens to a registration, {@link PollClock}
 * when the clock and the kernel are looked at, and {@link WaitPolicy} how long it pays to look. Here it is decided in which order
 * all that is done.
 */
public final class Poller implements AutoCloseable {
    /** Takes what is ready. Called within {@link #poll}, perhaps more than once for a registration. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Takes a ready registration.
         *
         * @param registration which
         * @param ops what it is ready for, never 0
         */
        void ready(Registration registration, int ops);
    }

    private static final Log LOG = Log.of(Poller.class);

    /** How many times a connection may be followed from path to path in one poll. */
    private static final int MOST_MOVES = 4;

    /** How long to wait at most for the inner selector to let go of a cancelled key. */
    private static final long FLUSH_NANOS = 1_000_000_000L;

    /** Nanoseconds that nobody waits for and that still can be added to the clock. */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;

    private static final long MILLI = 1_000_000L;

    /** In place of the time since when no traffic was found: the wait has begun before. */
    private static final long GOES_ON = 0;

    private final PollConfig config;
    private final Turn turn = new Turn();
    private final KernelWatch kernel;
    private final PollClock clock;
    /** Written by the turn's owner. */
    private final PollCounters counters;

    private final HotLinks hot;
    private final Members members;

    // All below: only the owner of the turn.

    private final Reports reports = new Reports();
    private final WaitPolicy policy;
    private final Nap nap = new Nap();

    // What is asked of the policy: branches that were never taken before are taken sooner or later, and then the
    // compiler makes
    // anew what contains them.
    private final OutOfLine.Call deciding = new Deciding();
    private final OutOfLine.Call ending = new Ending();

    /** Whether the poll that is under way is to end at its deadline and not up to a millisecond later. */
    private boolean punctual;
    /** Whether the last poll found traffic at its first look. */
    private boolean found;
    /** Since when no traffic was found, 0 if there was. */
    private long idleSince;
    /** Whether the poll that is under way has looked at the kernel when it let go of cancelled keys. */
    private boolean flushed;

    /**
     * Opens a poller.
     *
     * @param config the wait strategy
     * @throws IOException if the JDK's selector cannot be opened
     */
    public Poller(PollConfig config) throws IOException {
        this.config = config;
        this.kernel = new KernelWatch();
        this.clock = new PollClock(config.kernelInterval());
        this.policy = WaitPolicy.of(config);
        this.counters = new PollCounters();
        this.hot = new HotLinks(config.hotMax(), reports, clock, counters);
        this.members = new Members(kernel, hot, reports);
    }

    /**
     * Begins to wait for something. A poll that is under way need not notice it. A pollable may have one registration with
     * a poller at a time: the JDK's selector has one key for its channel.
     *
     * @param pollable what to wait for
     * @param interest the operations of interest
     * @param attachment anything, handed to the sink with the registration
     * @return the registration
     * @throws ClosedChannelException if it is closed
     */
    public Registration register(Pollable pollable, int interest, Object attachment) throws ClosedChannelException {
        Registration registration = new Registration(this, pollable, interest, attachment);
        if (!pollable.retained(registration)) {
            throw new ClosedChannelException();
        }
        boolean watched = false;
        try {
            watchFirst(registration);
            watched = true;
        } finally {
            registration.begin(watched);
        }
        return registration;
    }

    /**
     * Waits until something is ready, and reports it.
     *
     * @param timeoutNanos how long to wait at most; 0 only looks; negative waits without limit
     * @param into takes what is ready
     * @return how many times the sink was called; 0 after a timeout, a {@link #wakeup()}, or if the thread was interrupted
     * @throws IOException if the JDK's select fails
     */
    public int poll(long timeoutNanos, Sink into) throws IOException {
        return poll(timeoutNanos, into, false);
    }

    /**
     * As {@link #poll}, for a caller that has something to do at the end of the time: the wait ends some microseconds after
     * it, where otherwise it may last a millisecond longer, which is what the JDK's selector counts in. The last part of a
     * millisecond passes in naps of less than 0.1 ms and, at its very end, in looks; what comes in that time is found
     * after a nap at the latest.
     *
     * @param timeoutNanos as of {@link #poll}
     * @param into takes what is ready
     * @return as {@link #poll}
     * @throws IOException if the JDK's select fails
     */
    public int pollPunctually(long timeoutNanos, Sink into) throws IOException {
        return poll(timeoutNanos, into, true);
    }

    /** Long enough (325 bytes of code and more) for the compiler to make it a method of its own, as {@link #await} is. */
    private int poll(long timeoutNanos, Sink into, boolean isPunctual) throws IOException {
        turn.take();
        try {
            reports.begin(into);
            punctual = isPunctual;
            flushed = false;
            if (turn.hasCommands()) {
                runCommands(true);
            }
            if (found) {
                // A sender whose lines nobody looks at for a moment puts more into them.
                for (int i = config.moderation(); i > 0; i--) {
                    Thread.onSpinWait();
                }
            }
            boolean all = timeoutNanos == 0;
            hot.look(all);
            found = reports.hasAny();
            clock.called();
            if (clock.isDue()) {
                tend();
            }
            boolean lookOnly = all || (turn.isAskedToEnd() && !reports.hasAny());
            if (lookOnly) {
                lookEverywhere(all);
            } else if (clock.isKernelDue() && reports.hasAny()) {
                lookAtKernel();
            }
            if (!reports.hasAny() && !lookOnly) {
                long now = clock.read();
                if (idleSince == 0) {
                    idleSince = now | 1;
                }
                await(now + (timeoutNanos < 0 ? FOR_EVER : Math.min(timeoutNanos, FOR_EVER)));
            }
            if (reports.hasAny()) {
                idleSince = 0;
            }
            turn.ends();
            if (kernel.hasCancelled()) {
                letGo();
            }
            return reports.count();
        } finally {
            reports.end();
            leave();
        }
    }

    /**
     * Reports what is ready without waiting, for a caller that polls again and again beside other work. Unlike {@link
     * #poll poll(0)} it leaves the kernel's descriptors aside while there are hot links, as a spin does: they are looked at
     * every {@code poll.kernel-interval} turns.
     *
     * @param into takes what is ready
     * @return how many times the sink was called
     * @throws IOException if the JDK's select fails
     */
    public int glance(Sink into) throws IOException {
        turn.take();
        try {
            reports.begin(into);
            if (turn.hasCommands()) {
                runCommands(true);
            }
            hot.look(false);
            found = reports.hasAny();
            clock.called();
            if (clock.isDue()) {
                tend();
            }
            if (clock.isKernelDue() || !hot.hasAny()) {
                hot.watchForHeat();
                lookAtKernel();
                if (hot.isHeated()) {
                    hot.look(false);
                }
            }
            if (reports.hasAny()) {
                idleSince = 0;
            }
            turn.ends();
            if (kernel.hasCancelled()) {
                letGo();
            }
            return reports.count();
        } finally {
            reports.end();
            leave();
        }
    }

    /** Ends the poll that is under way, or the next one if none is. Any thread. */
    public void wakeup() {
        turn.askToEnd();
        wakeForCommands();
    }

    /** Closes the JDK's selector. All registrations must have been closed, and nobody polls any more. */
    @Override
    public void close() throws IOException {
        turn.take();
        try {
            runCommands(false);
            kernel.close();
            counters.close();
        } finally {
            leave();
        }
    }

    // ---- waiting

    /**
     * Waits until there is something to return for: looks as long as the policy says, then arms everything, looks once more, and sleeps
     * or naps. All that is in one method, which is long enough for the compiler to make it one of its own, once, where it would else
     * be part of all that may wait.
     */
    private void await(long deadline) throws IOException {
        do {
            if (hot.hasAny() && config.spinNanos() > 0) {
                boolean over = false;
                boolean seen = false;
                long since = idleSince;
                try {
                    while (!over && OutOfLine.call(deciding, since) > 0) {
                        since = GOES_ON;
                        if (lookForAMoment()) {
                            seen = reports.hasAny();
                            over = true;
                        } else {
                            tend();
                            over = reports.hasAny();
                            if (!over && clock.now() - deadline >= 0) {
                                if (!punctual) { // who is has something to do now, and polls again after it
                                    lookAtKernel(); // as a select of the JDK's does at its end
                                }
                                over = true;
                            }
                            if (!over
                                    && (!hot.hasAny() || Thread.currentThread().isInterrupted())) {
                                break; // the JDK's select returns at once to one that is interrupted, with what it
                                // finds
                            }
                        }
                    }
                } finally {
                    int unused = OutOfLine.call(ending, seen ? 1 : 0);
                }
                if (over) {
                    return;
                }
            }
            if (hot.hasAny()) {
                hot.coolAll();
            }
            if (reports.hasAny()) {
                return;
            }
            try {
                if (turn.fallAsleep()) {
                    sleep(members.earliest(deadline) - System.nanoTime());
                }
            } finally {
                turn.awake();
            }
            clock.read();
            clock.lookedAtKernel(members.areAllHot());
            members.takeUp();
            if (turn.hasCommands()) {
                runCommands(false);
            }
            if (!kernel.hasCancelled()) {
                members.releaseEnded();
            }
            members.runTimed();
            hot.look(true);
            if (reports.hasAny()) {
                policy.woken(clock.now(), clock.now() - idleSince);
            }
        } while (!reports.hasAny()
                && !turn.isAskedToEnd()
                && kernel.isOpen()
                && !Thread.currentThread().isInterrupted()
                && clock.now() - deadline < 0);
    }

    /** Sleeps in the JDK's select for as long, or naps if that is too short. */
    private void sleep(long nanos) throws IOException {
        if (nanos <= 0) {
            return;
        }
        long millis;
        if (punctual) {
            millis = (nanos - nap.reserve()) / MILLI;
        } else {
            // Up: a sleeper that wakes too early would only sleep again. 0 would mean for ever.
            millis = nanos / MILLI + (nanos % MILLI == 0 ? 0 : 1);
        }
        if (millis <= 0) {
            nap.take(nanos);
            int unused = kernel.select(0);
        } else {
            counters.sleep();
            if (kernel.select(Math.min(millis, Integer.MAX_VALUE)) > 0) {
                counters.wakeup();
            }
        }
    }

    /** What the policy says: more than 0 to look, 0 to sleep. If it is to offer the core to others, that is done, and one look follows. */
    private final class Deciding implements OutOfLine.Call {
        @Override
        public int call(long since) {
            long now = clock.now();
            if (since != GOES_ON) {
                policy.begin(now, since);
            }
            WaitPolicy.Step step = policy.next(now);
            if (step == WaitPolicy.Step.YIELD) {
                long from = System.nanoTime();
                Thread.yield();
                policy.yielded(from, clock.read());
                clock.hasten();
            }
            return step == WaitPolicy.Step.SLEEP ? 0 : 1;
        }
    }

    /** Tells the policy that it need not look any more, and whether what was looked for was found. */
    private final class Ending implements OutOfLine.Call {
        @Override
        public int call(long seen) {
            if (seen > 0) {
                policy.found();
            }
            policy.end();
            return 0;
        }
    }

    /** Looks until there is something to return for (true), or the clock is to be read (false). */
    private boolean lookForAMoment() throws IOException {
        while (true) {
            hot.look(false);
            if (reports.hasAny() || turn.isAskedToEnd()) {
                return true;
            }
            if (turn.hasCommands()) {
                runCommands(false);
            } else if (clock.passKernel()) {
                lookAtKernel();
                if (reports.hasAny()) {
                    return true;
                }
            }
            if (clock.isDue()) {
                return false;
            }
            Thread.onSpinWait();
        }
    }

    // ---- looking

    /** Reads the clock, and does what is to be done from time to time. */
    private void tend() throws IOException {
        clock.tick(members.areAllHot());
        hot.coolIdle(policy.patience());
    }

    private void lookAtKernel() throws IOException {
        clock.lookedAtKernel(members.areAllHot());
        lookAtSelector();
        members.releaseEnded();
        members.runTimed();
        if (turn.hasCommands()) {
            runCommands(false);
        }
    }

    private void lookAtSelector() throws IOException {
        int unused = kernel.select(0);
        members.takeUp();
    }

    /**
     * Looks at the kernel, and at the links if there is reason to, after a look at these; nobody may ask a second time. A connection that a
     * look finds to have moved is looked at where it is now, which may happen to it more than once.
     *
     * @param lookedAtAll whether resting links were looked at as well
     */
    private void lookEverywhere(boolean lookedAtAll) throws IOException {
        boolean all = lookedAtAll;
        for (int moves = 0; moves < MOST_MOVES; moves++) {
            hot.watchForHeat();
            if (turn.hasCommands()) {
                runCommands(true); // before the kernel is asked: it is to watch what has moved there
                flushed = false;
            }
            if (flushed && all) {
                members.runTimed(); // what the kernel had to tell was told before the links were looked at
            } else {
                lookAtKernel();
            }
            if (hot.isHeated() || !all) {
                hot.look(true); // a doorbell rang, or resting ones were passed over
            }
            all = true;
            flushed = false;
            if (reports.hasAny() || !turn.hasCommands()) {
                return;
            }
        }
    }

    // ---- commands

    void push(Registration registration) {
        turn.push(registration);
    }

    void wakeForCommands() {
        if (turn.isAsleep()) {
            kernel.wakeup();
        }
    }

    void runCommandsSoon() {
        if (turn.isAsleep()) {
            kernel.wakeup();
            return;
        }
        if (turn.tryTake()) {
            try {
                runCommands(false);
            } finally {
                leave();
            }
        }
        // Else the turn's owner finds the command before it sleeps or when it leaves.
    }

    /**
     * Does what registrations ask for.
     *
     * @param mayWait whether the JDK's selector lets go of cancelled keys later in this poll: a select of its own for that is a system call
     *     for each connection that is closed
     */
    private void runCommands(boolean mayWait) {
        RuntimeException failure = null;
        Registration registration = turn.takeCommands();
        while (registration != null) {
            Registration following = registration.next; // once pending is taken it may be pushed anew
            registration.next = null;
            int what = registration.takePending();
            if (!registration.closed) {
                try {
                    if ((what & Registration.CLOSE) != 0) {
                        members.end(registration);
                    } else {
                        members.refresh(registration);
                    }
                } catch (RuntimeException e) {
                    failure = e; // thrown below: the others' commands are in nobody's hands but ours
                }
            }
            registration = following;
        }
        if (!kernel.hasCancelled()) {
            members.releaseEnded();
        } else if (kernel.isUrgent() || !mayWait) {
            letGo();
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The JDK closes the descriptor of a cancelled key's channel only after its selector let go of it, which a select begins with. */
    private void letGo() {
        kernel.forgetCancelled();
        if (kernel.isOpen()) {
            flushed = true;
            try {
                lookAtSelector();
            } catch (IOException e) {
                LOG.get().log(Level.WARNING, "the JDK's selector failed to let go of closed channels", e);
            }
        }
        members.releaseEnded();
    }

    /** Waits if the inner selector has not yet let go of the key of an earlier registration of the same channel. */
    private void watchFirst(Registration registration) throws ClosedChannelException {
        long since = 0; // read when it is needed: most find no key
        while (true) {
            try {
                kernel.watch(registration);
                return;
            } catch (CancelledKeyException e) {
                since = since == 0 ? System.nanoTime() | 1 : since;
                if (System.nanoTime() - since > FLUSH_NANOS) {
                    throw e; // the turn is our own caller's, who must let us return first
                }
                flushSoon();
                Thread.yield();
            }
        }
    }

    private void flushSoon() {
        if (turn.isAsleep()) {
            kernel.wakeup();
        } else if (turn.tryTake()) {
            try {
                kernel.hurry();
                runCommands(false);
            } finally {
                leave();
            }
        }
    }

    /** Leaves the turn. */
    private void leave() {
        turn.free();
        // A command left meanwhile was left to us: its thread found the turn taken.
        while (turn.hasCommands() && turn.tryTake()) {
            try {
                runCommands(false);
            } finally {
                turn.free();
            }
        }
    }
}
