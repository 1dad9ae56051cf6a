// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.ExitDelay;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.LinkShare;
import io.accel.core.jdk.MemoryFaults;
import io.accel.core.poll.Poller;
import io.accel.core.socket.LinkFailure.Task;
import io.accel.profile.HandoverAfter.Unrest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Keeps connections with links going, on one daemon thread that sleeps in the kernel unless it has work to do. The thread makes the
 * announcements for which there was no room, watches links whose rings are full, takes connections whose links broke back to the kernel's
 * path, gives links back, and sees to it that the bytes that closed connections have sent reach their peers. Connections wait for it, so
 * none of its work waits for anything, or grows with what others have: links are looked for on another thread ({@link StreamSearches}).
 * Any thread.
 */
final class StreamUpgrades {
    private static final Warnings ERRORS = new Warnings(Log.of(StreamUpgrades.class));
    private static final long ANNOUNCE_PAUSE_NANOS = 1_000_000L;
    private static final long FOR_EVER = -1;
    /** How often links are checked for being idle, here or at the peer. */
    private static final long IDLE_PAUSE_NANOS = 1_000_000_000L;
    /**
     * How often links are checked in tests that give them back, or break them, at random. Otherwise links are not checked more often than
     * this.
     */
    private static final long RESTLESS_PAUSE_NANOS = 10_000_000L;
    /** How often young links are checked. */
    private static final long YOUNG_PAUSE_NANOS = 20_000_000L;
    /** A ring from which nothing was read for this long is overdue; twice that at most. */
    private static final long STALL_NANOS = 20_000_000L;

    /** How long the process's end waits for the bytes that closed connections have sent to arrive, as it does where their links hold. */
    private static final long AT_EXIT_NANOS = 2_000_000_000L;

    private static final StreamUpgrades INSTANCE = new StreamUpgrades();

    private final Backlog<Announcement> unannounced = new Backlog<>();
    private final Backlog<LinkStream> stalled = new Backlog<>();
    /** The stalled links that were checked before. The thread's. */
    private final List<LinkStream> watched = new ArrayList<>();
    /** When those were last checked. The thread's. */
    private long watchedAt;

    private final Backlog<StreamSocket> broken = new Backlog<>();
    /** Connections whose links have broken and that are on their way back to the kernel's path. The thread's. */
    private final List<Resumption> resuming = new ArrayList<>();

    private final Backlog<LingeringClose> closes = new Backlog<>();
    /** The closed connections whose peers may lack some of the bytes sent. The thread's. */
    private final List<LingeringClose> lingering = new ArrayList<>();
    /** The number of elements in both together. */
    private final AtomicInteger unfinished = new AtomicInteger();

    /** The links that have failed, by {@link LinkFailure#next}: a stack, so that a thread without memory can add to it. */
    private final AtomicReference<LinkFailure> failed = new AtomicReference<>();
    /** Those of them that nobody could be told of yet, in the same way. The thread's. */
    private LinkFailure telling;

    /** Until the bytes that programs have written have gone out, as the kernel does for its sockets. */
    private final ExitDelay delay = new ExitDelay("accel-linger", () -> unfinished.get() <= 0, AT_EXIT_NANOS);

    /** Links that may be given back one day. */
    private final Backlog<LinkRetirement> linked = new Backlog<>();
    /** The new ones among those links. The thread's. */
    private final List<LinkRetirement> young = new ArrayList<>();
    /** The links that are checked now and then. The thread's. */
    private final List<LinkRetirement> inUse = new ArrayList<>();
    /** The links that take their next step as soon as they can. The thread's. */
    private final List<LinkRetirement> retiring = new ArrayList<>();
    /** When the young links are checked next. The thread's. */
    private long youngCheckAt = System.nanoTime();
    /** When the links in use are checked next. The thread's. */
    private long idleCheckAt = System.nanoTime();
    /** How often the links in use are checked. */
    private volatile long idlePauseNanos = IDLE_PAUSE_NANOS;
    /** Whether the thread looks at {@link #linked} soon. The thread writes this before it looks there a last time. */
    private volatile boolean looksForYoung;

    /** How many links the program needs back, in use or not. */
    private final AtomicInteger demanded = new AtomicInteger();
    /** Links whose peers have rung to have them back, or have abandoned them. */
    private final Backlog<LinkRetirement> asked = new Backlog<>();
    /** Links that are slower than the kernel. */
    private final Backlog<LinkRetirement> slower = new Backlog<>();

    private final DaemonPoller daemon =
            new DaemonPoller("accel-handover", "keeps connections on faster paths going", this::run);

    private StreamUpgrades() {}

    /** The instance of this process. Its thread starts before the first link is made. */
    static StreamUpgrades get() {
        return INSTANCE;
    }

    /**
     * Starts the thread, before a link takes anything: only this thread gives links back, and it takes descriptors to start. A program
     * that has come to its last descriptor meanwhile would get none of those of its links.
     *
     * @throws FallbackException if it cannot be started now, so that there must be no link
     */
    void start() throws FallbackException {
        daemon.startWhileThereIsRoom();
    }

    /** Makes an announcement as soon as possible, after there was no room for it, or it was too early. */
    void announceLater(Announcement announcement) {
        unannounced.add(announcement);
        wakeUp();
    }

    /** Watches a link whose ring a writer has found full. It is checked from time to time, until it has room or is overdue. */
    void watchStall(LinkStream stream) {
        stalled.add(stream);
        wakeUp();
    }

    /** Takes note that the link of a connection has broken. Does not wait, so the caller may hold any lock. */
    void broken(StreamSocket socket) {
        broken.add(socket);
        wakeUp();
    }

    /** Takes over a connection that was closed and whose peer may lack some of the bytes sent. */
    void linger(LingeringClose close) {
        closes.add(close); // nothing behind this fails
        unfinished.incrementAndGet();
        wakeUp();
        delay.begin();
    }

    /** Takes over the rest of a link that has {@linkplain LinkFailure failed}. Makes no object, and throws nothing. */
    void failed(LinkFailure failure) {
        LinkFailure top;
        do {
            top = failed.get();
            failure.next = top;
        } while (!failed.compareAndSet(top, failure));
        wakeUp();
    }

    /**
     * Gives links back, those first that have been idle for longest, since the program lacks what they have. Does not wait: the peers have to
     * do the same.
     *
     * @param links how many
     */
    void giveBack(int links) {
        demanded.accumulateAndGet(links, Math::max);
        daemon.wakeIfStarted(); // without the thread there is no link, and the thread would take what is lacking
    }

    /** Gives back a link that is slower than the kernel. Does not wait. */
    void giveBack(LinkRetirement retirement) {
        slower.add(retirement);
        wakeUp();
    }

    /** Takes note that the peer has rung to have a link given back, or has abandoned it. */
    void asked(LinkRetirement retirement) {
        asked.add(retirement);
        wakeUp();
    }

    /** Takes note that a connection has a link. */
    void linked(LinkStream stream) {
        StreamSocket socket = stream.socket();
        long often = socket.unrest() == Unrest.NONE
                ? Math.max(RESTLESS_PAUSE_NANOS, socket.idleNanos() / 4)
                : RESTLESS_PAUSE_NANOS;
        if (often < idlePauseNanos) {
            idlePauseNanos = often; // two threads may both write it: either value is good enough
        }
        linked.add(stream.retirement());
        if (!looksForYoung) {
            wakeUp();
        }
    }

    /** Throws nothing: a thread that cannot be woken looks by itself in a second, as long as there are links. */
    private void wakeUp() {
        try {
            daemon.started().wakeup();
        } catch (FallbackException | RuntimeException | Error e) {
            ERRORS.warn("neither the peer of a connection nor its waiters can be told the fate of its link", e);
        }
    }

    private void run(Poller own) {
        Daemons.turns(
                ERRORS,
                "the thread that keeps connections on faster paths going met an error and goes on",
                () -> own.poll(Daemons.sleep(pause()), (registration, ops) -> {}),
                this::tellOfFailed,
                () -> unannounced.serve(
                        StreamUpgrades::announces,
                        (announcement, e) -> announcement.failure().metInTurn(Task.ANNOUNCE, e)),
                this::resumeAll,
                this::lingerAll,
                this::watchStalled,
                this::retireAll);
    }

    /** Returns whether that is done. */
    private static boolean announces(Announcement announcement) {
        boolean done = announcement.makeLater();
        announcement.failure().metNone(Task.ANNOUNCE);
        return done;
    }

    private void tellOfFailed() {
        LinkFailure left = failed.getAndSet(null);
        while (left != null) {
            LinkFailure each = left;
            left = each.next;
            if (!each.tellAll()) {
                each.next = telling;
                telling = each;
            } // otherwise its users free it
        }
        for (LinkFailure last = null, each = telling; each != null; each = each.next) {
            if (!each.tellAll()) {
                last = each;
            } else if (last == null) {
                telling = each.next;
            } else {
                last.next = each.next;
            }
        }
    }

    private long pause() {
        if (telling != null || !unannounced.isEmpty() || !resuming.isEmpty() || !retiring.isEmpty()) {
            return ANNOUNCE_PAUSE_NANOS;
        }
        long now = System.nanoTime();
        long pause = FOR_EVER;
        if (!watched.isEmpty() || !stalled.isEmpty()) {
            pause = sooner(pause, watchedAt + STALL_NANOS - now);
        }
        looksForYoung = !young.isEmpty();
        if (looksForYoung || !linked.isEmpty()) {
            pause = sooner(pause, youngCheckAt - now);
        }
        if (!inUse.isEmpty()) {
            pause = sooner(pause, idleCheckAt - now);
        }
        for (LingeringClose each : lingering) {
            pause = sooner(pause, each.pause(now));
        }
        return pause;
    }

    private static long sooner(long pause, long left) {
        return Math.max(0, pause == FOR_EVER ? left : Math.min(pause, left));
    }

    /** Chooses the links that the program needs back. */
    private void meetDemand(long now) {
        int wanted = demanded.getAndSet(0);
        if (wanted == 0) {
            return;
        }
        linked.serve(young::add, Backlog.KEEPING);
        List<LinkRetirement> candidates = new ArrayList<>(young);
        candidates.addAll(inUse);
        candidates.removeIf(LinkRetirement::isDemanded);
        Map<LinkRetirement, Long> quiet = new HashMap<>();
        candidates.forEach(each -> quiet.put(each, each.quietFor(now)));
        candidates.sort(Comparator.comparing(quiet::get, Comparator.reverseOrder()));
        Set<LinkRetirement> chosen = new HashSet<>(candidates.subList(0, Math.min(wanted, candidates.size())));
        chosen.forEach(each -> each.demand(now));
        retiring.addAll(chosen); // first, so that none is lost if memory runs out
        young.removeAll(chosen);
        inUse.removeAll(chosen);
    }

    private boolean demandAsSlower(LinkRetirement each) {
        each.demandAsSlower(System.nanoTime());
        return goesNow(each);
    }

    private boolean hasten(LinkRetirement each) {
        each.hurry(System.nanoTime());
        return goesNow(each);
    }

    private boolean goesNow(LinkRetirement each) {
        if (young.remove(each) || inUse.remove(each) || linked.remove(each)) {
            retiring.add(each);
        }
        return true;
    }

    private void retireAll() {
        long now = System.nanoTime();
        asked.serve(this::hasten, Backlog.DROPPING);
        slower.serve(this::demandAsSlower, Backlog.DROPPING);
        meetDemand(now);
        retiring.removeIf(each -> !goesOn(each, now) || (!each.isInHurry(now) && inUse.add(each)));
        if (now - youngCheckAt >= 0) {
            youngCheckAt = now + Math.min(YOUNG_PAUSE_NANOS, idlePauseNanos);
            linked.serve(young::add, Backlog.KEEPING);
            young.removeIf(each -> !goesOn(each, now)
                    || (each.isInHurry(now) && retiring.add(each))
                    || (!each.isYoung(now) && inUse.add(each)));
        }
        if (now - idleCheckAt >= 0) {
            idleCheckAt = now + idlePauseNanos;
            inUse.removeIf(each -> !goesOn(each, now) || (each.isInHurry(now) && retiring.add(each)));
            int excess = LinkShare.excess(now);
            if (excess > 0) {
                demanded.accumulateAndGet(excess, Math::max);
                meetDemand(now);
            }
        }
    }

    private static boolean goesOn(LinkRetirement each, long now) {
        LinkStream stream = each.stream();
        if (stream == null) {
            return false;
        }
        try {
            boolean again = each.advance(now);
            MemoryFaults.surface(); // here, where it is known whose memory it is
            stream.failure().metNone(Task.RETIRE);
            return again;
        } catch (Throwable e) {
            return stream.failure().metInTurn(Task.RETIRE, e);
        }
    }

    private void resumeAll() {
        long now = System.nanoTime();
        broken.serve(socket -> beginsToResume(socket, now), StreamUpgrades::failed);
        resuming.removeIf(each -> !resumes(each, now));
    }

    private boolean beginsToResume(StreamSocket socket, long now) {
        Resumption resumption = socket.loss().begin(now);
        return resumption == null || resuming.add(resumption);
    }

    /** Whether to serve a connection again that has met an error. */
    private static boolean failed(StreamSocket socket, Throwable e) {
        LinkStream stream = socket.attached();
        return stream != null && stream.failure().metInTurn(Task.RESUME, e);
    }

    private static boolean resumes(Resumption each, long now) {
        try {
            return each.advance(now);
        } catch (Throwable e) {
            each.fail(e); // what was sent, and what not, is not known any more
            return false;
        }
    }

    private void lingerAll() {
        long now = System.nanoTime();
        closes.serve(lingering::add, Backlog.KEEPING);
        lingering.removeIf(each -> !lingers(each, now));
    }

    private boolean lingers(LingeringClose each, long now) {
        boolean lingers = false;
        try {
            lingers = each.advance(now);
        } catch (Throwable e) {
            each.fail(e);
        }
        if (!lingers && each.isFirstEnd()) {
            unfinished.decrementAndGet();
        }
        return lingers;
    }

    private void watchStalled() {
        long now = System.nanoTime();
        if (now - watchedAt >= STALL_NANOS) {
            watchedAt = now;
            watched.removeIf(stream -> !looksAgain(stream, true));
            stalled.serve(stream -> !looksAgain(stream, false) || watched.add(stream), Backlog.KEEPING);
        }
    }

    private boolean looksAgain(LinkStream stream, boolean again) {
        try {
            boolean looks = looksForReader(stream, again);
            MemoryFaults.surface();
            stream.failure().metNone(Task.WATCH);
            return looks;
        } catch (Throwable e) {
            return stream.failure().metInTurn(Task.WATCH, e);
        }
    }

    private boolean looksForReader(LinkStream stream, boolean again) {
        WayBack wayBack = stream.writer().wayBack();
        boolean was = wayBack.isCramped();
        boolean looks = wayBack.look(again);
        LinkRetirement retirement = stream.retirement();
        if (!was
                && wayBack.isCramped()
                && (young.remove(retirement) || inUse.remove(retirement) || linked.remove(retirement))) {
            retiring.add(retirement); // it must not wait until all links are checked
        }
        return looks;
    }
}
