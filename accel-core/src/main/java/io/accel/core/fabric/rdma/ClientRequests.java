// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The work for clients that ask for a link, one piece for each client, in the order in which they came. A piece makes a queue pair and
 * registers memory, which takes a device hundreds of microseconds. So a turn does a few pieces only, and the connections that exist have
 * their turn in between, however many clients come at once. Only the service's thread uses it.
 */
final class ClientRequests {
    /** How long a turn goes on with further pieces. */
    static final long TURN_NANOS = 1_000_000;

    private final LongSupplier clock;
    private final Map<Object, Runnable> waiting = new LinkedHashMap<>();

    /** @param clock the time in nanoseconds, as {@link System#nanoTime} */
    ClientRequests(LongSupplier clock) {
        this.clock = clock;
    }

    /** Adds work for a client that has none waiting. The work must not throw. */
    void add(Object client, Runnable work) {
        waiting.put(client, work);
    }

    /** Does the work for a client at once, if there is any, since there is news of that client. */
    void hurry(Object client) {
        Runnable work = waiting.remove(client);
        if (work != null) {
            work.run();
        }
    }

    /** Does some of the work, one piece at least. Returns whether any is left. */
    boolean doSome() {
        long begun = clock.getAsLong();
        while (!waiting.isEmpty()) {
            Iterator<Runnable> first = waiting.values().iterator();
            Runnable work = first.next();
            first.remove();
            work.run();
            if (clock.getAsLong() - begun >= TURN_NANOS) {
                break;
            }
        }
        return !waiting.isEmpty();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }
}
