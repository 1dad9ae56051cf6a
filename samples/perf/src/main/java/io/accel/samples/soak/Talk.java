// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** The client's side of conversations on one connection. Not thread-safe. */
final class Talk {
    private static final int MOST_PIECES = 500;

    private final Wire wire;
    private final SplittableRandom random;
    private ByteBuffer out = ByteBuffer.allocate(0);
    private ByteBuffer in = out;
    private final CRC32C checksum = new CRC32C();
    private long sent;
    private long received;

    /** @param random decides the pieces in which bytes are written and read */
    Talk(Wire wire, SplittableRandom random) {
        this.wire = wire;
        this.random = random;
    }

    /** A piece of any size, but not so small that a long conversation takes all of the time. */
    private ByteBuffer buffer(long length) {
        int size = (int) (1 + length / MOST_PIECES + random.nextInt(1 << random.nextInt(4, 17)));
        return random.nextBoolean() ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
    }

    /** Has the whole conversation. */
    void hold(Conversation conversation) throws IOException, WrongBytesException {
        ByteBuffer header = ByteBuffer.allocate(Conversation.HEADER);
        conversation.write(header);
        writeAll(header.flip());
        sent = 0;
        received = 0;
        checksum.reset();
        out = buffer(conversation.length()).limit(0);
        in = buffer(conversation.length());
        boolean sends = conversation.kind() != Conversation.Kind.SOURCE;
        long toSend = sends ? conversation.length() : 0;
        long toReceive = conversation.kind() == Conversation.Kind.SINK ? 0 : conversation.length();
        while (sent < toSend || out.hasRemaining() || received < toReceive) {
            if (!step(conversation, toSend, toReceive)) {
                wire.awaitEither(sent < toSend || out.hasRemaining());
            }
        }
        if (conversation.kind() == Conversation.Kind.SINK) {
            ByteBuffer answer = readAll(Conversation.CHECKSUM);
            long answered = answer.getLong();
            if (answered != checksum.getValue()) {
                throw new WrongBytesException(String.format(
                        Locale.ROOT, "the server's checksum is %016x, not %016x", answered, checksum.getValue()));
            }
        }
    }

    /** Moves what can be moved, in either direction; false if nothing can. */
    private boolean step(Conversation conversation, long toSend, long toReceive)
            throws IOException, WrongBytesException {
        boolean moved = false;
        if (!out.hasRemaining() && sent < toSend) {
            out.clear().limit((int) Math.min(1 + random.nextInt(out.capacity()), toSend - sent));
            Noise.fill(conversation.seed(), sent, out);
            checksum.update(out.flip());
            sent += out.rewind().remaining();
        }
        if (out.hasRemaining()) {
            int before = out.remaining();
            wire.write(out);
            moved = out.remaining() < before;
        }
        // A reader must not wait for more of an answer than it asked for.
        long due = toSend == 0 || wire.duplex() ? toReceive : Math.min(toReceive, sent - out.remaining());
        while (received < due && (!moved || !wire.duplex() || toSend == 0 || random.nextBoolean())) {
            in.clear().limit((int) Math.min(in.capacity(), due - received));
            int count = read();
            if (count == 0) {
                break;
            }
            Noise.check(conversation.seed(), received, in.flip());
            received += count;
            moved = true;
        }
        return moved;
    }

    private int read() throws IOException {
        int count = wire.read(in);
        if (count < 0) {
            throw new EOFException("end of stream after " + received + " bytes of an answer");
        }
        return count;
    }

    private void writeAll(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int before = bytes.remaining();
            wire.write(bytes);
            if (bytes.remaining() == before) {
                wire.awaitEither(true);
            }
        }
    }

    private ByteBuffer readAll(int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            int count = wire.read(bytes);
            if (count < 0) {
                throw new EOFException("end of stream where an answer should be");
            }
            if (count == 0) {
                wire.awaitEither(false);
            }
        }
        return bytes.flip();
    }

    /** Waits for the server to close. */
    void awaitEnd() throws IOException, WrongBytesException {
        ByteBuffer one = ByteBuffer.allocate(1);
        int count = wire.read(one);
        while (count == 0) {
            wire.awaitEither(false);
            count = wire.read(one);
        }
        if (count > 0) {
            throw new WrongBytesException("a byte where the end of the stream should be");
        }
    }
}
