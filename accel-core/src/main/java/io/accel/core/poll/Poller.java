package io.accel.core.poll;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.PollCounters;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

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
 * <p><b>Falling asleep</b> is a Dekker handshake: the poller sets {@code blocked} and looks at the command stack and the
 * wake-up flag; who leaves word pushes and looks at {@code blocked}. All four are volatile accesses.
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
    /** Looks between two readings of the clock. */
    private static final int CLOCK_LOOKS = 256;
    /** What a turn counts for, beside the looks in it, towards the next reading of the clock. */
    private static final int TURN_LOOKS = 3;
    /** What a call of poll counts for, in spinning turns, towards the next look at the kernel and at the clock. */
    private static final int CALL_TURNS = 16;
    /** What a turn of {@code poll.kernel-interval} stands for in time, where turns take longer. */
    private static final long TURN_NANOS = 50;
    /** Up to how many resting links are looked at in each turn. Of more it is one a turn: each look is some cache lines. */
    private static final int FEW_RESTING = 4;
    /** How many of those without a place in the hot set a turn looks at. */
    private static final int QUEUED_AT_ONCE = 64;
    /** How many hot links are asked at each reading of the clock how long they have been idle. */
    private static final int ASKED_AT_ONCE = 4;
    /** After how long without traffic a link rests. */
    private static final long REST_NANOS = 20_000;
    /** How many times less often the kernel is looked at if it can only report the death of hot links. */
    private static final int ONLY_HOT = 16;

    /** How many times a connection may be followed from path to path in one poll. */
    private static final int MOST_MOVES = 4;

    /** How long to wait at most for the inner selector to let go of a cancelled key. */
    private static final long FLUSH_NANOS = 1_000_000_000L;

    /** Nanoseconds that nobody waits for and that still can be added to the clock. */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;

    private static final long MILLI = 1_000_000L;

    private static final VarHandle TURN;
    private static final VarHandle COMMANDS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TURN = lookup.findVarHandle(Poller.class, "turn", int.class).withInvokeExactBehavior();
            COMMANDS = lookup.findVarHandle(Poller.class, "commands", Registration.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PollConfig config;
    private final Selector inner;
    /** The parts of a sleep, each of which is a method that the compiler makes for itself: {@link OutOfLine}. */
    private final OutOfLine.Call cooling = unused -> coolAll();

    private final OutOfLine.Call selecting;
    private final OutOfLine.Call takingUp = unused -> takeUpEvents();

    private final WaitPolicy policy;
    /** Written by the turn's owner. */
    private final PollCounters counters;

    /** 1 while a thread has the turn. */
    @SuppressWarnings("unused") // through TURN
    private volatile int turn;

    /** Treiber stack, pushed by any thread, taken whole by the turn's owner. */
    private volatile Registration commands;

    /** Whether the turn's owner sleeps, or is about to sleep, in the JDK's select. Written by the turn's owner. */
    private volatile boolean blocked;

    /** Set by {@link #wakeup()}, cleared by the turn's owner. */
    private volatile boolean wakeup;

    // All below: only the owner of the turn.

    private final KernelEvents events = new KernelEvents();
    private final HotSet hot;
    /** Those that are to be looked at but have no place in the hot set, and some that were ended or found one meanwhile. */
    private final ArrayDeque<Registration> queue = new ArrayDeque<>();

    private final List<Registration> timed = new ArrayList<>();
    /** Ended in this run of the commands, to be released at its end. */
    private final List<Registration> ended = new ArrayList<>();

    private Sink sink;
    /** Whether the poll that is under way is to end at its deadline and not up to a millisecond later. */
    private boolean punctual;

    private final Nap nap = new Nap();
    private int reported;
    /** Whether the last poll found traffic at its first look. */
    private boolean found;

    private int kernelCountdown;
    private int clockCountdown = CLOCK_LOOKS;
    /** When the clock was last read. */
    private long clock = System.nanoTime();
    /** The last reading of the clock before the kernel was last looked at. */
    private long kernelAt = clock;
    /** Looks at the busy links, so far. */
    private long turns;
    /** Registrations, hot or not. */
    private int registered;
    /** Since when no traffic was found, 0 if there was. */
    private long idleSince;
    /** Whether a registration, hot before or not, was to be looked at since this was last cleared. */
    private boolean heated;
    /** Whether a key of the inner selector was cancelled and waits there for its removal, which each select begins with. */
    private boolean flush;
    /** Whether that cannot wait for a select that may sleep: more than what the kernel carries hangs on it. */
    private boolean urgent;
    /** Whether the poll that is under way has looked at the kernel when it let go of such keys. */
    private boolean flushed;

    /**
     * Opens a poller.
     *
     * @param config the wait strategy
     * @throws IOException if the JDK's selector cannot be opened
     */
    public Poller(PollConfig config) throws IOException {
        this.config = config;
        Selector opened = JdkAccess.kernelProvider().openSelector();
        this.inner = opened;
        this.selecting = millis -> millis == 0 ? opened.selectNow(events) : opened.select(events, millis);
        this.hot = new HotSet(config.hotMax());
        this.policy = WaitPolicy.of(config);
        this.kernelCountdown = config.kernelInterval();
        this.counters = new PollCounters();
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

    private int poll(long timeoutNanos, Sink into, boolean isPunctual) throws IOException {
        enter();
        try {
            sink = into;
            punctual = isPunctual;
            reported = 0;
            flushed = false;
            if (commands != null) {
                runCommands(true);
            }
            if (found) {
                // A sender whose lines nobody looks at for a moment puts more into them.
                for (int i = config.moderation(); i > 0; i--) {
                    Thread.onSpinWait();
                }
            }
            boolean all = timeoutNanos == 0;
            look(all);
            found = reported > 0;
            countCall();
            boolean lookOnly = all || (wakeup && reported == 0);
            if (lookOnly) {
                lookEverywhere(all);
            } else if (kernelCountdown <= 0 && reported > 0) {
                lookAtKernel();
            }
            if (reported > 0) {
                idleSince = 0;
            } else if (!lookOnly) {
                clock = System.nanoTime();
                long deadline = clock + (timeoutNanos < 0 ? FOR_EVER : Math.min(timeoutNanos, FOR_EVER));
                if (idleSince == 0) {
                    idleSince = clock | 1;
                }
                do {
                    if (isHot() && config.spinNanos() > 0 && !spin(deadline)) {
                        break;
                    }
                } while (sleep(deadline));
                if (reported > 0) {
                    idleSince = 0;
                }
            }
            if (wakeup) {
                wakeup = false;
            }
            if (flush) {
                letGo();
            }
            return reported;
        } finally {
            sink = null;
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
        enter();
        try {
            sink = into;
            reported = 0;
            if (commands != null) {
                runCommands(true);
            }
            look(false);
            found = reported > 0;
            countCall();
            if (kernelCountdown <= 0 || !isHot()) {
                heated = false;
                lookAtKernel();
                if (heated) {
                    look(false);
                }
            }
            if (reported > 0) {
                idleSince = 0;
            }
            wakeup = false;
            if (flush) {
                letGo();
            }
            return reported;
        } finally {
            sink = null;
            leave();
        }
    }

    /** Ends the poll that is under way, or the next one if none is. Any thread. */
    public void wakeup() {
        wakeup = true;
        if (blocked) {
            inner.wakeup();
        }
    }

    /** Closes the JDK's selector. All registrations must have been closed, and nobody polls any more. */
    @Override
    public void close() throws IOException {
        enter();
        try {
            runCommands(false);
            inner.close();
            counters.close();
        } finally {
            leave();
        }
    }

    // ---- waiting

    /** Looks until there is something to return for (false), or it is time to sleep (true). */
    private boolean spin(long deadline) throws IOException {
        policy.begin(clock, idleSince);
        try {
            while (true) {
                WaitPolicy.Step step = policy.next(clock);
                if (step == WaitPolicy.Step.SLEEP) {
                    return true;
                }
                if (step == WaitPolicy.Step.YIELD) {
                    giveWay();
                }
                if (lookForAMoment()) {
                    if (reported > 0) {
                        policy.found();
                    }
                    return false;
                }
                tend();
                if (reported > 0) {
                    return false;
                }
                if (clock - deadline >= 0) {
                    if (!punctual) { // who is has something to do now, and polls again after it
                        lookAtKernel(); // as a select of the JDK's does at its end
                    }
                    return false;
                }
                if (!isHot() || Thread.currentThread().isInterrupted()) {
                    return true; // the JDK's select returns at once to one that is interrupted, with what it finds
                }
            }
        } finally {
            policy.end();
        }
    }

    /** Offers the core to other threads; one look follows. */
    private void giveWay() {
        long from = System.nanoTime();
        Thread.yield();
        clock = System.nanoTime();
        policy.yielded(from, clock);
        clockCountdown = 0;
    }

    /** Looks until there is something to return for (true), or the clock is to be read (false). */
    private boolean lookForAMoment() throws IOException {
        while (true) {
            look(false);
            if (reported > 0 || wakeup) {
                return true;
            }
            if (commands != null) {
                runCommands(false);
            } else if (--kernelCountdown <= 0) {
                lookAtKernel();
                if (reported > 0) {
                    return true;
                }
            }
            if (clockCountdown <= 0) {
                return false;
            }
            Thread.onSpinWait();
        }
    }

    /**
     * Arms everything, looks once more, sleeps, or naps. Returns whether to go on waiting. Like {@link #poll(long, Sink, boolean)} it
     * is long enough (325 bytes of code and more) for the compiler to make it a method of its own.
     */
    private boolean sleep(long deadline) throws IOException {
        if (isHot()) {
            int unused = OutOfLine.call(cooling, 0);
        }
        if (reported > 0) {
            return false;
        }
        blocked = true;
        try {
            if (commands == null && !wakeup) {
                long now = System.nanoTime();
                long until = earliest(deadline);
                long nanos = until - now;
                if (nanos > 0) {
                    flush = false; // before: what is cancelled meanwhile is not yet let go of
                    urgent = false;
                    long millis;
                    if (punctual) {
                        millis = (nanos - nap.reserve()) / MILLI;
                    } else {
                        // Up: a sleeper that wakes too early would only sleep again. 0 would mean for ever.
                        millis = nanos / MILLI + (nanos % MILLI == 0 ? 0 : 1);
                    }
                    if (millis <= 0) {
                        nap.take(nanos);
                        int unused = OutOfLine.call(selecting, 0);
                    } else {
                        counters.sleep();
                        if (OutOfLine.call(selecting, Math.min(millis, Integer.MAX_VALUE)) > 0) {
                            counters.wakeup();
                        }
                    }
                }
            }
        } finally {
            blocked = false;
        }
        clock = System.nanoTime();
        kernelAt = clock;
        kernelCountdown = kernelInterval();
        takeUp();
        if (commands != null) {
            runCommands(false);
        }
        if (!flush) {
            releaseEnded();
        }
        runTimed();
        look(true);
        if (reported > 0) {
            policy.woken(clock, clock - idleSince);
        }
        return reported == 0
                && !wakeup
                && inner.isOpen()
                && !Thread.currentThread().isInterrupted()
                && clock - deadline < 0;
    }

    // ---- looking

    private boolean isHot() {
        return hot.size() > 0 || !queue.isEmpty();
    }

    /** Looks at the busy links, and at some or all of the resting and the queued ones. */
    private void look(boolean all) {
        int before = reported;
        turns++;
        int looks = hot.busy();
        for (int i = 0; i < looks; i++) {
            lookAt(hot.get(i));
        }
        int resting = hot.size() - looks;
        if (all || resting <= FEW_RESTING) {
            lookAtAllResting();
            looks += resting;
        } else {
            lookAtNextResting();
            looks++;
        }
        if (!queue.isEmpty()) {
            int most = all ? queue.size() : Math.min(queue.size(), QUEUED_AT_ONCE);
            looks += most;
            coolQueued(most);
        }
        clockCountdown -= looks + TURN_LOOKS;
        counters.turn(reported != before);
    }

    private void lookAtAllResting() {
        for (int i = hot.busy(); i < hot.size(); i++) {
            Registration registration = hot.get(i);
            if (lookAt(registration)) {
                hot.wake(registration); // one that was looked at takes its place
            }
        }
    }

    private void lookAtNextResting() {
        Registration registration = hot.get(hot.nextResting());
        if (lookAt(registration)) {
            hot.wake(registration);
        }
    }

    private boolean lookAt(Registration registration) {
        int ops = registration.pollable.look(registration.interest());
        if (ops == 0) {
            return false;
        }
        found(registration, ops);
        return true;
    }

    private void found(Registration registration, int ops) {
        registration.idleSince = 0;
        registration.foundAt = turns;
        report(registration, ops);
    }

    /** A call of poll or glance: what the program did before it may have taken any time. */
    private void countCall() {
        kernelCountdown -= CALL_TURNS;
        clockCountdown -= CALL_TURNS * TURN_LOOKS;
        if (clockCountdown <= 0) {
            tend();
        }
    }

    /** Reads the clock, and does what is to be done from time to time. */
    private void tend() {
        long now = System.nanoTime();
        long interval = kernelInterval() * TURN_NANOS;
        // Where little is done in much time, the clock is read at each turn, lest the kernel has to wait for many of
        // them.
        clockCountdown = now - clock > interval / 2 ? 1 : CLOCK_LOOKS;
        clock = now;
        if (now - kernelAt >= interval) {
            kernelCountdown = 0;
        }
        for (int i = 0; i < ASKED_AT_ONCE; i++) {
            coolIdle(now);
        }
    }

    private void lookAtKernel() throws IOException {
        kernelCountdown = kernelInterval();
        kernelAt = clock;
        flush = false;
        urgent = false;
        lookAtSelector();
        releaseEnded();
        if (!timed.isEmpty()) {
            runTimed();
        }
        if (commands != null) {
            runCommands(false);
        }
    }

    private int kernelInterval() {
        // With hot links alone the kernel has nothing to tell but that a peer has died.
        return registered > hot.size() ? config.kernelInterval() : config.kernelInterval() * ONLY_HOT;
    }

    /** What the JDK's selector has found. Before anything is released: of what has ended nothing is touched. */
    private int takeUpEvents() {
        for (SelectionKey key = events.next(); key != null; key = events.next()) {
            kernelReady(key);
        }
        return 0;
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
            heated = false;
            if (commands != null) {
                runCommands(true); // before the kernel is asked: it is to watch what has moved there
                flushed = false;
            }
            if (flushed && all) {
                runTimed(); // what the kernel had to tell was told before the links were looked at
            } else {
                lookAtKernel();
            }
            if (heated || !all) {
                look(true); // a doorbell rang, or resting ones were passed over
            }
            all = true;
            flushed = false;
            if (reported > 0 || commands == null) {
                return;
            }
        }
    }

    private void takeUp() throws IOException {
        if (events.hasAny()) {
            int unused = OutOfLine.call(takingUp, 0);
        }
    }

    private void lookAtSelector() throws IOException {
        int unused = OutOfLine.call(selecting, 0);
        takeUp();
    }

    private void kernelReady(SelectionKey key) {
        Registration registration = (Registration) key.attachment();
        if (registration.closed) {
            return;
        }
        int ops;
        try {
            ops = key.readyOps();
        } catch (CancelledKeyException e) {
            return; // closed by another thread just now; its registration follows
        }
        Pollable pollable = registration.pollable;
        int ready = pollable.kernelReady(registration.interest(), ops);
        if (ready != 0) {
            report(registration, ready);
        } else if (pollable.isDoorbell()) {
            Registration beside = (Registration) registration.attachment();
            if (!beside.closed) {
                refresh(beside);
            }
        } else if (pollable.isPolled()) {
            heat(registration);
            rewatch(registration);
        }
    }

    private void runTimed() {
        if (timed.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        for (Registration registration : List.copyOf(timed)) {
            if (now - registration.pollable.deadline() >= 0) {
                int ready = registration.pollable.kernelReady(registration.interest(), 0);
                if (ready != 0) {
                    report(registration, ready);
                } else if (registration.pollable.isPolled()) {
                    heat(registration);
                }
            }
        }
    }

    private long earliest(long deadline) {
        long earliest = deadline;
        for (Registration registration : timed) {
            long until = registration.pollable.deadline();
            if (until != Long.MAX_VALUE && until - earliest < 0) {
                earliest = until;
            }
        }
        return earliest;
    }

    private void report(Registration registration, int ops) {
        Sink into = sink;
        // Without a sink a closing thread runs the turn; what is ready is ready in the next poll, too.
        if (into != null) {
            reported++;
            into.ready(registration, ops);
        }
    }

    // ---- hot and cold

    private void heat(Registration registration) {
        if (registration.interest() == 0) {
            return;
        }
        heated = true;
        if (hot.contains(registration)) {
            hot.wake(registration);
        } else if (!registration.queued) {
            if (hot.isFull() && !makeRoom()) {
                registration.queued = true;
                queue.add(registration);
            } else {
                registration.foundAt = turns;
                hot.add(registration);
            }
        }
    }

    /** Cools the quietest of the hot links; false if that has traffic at this moment. */
    private boolean makeRoom() {
        Registration quietest = hot.quietest();
        if (quietest.idleSince == 0 && quietest.foundAt == turns) {
            return false;
        }
        int interest = quietest.interest();
        quietest.pollable.arm(interest);
        if (quietest.pollable.look(interest) != 0) {
            hot.wake(quietest); // to be found in the next turn
            quietest.foundAt = turns;
            return false;
        }
        hot.remove(quietest);
        return true;
    }

    private void chill(Registration registration) {
        hot.remove(registration);
        registration.queued = false;
    }

    /** Looks at as many of the queue: one that has something stays in it, or takes a place in the hot set; others are cold. */
    private void coolQueued(int count) {
        for (int i = count; i > 0; i--) {
            Registration registration = queue.poll();
            if (!registration.queued) {
                continue;
            }
            registration.queued = false;
            int interest = registration.interest();
            int ops = registration.pollable.look(interest);
            if (ops == 0) {
                registration.pollable.arm(interest);
                ops = registration.pollable.look(interest);
            }
            if (ops != 0) {
                found(registration, ops);
                heat(registration);
            }
        }
    }

    /** Cools all that are looked at, before a sleep. */
    private int coolAll() {
        int left = hot.size();
        while (left > 0) {
            left--;
            cool(hot.get(left));
        }
        coolQueued(queue.size());
        return 0;
    }

    /** Arms a hot registration and looks once more; it leaves the hot set unless there is something. */
    private void cool(Registration registration) {
        int interest = registration.interest();
        registration.pollable.arm(interest);
        int ops = registration.pollable.look(interest);
        if (ops != 0) {
            found(registration, ops);
        } else {
            hot.remove(registration);
        }
    }

    /** Asks the next hot registration how long it has been idle. */
    private void coolIdle(long now) {
        Registration registration = hot.walk();
        if (registration == null) {
            return;
        }
        if (registration.idleSince == 0) {
            registration.idleSince = now | 1;
        } else if (now - registration.idleSince >= policy.patience() || !registration.pollable.isPolled()) {
            cool(registration);
        } else if (now - registration.idleSince >= REST_NANOS) {
            hot.rest(registration);
        }
    }

    // ---- commands

    void push(Registration registration) {
        Registration top;
        do {
            top = commands;
            registration.next = top;
        } while (!(boolean) COMMANDS.compareAndSet(this, top, registration));
    }

    void wakeForCommands() {
        if (blocked) {
            inner.wakeup();
        }
    }

    void runCommandsSoon() {
        if (blocked) {
            inner.wakeup();
            return;
        }
        if ((boolean) TURN.compareAndSet(this, 0, 1)) {
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
        Registration registration = (Registration) COMMANDS.getAndSet(this, (Registration) null);
        while (registration != null) {
            Registration following = registration.next; // once pending is taken it may be pushed anew
            registration.next = null;
            int what = registration.takePending();
            if (!registration.closed) {
                try {
                    if ((what & Registration.CLOSE) != 0) {
                        end(registration);
                    } else {
                        refresh(registration);
                    }
                } catch (RuntimeException e) {
                    failure = e; // thrown below: the others' commands are in nobody's hands but ours
                }
            }
            registration = following;
        }
        if (flush && (urgent || !mayWait)) {
            letGo();
        } else if (!flush) {
            releaseEnded();
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The JDK closes the descriptor of a cancelled key's channel only after its selector let go of it, which a select begins with. */
    private void letGo() {
        flush = false;
        urgent = false;
        if (inner.isOpen()) {
            flushed = true;
            try {
                lookAtSelector();
            } catch (IOException e) {
                LOG.get().log(Level.WARNING, "the JDK's selector failed to let go of closed channels", e);
            }
        }
        releaseEnded();
    }

    private void end(Registration registration) {
        registration.closed = true;
        chill(registration);
        if (registration.counted) {
            registered--;
        }
        if (registration.timed) {
            timed.remove(registration);
        }
        SelectionKey key = registration.key;
        if (key != null) {
            if (key.isValid()) { // mostly it was cancelled when the registration was closed
                key.cancel();
            }
            flush = true;
        }
        urgent |= !registration.pollable.isKernels();
        ended.add(registration);
    }

    /** After the flush: the last one to let go of a link frees it, and its descriptor must be out of the selector. */
    private void releaseEnded() {
        while (!ended.isEmpty()) {
            Registration registration = ended.remove(ended.size() - 1); // before: it is told once, even if it throws
            try {
                registration.pollable.released(registration);
            } catch (RuntimeException e) {
                LOG.get().log(Level.WARNING, "the end of a registration met an error", e);
            }
        }
    }

    private void refresh(Registration registration) {
        if (!registration.counted && !registration.pollable.isDoorbell()) {
            registration.counted = true;
            registered++;
        }
        registration.pollable.refreshed(registration);
        rewatch(registration);
        boolean isTimed = registration.pollable.deadline() != Long.MAX_VALUE;
        if (isTimed != registration.timed) {
            registration.timed = isTimed;
            if (isTimed) {
                timed.add(registration);
            } else {
                timed.remove(registration);
            }
        }
        if (registration.pollable.isPolled() && registration.interest() != 0) {
            heat(registration);
        } else {
            chill(registration);
        }
    }

    /** Waits if the inner selector has not yet let go of the key of an earlier registration of the same channel. */
    private void watchFirst(Registration registration) throws ClosedChannelException {
        long since = 0; // read when it is needed: most find no key
        while (true) {
            try {
                watch(registration);
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
        if (blocked) {
            inner.wakeup();
        } else if ((boolean) TURN.compareAndSet(this, 0, 1)) {
            try {
                flush = true;
                urgent = true;
                runCommands(false);
            } finally {
                leave();
            }
        }
    }

    private void rewatch(Registration registration) {
        try {
            watch(registration);
        } catch (ClosedChannelException | CancelledKeyException e) {
            LOG.get().log(Level.DEBUG, "a channel was closed by another thread; its registration follows", e);
        }
    }

    /** Locked, because the turn's owner may hear of the key that another thread is still registering. */
    private void watch(Registration registration) throws ClosedChannelException {
        synchronized (registration) {
            Pollable pollable = registration.pollable;
            SelectableChannel channel = pollable.watched();
            int ops = pollable.watchedOps(registration.interest());
            if (channel != registration.watched) {
                if (registration.key != null) {
                    registration.key.cancel();
                    flush = true;
                }
                registration.key = channel == null ? null : channel.register(inner, ops, registration);
                registration.watched = channel;
            } else if (registration.key != null) {
                SelectionKey key = registration.key;
                if (key.isValid() && key.interestOps() != ops) {
                    key.interestOps(ops);
                }
            }
        }
    }

    // ---- the turn

    private void enter() {
        while (!(boolean) TURN.compareAndSet(this, 0, 1)) {
            // A closing thread runs commands, which takes microseconds.
            Thread.yield();
        }
    }

    private void leave() {
        TURN.setVolatile(this, 0);
        // A command left meanwhile was left to us: its thread found the turn taken.
        while (commands != null && (boolean) TURN.compareAndSet(this, 0, 1)) {
            try {
                runCommands(false);
            } finally {
                TURN.setVolatile(this, 0);
            }
        }
    }
}
