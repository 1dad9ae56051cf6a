// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/**
 * Counts how many of the peer's receive requests may still be used. Every message with an immediate word takes one;
 * the peer says in its control cell how many it has posted since the beginning.
 *
 * <p>Some are kept back. A connection comes to at most four new states in its life, so four are never used for anything
 * else; a few more are for credits alone. So states always get through, whatever data and credits are on their way, and
 * a credit that cannot wake the peer is still written into its cell, which takes no receive. Not thread-safe.
 */
final class ReceiveCredits {
    /** How many are kept for states. */
    static final int STATES = 4;
    /** How many are kept for credits, beside those for states. */
    static final int CREDITS = 4;
    /** How many a peer has to offer at least. */
    static final int LEAST = 16;

    private long granted;
    private long used;

    /**
     * Makes the credits of a new connection.
     *
     * @param initial how many receives the peer has posted
     */
    ReceiveCredits(int initial) {
        this.granted = initial;
    }

    boolean allowData() {
        return granted - used > STATES + CREDITS;
    }

    boolean allowCredit() {
        return granted - used > STATES;
    }

    boolean allowState() {
        return granted - used > 0;
    }

    void use() {
        used++;
    }

    /**
     * Takes the peer's count of posted receives.
     *
     * @param total how many receives the peer has posted since the beginning
     * @return false if no peer can have that count: less than before, or more than its receives at hand and those
     * used
     */
    boolean grant(long total, int depth) {
        if (total < granted || total - used > depth) {
            return false;
        }
        granted = total;
        return true;
    }
}
