// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A {@link Pollable} in a {@link Poller}. Its public methods may be called by any thread; they leave word in the poller's
 * command stack, and the thread that has the poller's turn carries it out.
 */
public final class Registration {
    /** The interest or the watched channel has changed, or the pollable has something to look at. */
    static final int REFRESH = 1;
    /** The registration ends. */
    static final int CLOSE = 2;
    /** A shared channel has rung for the pollable. */
    static final int RING = 4;

    final Poller poller;
    final Pollable pollable;
    private final Object attachment;

    /** Written by the thread that changes interest, read by the turn's owner. */
    private volatile int interest;

    /**
     * The commands to carry out; non-zero while this is in the command stack, and before it is there for the first
     * time. Any thread sets it, and the turn's owner takes it. The pollable may close this while it is being
     * registered: that command waits for {@link #begin}, so that the registration ends once, and with its key.
     */
    private final AtomicInteger pending = new AtomicInteger(REFRESH); // a VarHandle makes a young JVM spin classes

    /** The link of the command stack; written by the pushing thread, before the push. */
    Registration next;

    // Only the owner of the poller's turn uses the fields below (register uses watched and key first, before the
    // push).

    /** The index in the hot set, -1 outside of it. */
    int hotIndex = -1;
    /** Whether this {@linkplain Pollable#isRemote waits for another host}; only kept while hot. */
    boolean remote;
    /** The time since when nothing was found, 0 after something was; only kept while hot. */
    long idleSince;
    /** The poller's turn in which something was last found, or in which this became hot. */
    long foundAt;
    /**
     * Whether this is in the poller's queue of registrations without a place in the hot set, and must be looked at
     * there.
     */
    boolean queued;

    SelectableChannel watched;
    /** The watch of a channel that other registrations watch, too; null for none. */
    SharedWatch shared;
    /** Null before there is a shared channel. In the monitor of {@link KernelWatch}'s shared channels. */
    private Runnable ringer;
    /**
     * The key of the JDK's selector. It is volatile because {@link #close} cancels it, whichever thread has the turn.
     */
    volatile SelectionKey key;

    boolean timed;
    /** Whether this is among those that the poller counts. Written by the registering thread, before the turn's owner hears of this. */
    boolean counted;

    boolean closed;
    /** Whether the kernel's watch has ended, or never began. Only of use once this is {@link #closed}. */
    boolean unwatched;
    /** The next registration that has ended and is to be released. */
    Registration nextEnded;

    /** Since when memory or stack has run out in methods of the pollable; 0 for never. */
    long failingSince;
    /** When that was met last. */
    long failedAt;
    /** Whether this is among the registrations with something to try again. */
    boolean retried;

    Registration nextToRetry;

    Registration(Poller poller, Pollable pollable, int interest, Object attachment) {
        this.poller = poller;
        this.pollable = pollable;
        this.interest = interest;
        this.attachment = attachment;
    }

    /** The object that the registrant gave. */
    public Object attachment() {
        return attachment;
    }

    /** The operations of interest. */
    public int interest() {
        return interest;
    }

    /**
     * Changes the operations of interest. As with the JDK's selectors, a poll under way need not notice.
     *
     * @param ops the new operations
     */
    public void interest(int ops) {
        if (interest != ops) {
            interest = ops;
            leaveWord(REFRESH);
        }
    }

    /**
     * Hands this to the poller. The registering thread calls it once. No command about this is carried out before. If the JDK's selector
     * watches its channel already, and there is nothing else to look at, the poller has nothing to do for it.
     *
     * @param watched whether the JDK's selector has its channel; if not, the registration ends
     */
    void begin(boolean watched) {
        if (watched && pending.compareAndSet(REFRESH, 0)) { // from now on whoever leaves word hands this to the poller
            boolean isTold = false;
            try {
                isTold = !pollable.isPolled() && pollable.isKernels() && pollable.deadline() == Long.MAX_VALUE;
            } finally {
                if (!isTold) {
                    leaveWord(REFRESH); // also after an error, which then meets the poller
                }
                poller.wakeForCommands();
            }
            return;
        }
        if (!watched) {
            int unused = add(CLOSE);
        }
        poller.push(this);
        if ((pending.get() & CLOSE) != 0) { // after that: a thread that leaves word from now on sees to it
            poller.runCommandsSoon();
        } else {
            poller.wakeForCommands();
        }
    }

    /** The pollable has changed what it watches, or has something new in memory: looks at it soon. */
    public void refresh() {
        leaveWord(REFRESH);
        poller.wakeForCommands();
    }

    /** Has the poller hear of a ring of the shared channel; any thread runs it. In the monitor of {@link KernelWatch}'s shared channels. */
    Runnable ringer() {
        if (ringer == null) {
            ringer = new Ringer();
        }
        return ringer;
    }

    private final class Ringer implements Runnable {
        @Override
        public void run() {
            leaveWord(RING);
            poller.wakeForCommands();
        }
    }

    /** Stands for the threads that wait with this registration's poller: the same object for all its registrations. */
    public Object waiter() {
        return poller;
    }

    /**
     * Registers another pollable of the same object with the same poller, to be told when it can be read. Its
     * registration ends on its own.
     *
     * @param other the pollable to wait for
     * @return its registration, whose attachment is this registration
     * @throws ClosedChannelException if the pollable is closed
     */
    public Registration alongside(Pollable other) throws ClosedChannelException {
        return poller.register(other, SelectionKey.OP_READ, this);
    }

    /**
     * Ends the registration: at once if no thread has the poller's turn, otherwise very soon. {@link
     * Pollable#released} reports the end. Idempotent.
     */
    public void close() {
        closeInPoll();
        poller.runCommandsSoon();
    }

    /**
     * As {@link #close}, but the next poll of any thread carries it out, and looks at the kernel once for all such
     * registrations.
     */
    public void closeInPoll() {
        SelectionKey watchedKey = key;
        if (watchedKey != null) {
            // The key is cancelled at once, so that the kernel's channel may go back to blocking mode.
            watchedKey.cancel();
        }
        leaveWord(CLOSE);
    }

    private void leaveWord(int what) {
        if (add(what) == 0) {
            poller.push(this);
        }
    }

    /** Adds commands to those to carry out, and returns those that were there before. */
    private int add(int what) {
        int before;
        do {
            before = pending.get();
        } while ((before | what) != before && !pending.compareAndSet(before, before | what));
        return before;
    }

    int takePending() {
        return pending.getAndSet(0);
    }

    /** Hands this to the poller again, with commands that were taken and not carried out. By the turn's owner. */
    void putBack(int what) {
        int before = add(what);
        if (before == 0 && what != 0) {
            poller.push(this);
        }
    }

    /** As {@link #putBack}, if the commands may not have been taken: this is in no stack. */
    void putBackWhole() {
        if (pending.get() != 0) {
            poller.push(this);
        }
    }
}
