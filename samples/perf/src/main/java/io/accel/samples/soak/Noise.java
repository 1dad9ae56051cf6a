// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The bytes of a stream: each depends only on the stream's seed and the position, so the receiver checks each. The period
 * is a prime, so a piece that is lost, repeated or moved by any power of two shows. Thread-safe.
 */
final class Noise {
    private static final int PERIOD = 65_521;
    private static final int LONGEST = 1 << 16;
    private static final byte[] BYTES = bytes();

    private Noise() {}

    /** Puts the bytes from {@code position} on into all of {@code buffer}. */
    static void fill(long seed, long position, ByteBuffer buffer) {
        while (buffer.hasRemaining()) {
            int count = Math.min(LONGEST, buffer.remaining());
            buffer.put(BYTES, offset(seed, position), count);
            position += count;
        }
    }

    /** Checks all of {@code buffer}, and leaves it as it was. */
    static void check(long seed, long position, ByteBuffer buffer) throws WrongBytesException {
        ByteBuffer rest = buffer.duplicate();
        while (rest.hasRemaining()) {
            int count = Math.min(LONGEST, rest.remaining());
            ByteBuffer piece = rest.slice(rest.position(), count);
            int wrong = piece.mismatch(ByteBuffer.wrap(BYTES, offset(seed, position), count));
            if (wrong >= 0) {
                throw new WrongBytesException("byte " + (position + wrong) + " of stream " + seed + " is wrong");
            }
            rest.position(rest.position() + count);
            position += count;
        }
    }

    private static int offset(long seed, long position) {
        return (int) Math.floorMod(seed % PERIOD + position % PERIOD, (long) PERIOD);
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[PERIOD + LONGEST];
        SplittableRandom random = new SplittableRandom(17);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = i < PERIOD ? (byte) random.nextInt() : bytes[i - PERIOD];
        }
        return bytes;
    }
}
