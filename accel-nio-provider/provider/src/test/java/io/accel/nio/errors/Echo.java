// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import io.accel.nio.AccelSelectorProvider;
import io.accel.testing.InjectedErrors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that sends back what it gets, and ends when its client does. As a sturdy program does, it closes a connection that has failed, and
 * tries an operation again that has met an error.
 */
abstract class Echo implements AutoCloseable {
    static final int PIECE = 8 * 1024;
    /** How many operations of one connection may meet an error, one after the other. */
    static final int MOST_ERRORS = 20;

    /** How many connections were closed before their clients ended. */
    final AtomicInteger given = new AtomicInteger();
    /** What no program has to expect. */
    final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();

    /** The ways in which a program waits for its connections. */
    enum Way {
        SELECTOR,
        GROUP,
        BLOCKING,
        VIRTUAL;

        Echo open(AccelSelectorProvider provider) throws IOException {
            return switch (this) {
                case SELECTOR -> new SelectorEcho(provider);
                case GROUP -> new GroupEcho(provider);
                case BLOCKING -> new BlockingEcho(provider, false);
                case VIRTUAL -> new BlockingEcho(provider, true);
            };
        }
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    abstract InetSocketAddress address() throws IOException;

    /** Takes note of the failure of an operation. Returns whether to close the connection. */
    final boolean isOver(Throwable e, int errorsBefore) {
        if (e instanceof IOException) {
            return true;
        }
        if (!InjectedErrors.Kind.isAny(e)) {
            surprises.add(e);
            return true;
        }
        return errorsBefore >= MOST_ERRORS;
    }

    /** Closes one connection, which must not fail. */
    final void close(AutoCloseable connection, boolean early) {
        if (early) {
            given.incrementAndGet(); // before the client can find out
        }
        try {
            connection.close();
        } catch (Throwable e) {
            surprises.add(e);
        }
    }

    @Override
    public abstract void close() throws IOException;
}
