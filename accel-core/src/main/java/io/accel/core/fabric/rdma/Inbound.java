// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.Link;

/**
 * The state of a connection's receiving side: how far the peer has published, and its states. It is written only
 * under the link's lock, and read by any thread.
 *
 * <p>Nothing that a peer sends is trusted. A length that the ring cannot hold turns the cursor into one that no peer
 * can reach, and so does a word that no peer sends; the stream protocol finds that, and resets the connection.
 */
final class Inbound {
    /** A cursor that is never valid. */
    static final long NONSENSE = Long.MAX_VALUE;

    private volatile long published;
    private volatile int states;
    private long received;

    /** Takes one immediate word. Returns its fault, or null. */
    String take(int word) {
        received++;
        int value = Immediate.value(word);
        switch (Immediate.op(word)) {
            case Immediate.DATA -> {
                // The sum can only exceed what the reader allows, never wrap: 2^29 a message for 2^34 messages.
                long before = published;
                if (before != NONSENSE) {
                    published = before + value;
                }
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
        published = NONSENSE;
        return what;
    }

    void addStates(int more) {
        int before = states;
        states = before | more;
    }

    void forget(int passed) {
        int before = states;
        states = before & ~passed;
    }

    long published() {
        return published;
    }

    int states() {
        return states;
    }

    /** How many messages were taken so far. */
    long received() {
        return received;
    }
}
