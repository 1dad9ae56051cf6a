// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A link's place in a {@link DeviceQueue}: what completes for it, and whether it wants to be told. Whichever thread polls the queue puts the
 * link's completions here, and the link takes them under its own lock, so that no thread ever holds the locks of two links.
 *
 * <p>The methods are for a caller that has the link's lock, unless they say otherwise. Each of those that poll leaves in {@link #taken} what
 * has come for the link.
 */
final class QueuePlace {
    /** So often a link looks in vain at what others have polled, before it polls itself. */
    private static final int MOST_PASSES = 4;

    private final DeviceQueue queue;
    private final int index;
    /** How many completions the link can have in the queue at a time. */
    private final int completions;

    private final long ofLink;

    // Written under the queue's lock.
    private Completions incoming = new Completions();
    /** Whether there are incoming ones; read without the lock, too. */
    private volatile boolean hasNews;
    /** What the link wants to be told of, once; only of a shared queue. */
    private Notifications.Wanted wish = Notifications.Wanted.NONE;

    /** Set under the queue's lock, taken by any thread. */
    private final AtomicBoolean rung = new AtomicBoolean();
    /** Written once, by the thread that the link is attached by; called under the queue's lock. */
    private volatile Runnable whenRung = () -> {};

    // Under the link's lock.
    private Completions taken = new Completions();
    /** How often the queue had been polled when this last looked. */
    private long seen;
    /** How often this has looked since without a poll of others'. */
    private int passes;

    QueuePlace(DeviceQueue queue, int index, int turn, int completions) {
        this.queue = queue;
        this.index = index;
        this.completions = completions;
        this.ofLink = RequestId.ofLink(index, turn);
    }

    // ---- any thread, without the link's lock

    /** The queue that its queue pair reports to. */
    CompletionQueue completionQueue() {
        return queue.completionQueue();
    }

    /** Whether other links may have places in the same queue. */
    boolean isShared() {
        return queue.isShared();
    }

    /** The queue's channel as selectors see it. */
    SelectableChannel doorbell() {
        return queue.doorbell();
    }

    DeviceQueue queue() {
        return queue;
    }

    long receiveId() {
        return RequestId.receive(ofLink);
    }

    long sendId(long number) {
        return RequestId.send(ofLink, number);
    }

    /** Calls back each time that the shared queue has what this was {@linkplain #arm armed} for. See {@link io.accel.core.fabric.Link}. */
    void whenRung(Runnable told) {
        whenRung = told;
    }

    /** Takes the ring of the shared queue; returns whether there was one. */
    boolean takeRing() {
        return rung.get() && rung.getAndSet(false);
    }

    // ---- the link

    /** What the last call has taken. */
    Completions taken() {
        return taken;
    }

    /** Takes what others have polled. */
    void take() {
        taken.clear();
        if (hasNews) {
            queue.take(this);
        }
    }

    /** Polls the queue. */
    void poll() throws VerbsException {
        taken.clear();
        queue.poll(this);
    }

    /**
     * As {@link #poll}, for one look of many: if another link's looks poll the queue they stand for this one's, so that a poller that looks
     * at many links polls their queue once in a turn. It does not wait for another thread that is just polling.
     */
    void look() throws VerbsException {
        taken.clear();
        if (!queue.look(this) && hasNews) {
            queue.take(this);
        }
    }

    /** Whether this, which looks and is not the one that polls for all, has to do so: nobody has for some looks. */
    boolean hasToPoll(long polls) {
        if (seen != polls) {
            seen = polls;
            passes = 0;
            return false;
        }
        return ++passes > MOST_PASSES;
    }

    /** Asks for a ring at the next completion of that kind. Those that came before are taken. */
    void arm(Notifications.Wanted wanted) throws VerbsException {
        taken.clear();
        queue.arm(this, wanted);
    }

    /** Takes the queue's notifications, tells all links that they are for, and returns whether there was one for this. */
    boolean drain() throws VerbsException {
        taken.clear();
        return queue.drain(this);
    }

    // ---- under the queue's lock

    int index() {
        return index;
    }

    int completions() {
        return completions;
    }

    boolean owns(long id) {
        return RequestId.isOf(id, ofLink);
    }

    Completions incoming() {
        return incoming;
    }

    /** Incoming ones have been added. */
    void hasNews() {
        if (!hasNews) {
            hasNews = true;
        }
    }

    /** Hands what is incoming to the link, whose lock the caller has, too. */
    void handOver() {
        if (hasNews) {
            Completions done = taken;
            taken = incoming;
            incoming = done;
            hasNews = false;
        }
    }

    Notifications.Wanted wish() {
        return wish;
    }

    void wish(Notifications.Wanted wanted) {
        wish = wanted;
    }

    void ring() {
        rung.set(true);
        whenRung.run();
    }
}
