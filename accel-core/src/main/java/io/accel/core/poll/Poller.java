// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import io.accel.core.jdk.CarrierTurn;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.observe.PollCounters;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.util.function.Supplier;

/**
 * Waits for accelerated links and kernel descriptors alike.
 *
 * <p>Links with traffic are <em>hot</em>: each turn looks at their memory, without a system call. A link that has been
 * quiet for {@code poll.spin} is armed, looked at once more, and <em>cold</em>: it costs nothing until its doorbell, a
 * descriptor in the JDK's own selector, rings. A poller without a hot link sleeps in that selector. So a turn costs O(active
 * links), and an idle poller costs nothing.
 *
 * <p><b>Fairness.</b> At most {@code poll.hot-max} links are hot: a link that becomes hot takes the place of the
 * quietest. If all have traffic at this moment it waits in a queue, from which each turn looks at a few. The clock is
 * read after a fixed number of looks, wherever they were made, and after a few calls; so links cool, and the kernel's
 * descriptors are served, however busy the others are.
 *
 * <p><b>Threads.</b> One thread at a time has the poller's <em>turn</em>, in {@link #poll}. Others register, change
 * interest, close and wake up at any time: they push the registration on the command stack. A closing thread that finds
 * the turn free carries the commands out itself, so that a closed link's memory is given back at once though nobody
 * polls.
 *
 * <p><b>Its parts.</b> {@link Turn} holds all that other threads touch, and defines how falling asleep and leaving
 * word meet. {@link HotLinks} decides which links are looked at, {@link KernelWatch} is the JDK's selector, {@link
 * Members} handles the changes of a registration, {@link PollClock} decides when the clock is read and the kernel is
 * looked at, and {@link WaitPolicy} how long it pays to look. This class decides on the order of all that.
 */
public final class Poller implements AutoCloseable {
    /** Takes ready registrations. It is called within {@link #poll}, perhaps more than once for a registration. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Takes a ready registration.
         *
         * @param registration the registration
         * @param ops the operations that it is ready for, never 0
         */
        void ready(Registration registration, int ops);
    }

    private static final Log LOG = Log.of(Poller.class);

    /** How many times a connection may be followed from path to path in one poll. */
    private static final int MOST_MOVES = 4;

    /** How long to wait at most for the inner selector to let go of a cancelled key. */
    private static final long FLUSH_NANOS = 1_000_000_000L;

    /** A wait without a limit, which can still be added to the clock. */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;
    /** A longer sleep is one without a limit, for which the kernel sets no timer. */
    private static final long NO_TIMER = FOR_EVER / 2;

    private static final long MILLI = 1_000_000L;

    /** This value stands for the time since when no traffic was found, in a wait that began before. */
    private static final long GOES_ON = 0;

    private final Supplier<PollConfig> configured;
    private final Turn turn = new Turn();
    private final KernelWatch kernel;
    private final PollClock clock;
    /** Written by the turn's owner. */
    private final PollCounters counters;

    private final Failures failures;
    private final HotLinks hot;
    private final Members members;

    // Only the owner of the turn uses the fields below.

    private final Reports reports = new Reports();
    /** Null as long as everything was cold: its making asks the kernel for the processors that this process has. */
    private WaitPolicy policy;
    /** The turn of a virtual thread that polls; made together with the policy. */
    private CarrierTurn carrier;
    /** The wait strategy; asked for together with the policy. */
    private PollConfig config;

    private Nap nap;

    // The questions to the policy, made together with it: a branch that was never taken is taken sooner or later, and
    // then the compiler compiles anew the code that contains it.
    private OutOfLine.Call deciding;
    private OutOfLine.Call ending;
    private final OutOfLine.Call sleeping = new Sleeping();

    /** Whether the poll under way must end at its deadline and not up to a millisecond later. */
    private boolean punctual;
    /** Whether the last poll found traffic at its first look. */
    private boolean found;
    /** The time since when no traffic was found, 0 if the last look found some. */
    private long idleSince;
    /** Whether the poll under way has looked at the kernel when it let go of cancelled keys. */
    private boolean flushed;

    /**
     * Opens a poller.
     *
     * @param config the wait strategy
     * @throws IOException if the JDK's selector cannot be opened
     */
    public Poller(PollConfig config) throws IOException {
        this(new Configured(config));
    }

    /**
     * Opens a poller.
     *
     * @param configured gives the wait strategy; asked as soon as there is a link to wait for, and always answers the same
     * @throws IOException if the JDK's selector cannot be opened
     */
    public Poller(Supplier<PollConfig> configured) throws IOException {
        this.configured = configured;
        this.kernel = new KernelWatch();
        this.clock = new PollClock();
        this.counters = new PollCounters();
        this.failures = new Failures(kernel, turn);
        this.hot = new HotLinks(configured, reports, clock, counters, failures);
        this.members = new Members(kernel, hot, reports, failures);
    }

    private record Configured(PollConfig config) implements Supplier<PollConfig> {
        @Override
        public PollConfig get() {
            return config;
        }
    }

    /**
     * Begins to wait for a pollable. A poll that is under way need not notice it. A pollable may have one
     * registration with a poller at a time: the JDK's selector has one key for its channel.
     *
     * @param pollable the pollable to wait for
     * @param interest the operations of interest
     * @param attachment anything, handed to the sink with the registration
     * @return the registration
     * @throws ClosedChannelException if the pollable is closed
     */
    public Registration register(Pollable pollable, int interest, Object attachment) throws ClosedChannelException {
        Registration registration = new Registration(this, pollable, interest, attachment);
        if (!pollable.retained(registration)) {
            throw new ClosedChannelException();
        }
        boolean watched = false;
        try {
            members.begin(registration);
            watchFirst(registration);
            watched = true;
        } finally {
            registration.begin(watched);
        }
        return registration;
    }

    /**
     * Waits until a registration is ready, and reports it.
     *
     * @param timeoutNanos how long to wait at most; 0 only looks; negative waits without limit
     * @param into takes ready registrations
     * @return how many times the sink was called; 0 after a timeout, a {@link #wakeup()}, or if the thread was interrupted
     * @throws IOException if the JDK's select fails
     */
    public int poll(long timeoutNanos, Sink into) throws IOException {
        return poll(timeoutNanos, into, false);
    }

    /**
     * As {@link #poll}, for a caller that has work to do at the end of the time: the wait ends some microseconds
     * after it, where otherwise it may last a millisecond longer, since the JDK's selector counts in milliseconds.
     * The last part of a millisecond passes in naps of less than 0.1 ms and, at its very end, in looks; traffic in
     * that time is found after a nap at the latest.
     *
     * @param timeoutNanos as in {@link #poll}
     * @param into takes ready registrations
     * @return as {@link #poll}
     * @throws IOException if the JDK's select fails
     */
    public int pollPunctually(long timeoutNanos, Sink into) throws IOException {
        return poll(timeoutNanos, into, true);
    }

    /**
     * This is long enough (325 bytes of code and more) for the compiler to compile it as a method of its own, as
     * {@link #await} is.
     */
    private int poll(long timeoutNanos, Sink into, boolean isPunctual) throws IOException {
        turn.take();
        try {
            reports.begin(into);
            punctual = isPunctual && !VirtualThreads.isCurrent(); // which neither naps nor looks while it waits
            flushed = false;
            if (failures.hasRetries()) {
                failures.retryAll();
            }
            if (turn.hasCommands()) {
                runCommands(true);
            }
            long left = timeoutNanos;
            if (!hot.hasAny() && !isPunctual && !members.hasTimed() && !failures.hasRetries()) {
                left = selectAlone(timeoutNanos);
                if (reports.hasAny() || (left == 0 && !hot.hasAny() && !turn.hasCommands())) {
                    return end();
                }
            }
            becomeWarm();
            if (left != 0) {
                carrier.next();
            }
            if (found && config.moderation() > 0 && !VirtualThreads.isCurrent()) {
                // A sender puts more into lines that nobody looks at for a moment.
                for (int i = config.moderation(); i > 0; i--) {
                    Thread.onSpinWait();
                }
            }
            boolean all = left == 0;
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
                await(now + (left < 0 ? FOR_EVER : Math.min(left, FOR_EVER)));
            }
            return end();
        } catch (InternalError e) {
            return strayFault(e);
        } finally {
            reports.end();
            leave();
        }
    }

    /**
     * Reports ready registrations without waiting, for a caller that polls again and again beside other work. Unlike
     * {@link #poll poll(0)} it leaves the kernel's descriptors aside while there are hot links, as a spin does: it
     * looks at them every {@code poll.kernel-interval} turns.
     *
     * @param into takes ready registrations
     * @return how many times the sink was called
     * @throws IOException if the JDK's select fails
     */
    public int glance(Sink into) throws IOException {
        turn.take();
        try {
            becomeWarm();
            reports.begin(into);
            if (failures.hasRetries()) {
                failures.retryAll();
            }
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
            return end();
        } catch (InternalError e) {
            return strayFault(e);
        } finally {
            reports.end();
            leave();
        }
    }

    /**
     * Sleeps in the JDK's selector, or looks there, once and as a program would without Accel. Everything is cold: whatever comes, comes from
     * there.
     *
     * @param timeoutNanos as in {@link #poll}
     * @return how much of it is left, if nothing was found; 0 if the poll was asked to end
     */
    private long selectAlone(long timeoutNanos) throws IOException {
        long end = timeoutNanos > 0 ? System.nanoTime() + Math.min(timeoutNanos, FOR_EVER) : 0;
        try {
            if (timeoutNanos != 0 && turn.fallAsleep()) {
                int unused = OutOfLine.call(sleeping, timeoutNanos < 0 ? FOR_EVER : timeoutNanos);
            } else {
                int unused = kernel.select(0); // a poll that was asked to end tells what is there, too
            }
        } finally {
            turn.awake();
        }
        takeUp();
        if (turn.isAskedToEnd()) {
            return 0;
        }
        return timeoutNanos <= 0 || reports.hasAny() ? timeoutNanos : Math.max(0, end - System.nanoTime());
    }

    private void becomeWarm() {
        if (policy == null) {
            config = configured.get();
            clock.begin(config.kernelInterval());
            carrier = new CarrierTurn();
            nap = new Nap();
            deciding = new Deciding();
            ending = new Ending();
            policy = WaitPolicy.of(config);
        }
    }

    /** Ends a poll or a glance, and returns its result. */
    private int end() {
        if (reports.hasAny()) {
            idleSince = 0;
        }
        turn.ends();
        if (kernel.hasCancelled()) {
            letGo();
        }
        if (failures.hasUnmet()) {
            failures.throwUnmet();
        }
        return reports.count();
    }

    /** The result of a poll in which the JVM has reported a fault of memory where no pollable was at work. */
    private int strayFault(InternalError e) {
        if (!failures.metStray(e)) {
            throw e;
        }
        return reports.count();
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
        } finally {
            try {
                kernel.close();
            } finally {
                counters.close();
                leave();
            }
        }
    }

    // ---- waiting

    /**
     * Waits until there is something to return for: looks as long as the policy says, then arms everything, looks
     * once more, and sleeps or naps. A virtual thread sleeps at once: as long as it looks, no other has its carrier. All that is in one method, which is long enough for the compiler to compile it
     * once, on its own, where it would otherwise be part of every method that may wait.
     */
    private void await(long deadline) throws IOException {
        do {
            if (hot.hasAny() && config.spinNanos() > 0 && !VirtualThreads.isCurrent()) {
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
                                if (!punctual) { // a punctual caller has work to do now, and polls again after it
                                    lookAtKernel(); // as a JDK select does at its end
                                }
                                over = true;
                            }
                            if (!over
                                    && (!hot.hasAny() || Thread.currentThread().isInterrupted())) {
                                break; // the JDK's select returns at once to an interrupted thread, with the keys that
                                // it
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
                    int unused = OutOfLine.call(sleeping, members.earliest(deadline) - System.nanoTime());
                }
            } finally {
                turn.awake();
            }
            carrier.waited();
            clock.read();
            clock.lookedAtKernel(members.areAllHot());
            takeUp();
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

    /** Takes up what a sleep has found, and the commands that came meanwhile. */
    private void takeUp() throws IOException {
        members.takeUp();
        if (turn.hasCommands()) {
            runCommands(false);
        }
        if (!kernel.hasCancelled()) {
            members.releaseEnded();
        }
    }

    /** Sleeps in the JDK's select for so many nanoseconds, or naps if the time is too short. */
    private final class Sleeping implements OutOfLine.Call {
        @Override
        public int call(long nanos) throws IOException {
            if (nanos <= 0) {
                return 0;
            }
            // The time is rounded up: a sleeper that wakes too early would only sleep again. 0 would mean for ever.
            long millis = punctual ? (nanos - nap.reserve()) / MILLI : nanos / MILLI + (nanos % MILLI == 0 ? 0 : 1);
            if (millis <= 0) {
                nap.take(nanos);
                return kernel.select(0);
            }
            counters.sleep();
            int found = kernel.select(nanos > NO_TIMER ? KernelWatch.NO_LIMIT : Math.min(millis, Integer.MAX_VALUE));
            if (found > 0) {
                counters.wakeup();
            }
            return found;
        }
    }

    /**
     * Asks the policy: more than 0 means to look, 0 to sleep. If the policy has the core offered to others, that is
     * done here, and one look follows.
     */
    private final class Deciding implements OutOfLine.Call {
        @Override
        public int call(long since) {
            long now = clock.now();
            if (since != GOES_ON) {
                policy.begin(now, since, hot.hasRemote());
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

    /** Tells the policy that the looking is over, and whether it found something. */
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

    /** Looks until there is something to return for (true), or the clock must be read (false). */
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

    /** Reads the clock, and does the periodic work. */
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
     * Looks at the kernel, and at the links if there is reason to, after a look at the links; nobody may have to ask
     * a second time. When a look finds that a connection has moved, the new path is looked at, perhaps more than once
     * in a row.
     *
     * @param lookedAtAll whether resting links were looked at as well
     */
    private void lookEverywhere(boolean lookedAtAll) throws IOException {
        boolean all = lookedAtAll;
        for (int moves = 0; moves < MOST_MOVES; moves++) {
            hot.watchForHeat();
            if (turn.hasCommands()) {
                runCommands(true); // before the kernel is asked: it must watch the connections that have moved there
                flushed = false;
            }
            if (flushed && all) {
                members.runTimed(); // the kernel's reports were passed on before the links were looked at
            } else {
                lookAtKernel();
            }
            if (hot.isHeated() || !all) {
                hot.look(true); // a doorbell rang, or resting links were passed over
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
        // Otherwise the turn's owner finds the command before it sleeps or when it leaves.
    }

    /**
     * Carries out the registrations' commands.
     *
     * @param mayWait whether the JDK's selector lets go of cancelled keys later in this poll: a select for that alone
     * is a system call for each connection that is closed
     */
    private void runCommands(boolean mayWait) {
        Registration left = turn.takeCommands();
        try {
            while (left != null) {
                Registration registration = left;
                left = registration.next; // read first: once pending is taken the registration may be pushed anew
                registration.next = null;
                carryOut(registration);
            }
        } finally {
            if (left != null) {
                turn.putBack(left); // nobody else carries out the others' commands
            }
        }
        if (!kernel.hasCancelled()) {
            members.releaseEnded();
        } else if (kernel.isUrgent() || !mayWait) {
            letGo();
        }
    }

    /** Carries out the commands of a registration that is in no stack. */
    private void carryOut(Registration registration) {
        boolean taken = false;
        int what = 0;
        boolean done = false;
        try {
            what = registration.takePending();
            taken = true;
            if (registration.closed) {
                done = true;
                return;
            }
            try {
                if ((what & Registration.CLOSE) != 0) {
                    members.end(registration);
                } else {
                    if ((what & Registration.REFRESH) != 0) {
                        members.refresh(registration);
                    }
                    if ((what & Registration.RING) != 0) {
                        members.rung(registration);
                    }
                }
            } catch (RuntimeException | Error e) {
                members.failed(registration, e);
            }
            done = true;
        } finally {
            if (!done) { // a stack that is too deep even for that, or a thread that was stopped: the next turn carries
                // them out
                if (taken) {
                    registration.putBack(what);
                } else {
                    registration.putBackWhole();
                }
            }
        }
    }

    /**
     * Lets the selector let go of cancelled keys, which a select begins with: the JDK closes the descriptor of such a
     * key's channel only afterwards.
     */
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

    /**
     * Watches a new registration. It waits if the inner selector has not yet let go of the key of an earlier
     * registration of the same channel.
     */
    private void watchFirst(Registration registration) throws ClosedChannelException {
        long since = 0; // read when it is needed: most registrations find no key
        while (true) {
            try {
                kernel.watch(registration);
                return;
            } catch (CancelledKeyException e) {
                since = since == 0 ? System.nanoTime() | 1 : since;
                if (System.nanoTime() - since > FLUSH_NANOS) {
                    throw e; // our own caller owns the turn, and we must return to it first
                }
                flushSoon();
                if (!VirtualThreads.parkBriefly()) {
                    Thread.yield();
                }
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
        // A command that was left meanwhile is ours to carry out: its thread found the turn taken.
        while (turn.hasCommands() && turn.tryTake()) {
            try {
                runCommands(false);
            } finally {
                turn.free();
            }
        }
    }
}
