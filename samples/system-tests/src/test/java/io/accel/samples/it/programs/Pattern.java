// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * The bytes that every test stream carries: the byte at a position depends on the position alone.
 *
 * <p>So the receiver checks each byte, and if a stream was cut short, it can still say that the bytes that came were right. The period
 * is a prime, so that a piece that is repeated, lost or moved by any power of two shows. Safe for use by several
 * threads.
 */
final class Pattern {
    private static final int PERIOD = 65_521;
    private static final int LONGEST = 1 << 20;
    private static final byte[] BYTES = bytes();

    private Pattern() {}

    /** A view of the stream from the position on; {@code length} is at most 1 MiB. */
    static ByteBuffer at(long position, int length) {
        if (length > LONGEST) {
            throw new IllegalArgumentException("at most " + LONGEST + " bytes at once, not " + length);
        }
        return ByteBuffer.wrap(BYTES, (int) (position % PERIOD), length).slice();
    }

    /** Checks that the received bytes are those of the stream from the position on. */
    static void check(long position, ByteBuffer received) {
        int wrong = received.mismatch(at(position, received.remaining()));
        if (wrong >= 0) {
            throw new IllegalStateException("wrong byte at position " + (position + wrong) + " of the stream");
        }
    }

    private static byte[] bytes() {
        byte[] period = new byte[PERIOD];
        new Random(17).nextBytes(period);
        byte[] all = new byte[PERIOD + LONGEST];
        for (int i = 0; i < all.length; i++) {
            all[i] = period[i % PERIOD];
        }
        return all;
    }
}
