// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.rdma.verbs.CompletionChannel;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.WcStatus;
import io.accel.core.fabric.rdma.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectableChannel;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A completion queue with its channel, for one link or for all links of a poller. Any thread may poll it: that puts each completion into the
 * {@link QueuePlace} of its link, and rings the links that wait for it.
 *
 * <p><b>It cannot overrun.</b> A link gets a place only while the completions that all links with places can have in the queue at a time fit
 * it: for each its receives, and its sends, every one of which completes if its queue pair fails. The place is given to another link only
 * when the queue pair is gone and all that it left in the queue has been taken out.
 *
 * <p><b>Telling.</b> Links of a shared queue are armed one by one, and the queue is asked for a notification for those of them that want the
 * most. A thread that takes a notification rings the links that it is for; if others still wait, it asks anew, and polls once more.
 *
 * <p><b>The lock</b> is the innermost: a link's lock may be held, and no lock is taken under it but those of a {@linkplain QueuePlace#ring
 * ring}, which wakes pollers and enters no link.
 */
final class DeviceQueue {
    private static final Log LOG = Log.of(DeviceQueue.class);
    private static final VarHandle POLLS;
    private static final VarHandle FOREMOST;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            POLLS = lookup.findVarHandle(DeviceQueue.class, "polls", long.class).withInvokeExactBehavior();
            FOREMOST = lookup.findVarHandle(DeviceQueue.class, "foremost", QueuePlace.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Context context;
    private final boolean shared;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final SelectableChannel doorbell;
    private final int entries;

    private final ReentrantLock lock = new ReentrantLock();

    // All of these are under the lock, unless their own comments say otherwise.
    private final WorkCompletions batch;
    private final Notifications notifications;
    /** The places by their index; null where there is none. */
    private QueuePlace[] places = new QueuePlace[1];
    /** How many links have had each place. */
    private int[] turns = new int[1];

    private boolean closed;
    private int used;
    /** How many completions the links can have in the queue at a time. */
    private int reserved;
    /** How many links wait for messages of their peers alone, and how many for any completion. */
    private int waitingForPeers;

    private int waitingForAny;
    /** How often the queue was polled. Read by looking links without order. */
    @SuppressWarnings("unused") // through POLLS
    private long polls;
    /** The link whose looks poll for all. Read by looking links without order. */
    @SuppressWarnings("unused") // through FOREMOST
    private QueuePlace foremost;

    private DeviceQueue(
            Context context,
            boolean shared,
            CompletionChannel channel,
            CompletionQueue queue,
            SelectableChannel doorbell,
            int batch) {
        this.context = context;
        this.shared = shared;
        this.channel = channel;
        this.queue = queue;
        this.doorbell = doorbell;
        this.entries = queue.entries();
        this.batch = new WorkCompletions(batch);
        this.notifications = new Notifications(queue, channel);
    }

    /**
     * Opens a queue.
     *
     * @param shared whether it is for several links
     * @param entries how many completions it must hold at least
     * @param batch how many are taken with one call
     */
    static DeviceQueue open(Context context, boolean shared, int entries, int batch) throws IOException {
        CompletionChannel channel = context.createCompletionChannel();
        CompletionQueue queue = null;
        SelectableChannel doorbell = null;
        try {
            queue = context.createCompletionQueue(entries, channel);
            doorbell = Endpoint.selectable(channel.duplicateFd());
            doorbell.configureBlocking(false);
            return new DeviceQueue(context, shared, channel, queue, doorbell, batch);
        } catch (IOException | RuntimeException | Error e) {
            close(doorbell, queue, channel);
            throw e;
        }
    }

    private static void close(SelectableChannel doorbell, CompletionQueue queue, CompletionChannel channel) {
        Endpoint.close(doorbell, "doorbell");
        Endpoint.close(queue, "completion queue");
        Endpoint.close(channel, "completion channel");
    }

    // ---- any thread

    Context context() {
        return context;
    }

    boolean isShared() {
        return shared;
    }

    CompletionQueue completionQueue() {
        return queue;
    }

    SelectableChannel doorbell() {
        return doorbell;
    }

    int entries() {
        return entries;
    }

    /** How often it was polled so far. */
    long polls() {
        return (long) POLLS.getOpaque(this);
    }

    // ---- places: DeviceQueues

    /**
     * Gives a link a place.
     *
     * @param completions how many completions the link can have in the queue at a time
     * @return null if there is no room for them
     */
    QueuePlace admit(int completions) {
        lock.lock();
        try {
            if (completions > entries - reserved || used == RequestId.PLACES) {
                return null;
            }
            int index = free();
            QueuePlace place = new QueuePlace(this, index, turns[index], completions);
            places[index] = place;
            turns[index]++;
            used++;
            reserved += completions;
            return place;
        } finally {
            lock.unlock();
        }
    }

    private int free() {
        for (int i = 0; i < places.length; i++) {
            if (places[i] == null) {
                return i;
            }
        }
        int index = places.length;
        places = Arrays.copyOf(places, 2 * index);
        turns = Arrays.copyOf(turns, 2 * index);
        return index;
    }

    /**
     * Takes a link's place back, whose queue pair is gone and adds no more completions.
     *
     * @return whether no link has a place any more
     */
    boolean leave(QueuePlace place) {
        lock.lock();
        try {
            try {
                pollAll(); // what it left behind takes room of others until then
            } catch (VerbsException e) {
                LOG.get().log(Level.DEBUG, "the last completions of a connection are not taken", e);
            }
            wish(place, Notifications.Wanted.NONE);
            places[place.index()] = null;
            used--;
            reserved -= place.completions();
            if ((QueuePlace) FOREMOST.getOpaque(this) == place) {
                FOREMOST.setOpaque(this, (QueuePlace) null);
            }
            return used == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Gives everything back to the device. No link has a place, or gets one. It never fails: errors are logged. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        close(doorbell, queue, channel);
    }

    // ---- completions: links

    /** Hands over what has been polled for a link. */
    void take(QueuePlace by) {
        lock.lock();
        try {
            by.handOver();
        } finally {
            lock.unlock();
        }
    }

    /** Polls, and hands over what has come for a link. */
    void poll(QueuePlace by) throws VerbsException {
        lock.lock();
        try {
            pollAll();
            by.handOver();
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #poll}, unless other looks stand for this one, or another thread has the lock; returns whether it has polled. */
    boolean look(QueuePlace by) throws VerbsException {
        if (shared && (QueuePlace) FOREMOST.getOpaque(this) != by) {
            if (!by.hasToPoll(polls())) {
                return false;
            }
            FOREMOST.setOpaque(this, by);
        }
        if (!lock.tryLock()) {
            return false;
        }
        try {
            pollAll();
            by.handOver();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Asks for a notification for a link, and hands over what has come before. */
    void arm(QueuePlace by, Notifications.Wanted wanted) throws VerbsException {
        lock.lock();
        try {
            if (shared && wanted.compareTo(by.wish()) > 0) {
                wish(by, wanted);
            }
            // If a notification was asked for before, all that came before that was polled then, and all else brings
            // it.
            if (notifications.request(wanted) || !shared) {
                pollAll();
            }
            by.handOver();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the notifications that have come, and hands over what has come for a link; returns whether it was rung. */
    boolean drain(QueuePlace by) throws VerbsException {
        lock.lock();
        try {
            if (closed) {
                return false; // the poller has not heard of it yet
            }
            boolean rung = notifications.drain();
            if (rung || !shared) {
                pollAll();
            }
            if (rung && shared && isAwaited()) {
                boolean unused = notifications.request(
                        waitingForAny > 0 ? Notifications.Wanted.ALL : Notifications.Wanted.SOLICITED);
                pollAll();
            }
            by.handOver();
            return shared ? by.takeRing() : rung;
        } catch (VerbsException e) {
            ringAll(); // each finds out for itself
            throw e;
        } finally {
            lock.unlock();
        }
    }

    // ---- under the lock

    /** Polls at least what is in the queue at this moment. */
    private void pollAll() throws VerbsException {
        int left = entries; // of busy links there would be no end
        int count;
        do {
            count = queue.pollInto(batch);
            for (int i = 0; i < count; i++) {
                deliver(i);
            }
            left -= count;
        } while (count == batch.capacity() && left > 0);
        POLLS.setOpaque(this, polls() + 1);
    }

    private void deliver(int i) {
        long id = batch.workRequestId(i);
        int index = RequestId.place(id);
        QueuePlace place = index < places.length ? places[index] : null;
        if (place == null || !place.owns(id)) {
            return; // that link has closed
        }
        place.incoming().add(batch, i);
        place.hasNews();
        Notifications.Wanted wish = place.wish();
        if (wish == Notifications.Wanted.ALL
                || (wish == Notifications.Wanted.SOLICITED
                        && (RequestId.isReceive(id) || batch.status(i) != WcStatus.SUCCESS))) {
            wish(place, Notifications.Wanted.NONE);
            place.ring();
        }
    }

    private boolean isAwaited() {
        return waitingForPeers + waitingForAny > 0;
    }

    private void wish(QueuePlace place, Notifications.Wanted wanted) {
        count(place.wish(), -1);
        place.wish(wanted);
        count(wanted, 1);
    }

    private void count(Notifications.Wanted wanted, int change) {
        switch (wanted) {
            case NONE -> {}
            case SOLICITED -> waitingForPeers += change;
            case ALL -> waitingForAny += change;
        }
    }

    private void ringAll() {
        for (QueuePlace place : places) {
            if (place != null && place.wish() != Notifications.Wanted.NONE) {
                wish(place, Notifications.Wanted.NONE);
                place.ring();
            }
        }
    }
}
