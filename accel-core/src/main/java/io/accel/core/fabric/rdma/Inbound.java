package io.accel.core.fabric.rdma;

import io.accel.core.fabric.Link;

/**
 * What a connection has received: how far the peer has published, and its states. Written only under the link's lock, and
 * read by any thread.
 *
 * <p>Nothing that a peer sends is believed. A length that the ring cannot hold makes the cursor one that no peer can come
 * to, and so does a word that no peer sends; the stream protocol finds that, and resets the connection.
 */
final class Inbound {
    /** A cursor that is never right. */
    static final long NONSENSE = Long.MAX_VALUE;

    private volatile long published;
    private volatile int states;
    private long received;

    /** Takes one immediate word. Returns what is wrong with it, or null. */
    String take(int word) {
        received++;
        int value = Immediate.value(word);
        switch (Immediate.op(word)) {
            case Immediate.DATA -> {
                // Added up it can only exceed what the reader allows, never wrap: 2^29 a message for 2^34 messages.
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

    /** From here on readers find what no peer can have written. */
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

    /** Messages taken so far. */
    long received() {
        return received;
    }
}
