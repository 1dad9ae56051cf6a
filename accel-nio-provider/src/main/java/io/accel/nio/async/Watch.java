package io.accel.nio.async;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * What a channel is waited for by its group's selector. Any thread may call; of one operation only who holds the monitor that
 * guards its pending operation, so that none is forgotten.
 *
 * <p>What has been waited for stays so when it has come: the next wait then costs nothing. It ends when it comes and nobody wants it.
 */
final class Watch {
    private final EventLoop loop;
    private final SelectableChannel channel;
    private final EventLoop.Client client;

    /** From the first wait on. Guarded by this. */
    private SelectionKey key;

    Watch(EventLoop loop, SelectableChannel channel, EventLoop.Client client) {
        this.loop = loop;
        this.channel = channel;
        this.client = client;
    }

    /** Waits for an operation. */
    synchronized void add(int operation) throws ClosedChannelException {
        try {
            if (key == null) {
                key = channel.register(loop.selector(), operation, client);
            } else if ((key.interestOps() & operation) != 0) {
                return;
            } else {
                key.interestOpsOr(operation);
            }
        } catch (CancelledKeyException | ClosedSelectorException e) {
            ClosedChannelException closed = new ClosedChannelException();
            closed.initCause(e);
            throw closed;
        }
        loop.notice();
    }

    /** Waits for it no more; called by the thread that selects, or to be noticed when it does so next. */
    synchronized void remove(int operation) {
        try {
            if (key != null) {
                key.interestOpsAnd(~operation);
            }
        } catch (CancelledKeyException e) {
            // Closed, which ends all waiting.
        }
    }

    /** The channel is closed: the selector forgets it soon. */
    synchronized void end() {
        if (key != null) {
            loop.notice();
        }
    }
}
