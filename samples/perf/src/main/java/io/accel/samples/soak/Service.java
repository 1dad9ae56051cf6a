// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The server's side of one connection: takes the bytes that arrive and says what to send, whoever moves the bytes. Not thread-safe.
 */
final class Service {
    private static final int PIECE = 1 << 16;

    private final Tally tally;
    private final SocketAddress peer;
    /** Of the connection. */
    private long arrived;

    private int conversations;
    private final ByteBuffer header = ByteBuffer.allocate(Conversation.HEADER);
    private final ByteBuffer in = ByteBuffer.allocateDirect(PIECE);
    private final ByteBuffer out = ByteBuffer.allocateDirect(PIECE);
    private final CRC32C checksum = new CRC32C();
    private Conversation current;
    private long received;
    private long sent;
    private boolean ended;

    /** @param peer the client's address, for messages */
    Service(Tally tally, SocketAddress peer) {
        this.tally = tally;
        this.peer = peer;
        out.limit(0);
        tally.connections.incrementAndGet();
    }

    /** The buffer for the next bytes, with room for as many as are wanted now; none while there is something to send. */
    ByteBuffer wanted() {
        in.clear();
        if (current == null) {
            return in.limit(header.remaining());
        }
        long left = current.kind() == Conversation.Kind.SOURCE ? 0 : current.length() - received;
        return in.limit(out.hasRemaining() ? 0 : (int) Math.min(PIECE, left));
    }

    /** The bytes to send now. */
    ByteBuffer toSend() {
        if (!out.hasRemaining()
                && current != null
                && current.kind() == Conversation.Kind.SOURCE
                && sent < current.length()) {
            out.clear().limit((int) Math.min(PIECE, current.length() - sent));
            Noise.fill(current.seed(), sent, out);
            sent += out.flip().remaining();
        }
        return out;
    }

    /** {@link #wanted()} has got bytes. */
    void arrived() throws WrongBytesException {
        in.flip();
        arrived += in.remaining();
        if (current == null) {
            header.put(in);
            if (!header.hasRemaining()) {
                current = Conversation.read(header.flip());
                header.clear();
                received = 0;
                sent = 0;
                checksum.reset();
            }
            return;
        }
        Noise.check(current.seed(), received, in);
        received += in.remaining();
        if (current.kind() == Conversation.Kind.ECHO) {
            out.clear().put(in).flip();
        } else {
            checksum.update(in);
            if (received == current.length()) {
                out.clear().putLong(checksum.getValue()).flip();
            }
        }
    }

    /** Asked after bytes were sent or have arrived. */
    boolean shouldClose() {
        if (current != null && !out.hasRemaining()) {
            long moved = current.kind() == Conversation.Kind.SOURCE ? sent : received;
            if (moved == current.length()) {
                tally.finished(current);
                conversations++;
                ended = current.closes();
                current = null;
            }
        }
        return ended;
    }

    /** There are no more bytes: the stream has ended, or {@code what} went wrong. */
    void over(boolean wrong, String what) {
        if (wrong || current != null || header.position() > 0) {
            tally.failed(
                    current != null && current.resident(),
                    wrong,
                    "by the server of " + peer + ", after " + conversations + " conversations and " + arrived
                            + " bytes, in " + current + ": " + what);
        }
    }
}
