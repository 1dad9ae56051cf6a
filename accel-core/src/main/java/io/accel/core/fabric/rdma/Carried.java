// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.OwnershipSecrets;

/**
 * What one end of a handshake says it knows of the bytes that the connection has carried. It shows the other end that the two probably
 * have the same connection, before either sends anything over the connection that a program without Accel would take for its bytes.
 *
 * <p>The client says how many bytes it has sent and received, with a digest of the latter, which the listener's end has certainly sent. The
 * listener's end answers with the numbers for which both ends have sums, and a digest of both directions.
 *
 * @param sent how many bytes of those that its sender has sent this is about
 * @param received how many bytes of those that its sender has received this is about
 * @param tag the digest
 */
record Carried(int sent, int received, long tag) {
    static final Carried NOTHING = new Carried(0, 0, 0);

    private static final int ASKING = 0;
    private static final int ANSWERING = 1;

    /** The conclusion of either end. */
    enum Verdict {
        /** The peer knows enough of the bytes. */
        SAME,
        /** There are too few bytes to tell. */
        TOO_LITTLE,
        /** The peer has another connection, or none. */
        OTHER
    }

    /**
     * What a client says.
     *
     * @param seen the first bytes; null if they were not watched
     * @param key the client's {@linkplain Offer#secrets(long, long) random numbers}
     */
    static Carried asked(Beginnings seen, byte[] key) {
        if (seen == null) {
            return NOTHING;
        }
        int received = Beginnings.common(seen.received(), Beginnings.LIMIT);
        return new Carried(seen.sent(), received, tagOfAsking(seen.sumOfReceived(received), received, key));
    }

    private static long tagOfAsking(int sum, int length, byte[] key) {
        return OwnershipSecrets.tag(key, ASKING, length, sum);
    }

    /**
     * What the listener's end answers to this.
     *
     * @param seen the first bytes as seen there; null if they were not watched
     * @param key the random numbers of both ends
     */
    Carried answer(Beginnings seen, byte[] key) {
        if (seen == null) {
            return NOTHING;
        }
        int out = Beginnings.common(seen.sent(), received);
        int in = Beginnings.common(sent, seen.received());
        return new Carried(out, in, tagOfAnswer(out, seen.sumOfSent(out), in, seen.sumOfReceived(in), key));
    }

    private static long tagOfAnswer(int out, int sumOut, int in, int sumIn, byte[] key) {
        return OwnershipSecrets.tag(key, ANSWERING, out, sumOut, in, sumIn);
    }

    /**
     * What the listener's end concludes from this, which a client has said.
     *
     * @param seen as in {@link #answer}
     * @param key the client's random numbers
     */
    Verdict ofClient(Beginnings seen, byte[] key) {
        int known = seen == null ? 0 : seen.sent();
        if (received == 0 || !Beginnings.isComparable(received, known)) {
            return Verdict.TOO_LITTLE; // an end that had a link before may have stopped watching earlier than the other
        }
        if (tag != tagOfAsking(seen.sumOfSent(received), received, key)) {
            return Verdict.OTHER;
        }
        return isEnough(received, known) ? Verdict.SAME : Verdict.TOO_LITTLE;
    }

    /**
     * What the client concludes from the answer to this.
     *
     * @param answer the answer
     * @param seen as in {@link #asked}
     * @param key the random numbers of both ends
     */
    Verdict ofAnswer(Carried answer, Beginnings seen, byte[] key) {
        if (seen == null) {
            return Verdict.SAME; // a loopback address, where nothing is watched
        }
        int out = answer.received();
        int in = answer.sent();
        if (!Beginnings.isComparable(out, sent) || !Beginnings.isComparable(in, received)) {
            return Verdict.OTHER;
        }
        if (!isEnough(answer)) {
            return Verdict.TOO_LITTLE;
        }
        return answer.tag() == tagOfAnswer(in, seen.sumOfReceived(in), out, seen.sumOfSent(out), key)
                ? Verdict.SAME
                : Verdict.OTHER;
    }

    /** Whether an answer to this, which a client has said, is about enough of the bytes. */
    boolean isEnough(Carried answer) {
        return isEnough(answer.received(), sent) && isEnough(answer.sent(), received);
    }

    /** Whether so many bytes are at least half of all, so that nobody chooses just the few that are easily guessed. */
    private static boolean isEnough(int some, int all) {
        return 2 * some >= all;
    }
}
