// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One thing that a client asks of a server, which begins with these fields. A connection carries any number, one after
 * the other.
 *
 * @param resident whether nobody kills the client
 * @param closes whether the server closes the connection afterwards
 * @param seed the seed of the stream
 * @param length how many bytes, at least one
 */
record Conversation(Kind kind, boolean resident, boolean closes, long seed, long length) {
    /** The server's task with the bytes. */
    enum Kind {
        /** The server sends back what it gets. */
        ECHO('e'),
        /** The server gets them, and answers with their checksum. */
        SINK('i'),
        /** The server sends them. */
        SOURCE('o');

        private final byte code;

        Kind(char code) {
            this.code = (byte) code;
        }
    }

    static final int HEADER = 24;
    static final int CHECKSUM = Long.BYTES;

    private static final int MAGIC = 0x50ac;
    private static final int LONGEST_BITS = 20;
    private static final Kind[] KINDS = Kind.values();

    /** Short conversations as often as long ones, of up to a mebibyte. */
    static Conversation random(SplittableRandom random, boolean resident, boolean closes) {
        long most = 1L << random.nextInt(LONGEST_BITS + 1);
        long length = 1 + random.nextLong(most);
        return new Conversation(KINDS[random.nextInt(KINDS.length)], resident, closes, random.nextLong(), length);
    }

    void write(ByteBuffer buffer) {
        buffer.putInt(MAGIC)
                .put(kind.code)
                .put((byte) (resident ? 1 : 0))
                .put((byte) (closes ? 1 : 0))
                .put((byte) 0);
        buffer.putLong(seed).putLong(length);
    }

    static Conversation read(ByteBuffer buffer) throws WrongBytesException {
        int magic = buffer.getInt();
        byte code = buffer.get();
        Optional<Kind> kind =
                Arrays.stream(KINDS).filter(each -> each.code == code).findFirst();
        boolean resident = buffer.get() == 1;
        boolean closes = buffer.get() == 1;
        buffer.get();
        long seed = buffer.getLong();
        long length = buffer.getLong();
        if (magic != MAGIC || kind.isEmpty() || length < 1 || length > 1L << LONGEST_BITS) {
            throw new WrongBytesException("no conversation begins with " + Integer.toHexString(magic) + ", kind " + code
                    + ", length " + length);
        }
        return new Conversation(kind.get(), resident, closes, seed, length);
    }
}
