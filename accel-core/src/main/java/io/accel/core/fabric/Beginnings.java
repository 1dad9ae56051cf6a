package io.accel.core.fabric;

/**
 * The first bytes of both directions of a connection, as far as one end has seen them: so two ends that know each other by
 * their addresses alone find out whether it is one connection that they have. Any thread.
 */
public interface Beginnings {
    /** So many bytes of a direction are compared at most. */
    int LIMIT = 4096;
    /** Up to here any number of bytes can be compared, and beyond it a multiple of it. */
    int STEP = 64;

    /** How many bytes this end has sent, {@link #LIMIT} at most. Never less than it was. */
    int sent();

    /** How many bytes this end has received, {@link #LIMIT} at most. Never less than it was. */
    int received();

    /**
     * The CRC32C of the first bytes that were sent.
     *
     * @param length how many, as {@link #common} has it
     */
    int sumOfSent(int length);

    /**
     * The CRC32C of the first bytes that were received.
     *
     * @param length how many, as {@link #common} has it
     */
    int sumOfReceived(int length);

    /**
     * How many bytes can be compared.
     *
     * @param one as many as one end has sent
     * @param other as many as the other has received
     * @return the greatest number not above either of which both have the sum
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
