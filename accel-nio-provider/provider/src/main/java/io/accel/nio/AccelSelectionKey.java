// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.poll.Registration;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;

/** A channel's key with our selector; its interest set lives in the poller's registration. */
final class AccelSelectionKey extends IndexedKey {
    private final AccelSelector selector;
    private final AbstractSelectableChannel channel;
    private final boolean kernels;

    /** Null until registered, and if the channel was closed at that moment. Written once, by the registering thread. */
    private volatile Registration registration;

    /** Written by the selecting thread, under the selected-key set's monitor. */
    private volatile int readyOps;

    /** The selection operation that last counted this key, or found it for an action. Only the selecting thread uses it. */
    long round;

    /** @param kernels whether the channel is the JDK's own */
    AccelSelectionKey(AccelSelector selector, AbstractSelectableChannel channel, boolean kernels) {
        this.selector = selector;
        this.channel = channel;
        this.kernels = kernels;
    }

    /** Whether the channel is the JDK's own. */
    boolean isKernels() {
        return kernels;
    }

    void registered(Registration with) {
        registration = with;
    }

    /** Lets the poller forget the channel. */
    void end() {
        Registration ended = registration;
        if (ended != null) {
            ended.close();
        }
    }

    /** Does {@link #end} for a selection that is about to poll. */
    void endInPoll() {
        Registration ended = registration;
        if (ended != null) {
            ended.closeInPoll();
        }
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    /**
     * Returns the selector. {@link #cancel} calls this on the key that it has just made invalid. The poller then forgets a channel of
     * the JDK's at once, which otherwise would not go back to blocking mode before the next selection. Our own channels see to that
     * themselves.
     */
    @Override
    public Selector selector() {
        if (!isValid() && kernels) {
            end();
        }
        return selector;
    }

    @Override
    public int interestOps() {
        ensureValid();
        Registration current = registration;
        return current == null ? 0 : current.interest();
    }

    @Override
    public AccelSelectionKey interestOps(int ops) {
        ensureValid();
        if ((ops & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException("operations " + ops + " of which only " + channel.validOps()
                    + " are valid for " + channel.getClass().getName());
        }
        Registration current = registration;
        if (current != null) {
            current.interest(ops);
        }
        return this;
    }

    @Override
    public int readyOps() {
        ensureValid();
        return readyOps;
    }

    int ready() {
        return readyOps;
    }

    void ready(int ops) {
        readyOps = ops;
    }

    private void ensureValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("channel=")
                .append(channel)
                .append(", selector=")
                .append(selector);
        if (isValid()) {
            Registration current = registration;
            text.append(", interestOps=").append(current == null ? 0 : current.interest());
            text.append(", readyOps=").append(readyOps);
        } else {
            text.append(", invalid");
        }
        return text.toString();
    }
}
