// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

/**
 * The first bytes of both directions of a connection, as far as one end has seen them. With them, two ends that know
 * each other only by their addresses find out whether they have the same connection. Any thread.
 */
public interface Beginnings {
    /** At most this many bytes of a direction are compared. */
    int LIMIT = 4096;
    /** Up to this length any number of bytes can be compared, and beyond it a multiple of it. */
    int STEP = 64;

    /** How many bytes this end has sent, {@link #LIMIT} at most. The number never falls. */
    int sent();

    /** How many bytes this end has received, {@link #LIMIT} at most. The number never falls. */
    int received();

    /**
     * The CRC32C of the first bytes that were sent.
     *
     * @param length how many bytes, as {@link #common} returns it
     */
    int sumOfSent(int length);

    /**
     * The CRC32C of the first bytes that were received.
     *
     * @param length how many bytes, as {@link #common} returns it
     */
    int sumOfReceived(int length);

    /**
     * How many bytes can be compared.
     *
     * @param one how many bytes one end has sent
     * @param other how many bytes the other end has received
     * @return the greatest number, not above either, for which both have the sum
     */
    static int common(int one, int other) {
        int both = Math.min(one, other);
        return both <= STEP ? both : both / STEP * STEP;
    }

    /**
     * Whether a number of bytes is one that can be compared.
     *
     * @param length the number
     * @param most how many there are
     */
    static boolean isComparable(int length, int most) {
        return length >= 0 && length <= most && common(length, length) == length;
    }
}
