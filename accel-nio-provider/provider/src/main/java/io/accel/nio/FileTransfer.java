// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.socket.LinkStream;
import io.accel.core.socket.LinkWriter;
import io.accel.core.socket.Outgoing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Does the work of {@link FileChannel#transferTo} for a channel of ours, where the agent has that method ask. As long as the bytes go
 * through the kernel, the file goes to the JDK's own channel, for which {@code transferTo} has {@code sendfile}. Over a link the file
 * is read into the ring itself.
 *
 * <p>Where there is no room, and at every end of a link, a piece is read and written as the JDK does for channels that it does not
 * know. That write waits or not, moves with the connection, and fails like any other.
 *
 * <p>For one transfer by one thread.
 */
final class FileTransfer {
    /** The bytes published at a time, so that the peer copies one part while this end reads the next. */
    private static final int IN_RING = 64 << 10;
    /** The bytes otherwise read and written at a time; less room than that is not worth a read of its own. */
    private static final int PIECE = 8 << 10;

    /** The channel in the shape of one that the JDK does not know. */
    private record Unknown(SocketChannel channel) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer src) throws IOException {
            return channel.write(src);
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private final AccelSocketChannel channel;
    private final StreamOutput output;
    private final Outgoing out;
    private final FileChannel file;
    /** The buffer for a piece; made at the first need. */
    private ByteBuffer piece;

    FileTransfer(AccelSocketChannel channel, StreamOutput output, Outgoing out, FileChannel file) {
        this.channel = channel;
        this.output = output;
        this.out = out;
        this.file = file;
    }

    /**
     * Sends a part of the file, as {@link FileChannel#transferTo}.
     *
     * @param position where the part begins
     * @param count how many bytes it has at most
     * @return how many bytes were sent
     * @throws IOException as {@code transferTo} does
     */
    long send(long position, long count) throws IOException {
        if (!file.isOpen() || !channel.isOpen() || position < 0 || count < 0) {
            return file.transferTo(position, count, new Unknown(channel)); // which throws what is wrong
        }
        if (count == 0 || position >= file.size()) {
            return sendNothing(position, count);
        }
        long most = Math.min(count, Integer.MAX_VALUE);
        long done = 0;
        try {
            while (done < most) {
                LinkStream link = out.link();
                if (link == null) {
                    boolean some = position + done < file.size(); // a direction comes to the link with a byte
                    link = out.enter(some);
                    if (link == null) {
                        return done + output.giveKernel(file, position + done, most - done, some, done > 0);
                    }
                }
                int n = read(link, position + done, most - done, done > 0);
                boolean isOver = n < 0;
                if (n == 0) {
                    n = write(position + done, most - done);
                    isOver =
                            n < 0 || piece.hasRemaining(); // a piece left over means that the channel takes no more now
                }
                done += Math.max(0, n);
                if (isOver) {
                    break;
                }
            }
        } catch (IOException e) {
            if (done == 0) {
                throw e;
            }
        }
        return done;
    }

    /**
     * Sends a part that has no bytes. That is not a write: the state of the peer does not matter, and the direction stays where it is. The
     * file may have bytes although its size is 0, as those of {@code /proc} have; newer JDKs write these.
     */
    private long sendNothing(long position, long count) throws IOException {
        if (out.enter(false) == null) {
            return output.giveKernel(file, position, count, false, false);
        }
        long size = file.size();
        if (size > 0 && position <= size && channel.isOutputShutdown() && output.refusesTransfers()) {
            throw new AsynchronousCloseException();
        }
        return file.transferTo(position, count, new Unknown(channel));
    }

    /**
     * Reads into the ring.
     *
     * @param behind whether an earlier part is sent, so that the program must learn of that rather than of a failure
     * @return the number of bytes; 0 if there is too little room or no way; -1 at the end of the file, or if the next transfer fails
     */
    private int read(LinkStream link, long from, long left, boolean behind) throws IOException {
        LinkWriter writer = link.writer();
        writer.lock();
        try {
            if (behind && writer.refusesBytes()) {
                return -1;
            }
            int wanted = (int) Math.min(left, IN_RING);
            int room = roomFor(writer, wanted);
            if (room < Math.min(wanted, PIECE)) {
                return 0;
            }
            ByteBuffer ring = writer.memory().duplicate().clear();
            int at = (int) (writer.position() & (ring.capacity() - 1));
            int n = file.read(ring.limit(Math.min(at + room, ring.capacity())).position(at), from);
            if (n > 0) {
                writer.append(n);
                writer.flush();
                if (link.isOver()) {
                    throw new AsynchronousCloseException(); // the end of the link may have come before these bytes
                }
            }
            return n;
        } finally {
            writer.unlock();
        }
    }

    private int roomFor(LinkWriter writer, int wanted) throws IOException {
        try {
            return writer.room(wanted);
        } catch (IOException e) {
            throw output.failedTransfer(e);
        }
    }

    /** Reads a piece and writes it. Returns the number of bytes written, and -1 at the end of the file. */
    private int write(long from, long left) throws IOException {
        if (piece == null) {
            piece = ByteBuffer.allocate((int) Math.min(left, PIECE));
        }
        piece.clear().limit((int) Math.min(left, piece.capacity()));
        int n = file.read(piece, from);
        return n <= 0 ? -1 : channel.write(piece.flip());
    }
}
