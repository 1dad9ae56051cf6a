// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.Link;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The state of a connection's receiving side: how far the peer has published, and its states. It is read by any thread. The peer's words
 * are taken by one thread at a time, under the {@link SharedQueue}'s lock; the rest is called under the link's.
 *
 * <p>Nothing that a peer sends is trusted. A length that the ring cannot hold turns the cursor into one that no peer
 * can reach, and so does a word that no peer sends; the stream protocol finds that, and resets the connection.
 */
final class Inbound {
    /** A cursor that is never valid. */
    static final long NONSENSE = Long.MAX_VALUE;

    private volatile long published;
    /** Whether a word was found that no peer sends; never taken back. */
    private volatile boolean isNonsense;

    private final AtomicInteger states = new AtomicInteger();
    private long received;

    /** Takes one immediate word. Returns its fault, or null. */
    String take(int word) {
        received++;
        int value = Immediate.value(word);
        switch (Immediate.op(word)) {
            case Immediate.DATA -> {
                // The sum can only exceed what the reader allows, never wrap: 2^29 a message for 2^34 messages.
                long before = published;
                published = before + value;
                return null;
            }
            case Immediate.STATE -> {
                if ((value & ~Link.SAID) != 0) {
                    return nonsense("states 0x" + Integer.toHexString(value));
                }
                addStates(value);
                return null;
            }
            case Immediate.CREDIT -> {
                return null;
            }
            default -> {
                return nonsense("an unknown message 0x" + Integer.toHexString(word));
            }
        }
    }

    /** From here on readers find a cursor that no peer can have written. */
    String nonsense(String what) {
        isNonsense = true;
        return what;
    }

    void addStates(int more) {
        int before;
        do {
            before = states.get();
        } while (!states.compareAndSet(before, before | more));
    }

    void forget(int passed) {
        int before;
        do {
            before = states.get();
        } while (!states.compareAndSet(before, before & ~passed));
    }

    long published() {
        long now = published; // first: what followed the nonsense is not shown
        return isNonsense ? NONSENSE : now;
    }

    int states() {
        return states.get();
    }

    /** How many messages were taken so far. */
    long received() {
        return received;
    }
}
