// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.poll.KernelPollable;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A selector over a {@link Poller}. Its keys and key sets follow the JDK's rules, and the core does the waiting.
 *
 * <p>A selection operation synchronizes on the selector, then on the selected-key set, as {@link Selector} promises. User
 * code never runs while the poller's turn is held.
 */
final class AccelSelector extends AbstractSelector {
    private final Poller poller;
    private final Poller.Sink intoSelected = new IntoSelected();

    private final KeySet keys = new KeySet();
    private final Set<SelectionKey> keysView = keys.view();
    private final SelectedKeys selected = new SelectedKeys();

    // The selecting thread's, under both monitors.
    private boolean selecting;
    private int updated;
    private long round;
    private final List<AccelSelectionKey> batch = new ArrayList<>();
    /** Null as long as no selection was for an action. */
    private Poller.Sink intoBatch;

    private AccelSelector(AccelSelectorProvider provider, Poller poller) {
        super(provider);
        this.poller = poller;
    }

    /** Opens one. A class that calls this can be loaded without this one. */
    static AbstractSelector over(AccelSelectorProvider provider, Poller poller) {
        return new AccelSelector(provider, poller);
    }

    @Override
    public Set<SelectionKey> keys() {
        ensureOpen();
        return keysView;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        ensureOpen();
        return selected;
    }

    // ---- selecting

    @Override
    public int selectNow() throws IOException {
        return selectFor(0, null);
    }

    @Override
    public int select() throws IOException {
        return selectFor(-1, null);
    }

    @Override
    public int select(long timeout) throws IOException {
        return selectFor(toNanos(timeout), null);
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) throws IOException {
        return selectFor(0, Objects.requireNonNull(action, "action"));
    }

    @Override
    public int select(Consumer<SelectionKey> action) throws IOException {
        return selectFor(-1, Objects.requireNonNull(action, "action"));
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
        Objects.requireNonNull(action, "action");
        return selectFor(toNanos(timeout), action);
    }

    private static long toNanos(long millis) {
        if (millis < 0) {
            throw new IllegalArgumentException("Negative timeout");
        }
        return millis == 0 ? -1 : millis > Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE : millis * 1_000_000;
    }

    private int selectFor(long timeoutNanos, Consumer<SelectionKey> action) throws IOException {
        synchronized (this) {
            ensureOpen();
            if (selecting) {
                throw new IllegalStateException("select in progress");
            }
            selecting = true;
            try {
                synchronized (selected) {
                    removeCancelled(true);
                    updated = 0;
                    round++;
                    if (action == null) {
                        poller.poll(timeoutNanos, intoSelected);
                    } else {
                        selectBatch(timeoutNanos, action);
                    }
                    removeCancelled(false);
                    return updated;
                }
            } finally {
                selecting = false;
            }
        }
    }

    /** Classes with names: a lambda costs a young JVM more than all that a program needs for its first selection. */
    private final class IntoSelected implements Poller.Sink {
        @Override
        public void ready(Registration registration, int ops) {
            addSelected(registration, ops);
        }
    }

    private final class IntoBatch implements Poller.Sink {
        @Override
        public void ready(Registration registration, int ops) {
            addToBatch(registration, ops);
        }
    }

    private void addSelected(Registration registration, int ops) {
        AccelSelectionKey key = (AccelSelectionKey) registration.attachment();
        if (!key.isValid()) {
            return;
        }
        if (selected.addKey(key)) {
            key.ready(ops);
            count(key);
        } else {
            int before = key.ready();
            if ((before | ops) != before) {
                key.ready(before | ops);
                count(key);
            }
        }
    }

    /** Counts a key once in an operation, even if the kernel finds it ready for one thing and its link for another. */
    private void count(AccelSelectionKey key) {
        if (key.round != round) {
            key.round = round;
            updated++;
        }
    }

    private void addToBatch(Registration registration, int ops) {
        AccelSelectionKey key = (AccelSelectionKey) registration.attachment();
        if (key.round == round) {
            key.ready(key.ready() | ops); // the key was found twice in one operation
        } else {
            key.round = round;
            key.ready(ops);
            batch.add(key);
        }
    }

    private void selectBatch(long timeoutNanos, Consumer<SelectionKey> action) throws IOException {
        try {
            poller.poll(timeoutNanos, intoBatch == null ? newBatch() : intoBatch);
            for (AccelSelectionKey key : batch) {
                if (key.isValid()) {
                    updated++;
                    action.accept(key);
                    ensureOpen();
                }
            }
        } finally {
            batch.clear();
        }
    }

    private Poller.Sink newBatch() {
        intoBatch = new IntoBatch();
        return intoBatch;
    }

    /** @param polls whether a poll follows, which may end the registrations */
    private void removeCancelled(boolean polls) throws IOException {
        Set<SelectionKey> cancelled = cancelledKeys();
        // Asked without the lock: a cancellation that happened before this selection is seen anyway.
        if (cancelled.isEmpty()) {
            return;
        }
        synchronized (cancelled) {
            for (Iterator<SelectionKey> i = cancelled.iterator(); i.hasNext(); ) {
                AccelSelectionKey key = (AccelSelectionKey) i.next();
                i.remove();
                try {
                    if (polls) {
                        key.endInPoll();
                    } else {
                        key.end();
                    }
                } finally { // nobody comes to this key again
                    keys.remove(key);
                    selected.remove(key);
                    drop(key);
                }
            }
        }
    }

    /** Takes the key from its channel, and finishes the channel's close if that waited for this last key. */
    private void drop(AccelSelectionKey key) throws IOException {
        deregister(key);
        SelectableChannel channel = key.channel();
        if (channel.isOpen() || channel.isRegistered()) {
            return;
        }
        if (channel instanceof AccelSocketChannel own) {
            own.finishClose();
        } else if (key.isKernels()) {
            // The JDK's selector in the poller found our key still there, and so left it to us.
            JdkAccess.finishClose(channel);
        }
    }

    @Override
    public Selector wakeup() {
        poller.wakeup();
        return this;
    }

    // ---- registering

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object attachment) {
        ensureOpen();
        Pollable own = ownPollable(channel);
        Pollable pollable = own != null ? own : kernelsPollable(channel);
        AccelSelectionKey key = new AccelSelectionKey(this, channel, own == null);
        key.attach(attachment);
        keys.add(key);
        try {
            key.registered(poller.register(pollable, ops, key));
        } catch (ClosedChannelException e) {
            // Another thread is closing the channel and will cancel this key with its others.
            return key;
        } catch (RuntimeException | Error e) {
            keys.remove(key); // the channel does not know of it
            throw e;
        }
        if (!isOpen()) {
            key.end();
            keys.remove(key);
            throw new ClosedSelectorException();
        }
        return key;
    }

    /** The pollable of one of our channels; null for any other. */
    private static Pollable ownPollable(AbstractSelectableChannel channel) {
        if (channel instanceof AccelSocketChannel socket) {
            return socket.pollable();
        }
        if (channel instanceof AccelServerSocketChannel listener) {
            return listener.pollable();
        }
        return channel instanceof AccelDatagramChannel datagrams ? datagrams.pollable() : null;
    }

    private static Pollable kernelsPollable(AbstractSelectableChannel channel) {
        // The provider that the channel names does not matter: the JDK gives channels that it inherits the default one,
        // ours.
        if (JdkAccess.isKernels(channel)) {
            return new KernelPollable(channel);
        }
        throw new IllegalSelectorException();
    }

    // ---- closing

    @Override
    protected void implCloseSelector() throws IOException {
        poller.wakeup();
        synchronized (this) {
            synchronized (selected) {
                try {
                    endKeys();
                    selected.clear();
                } finally {
                    poller.close();
                }
            }
        }
    }

    /** Ends each key, whatever happens to those before. */
    private void endKeys() throws IOException {
        Throwable failure = null;
        for (Iterator<IndexedKey> i = keys.iterator(); i.hasNext(); ) {
            AccelSelectionKey key = (AccelSelectionKey) i.next();
            i.remove();
            try {
                key.end();
            } catch (RuntimeException | Error e) {
                failure = e;
            }
            try {
                drop(key);
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            }
        }
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException exception) {
            throw exception;
        } else if (failure != null) {
            throw (IOException) failure;
        }
    }

    @Override
    public String toString() {
        return getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(this));
    }

    private void ensureOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }
}
