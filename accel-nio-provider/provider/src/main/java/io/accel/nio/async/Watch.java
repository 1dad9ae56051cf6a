// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * The interest set of a channel in its group's selector. Any thread may call this. For one operation, only the thread that holds the
 * monitor of the pending operation may, so that none is forgotten.
 *
 * <p>An interest stays set when its event has come, so that the next wait costs nothing. It ends when the event comes and no operation
 * is pending.
 */
final class Watch {
    private final EventLoop loop;
    private final SelectableChannel channel;
    private final EventLoop.Client client;

    /** The key, from the first wait on. Guarded by this. */
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

    /** Stops waiting for an operation. The thread that selects calls this, or notices it at its next selection. */
    synchronized void remove(int operation) {
        try {
            if (key != null) {
                key.interestOpsAnd(~operation);
            }
        } catch (CancelledKeyException e) {
            // The channel is closed, which ends all waiting.
        }
    }

    /** Called when the channel is closed: the selector then forgets it soon. */
    synchronized void end() {
        if (key != null) {
            loop.notice();
        }
    }
}
