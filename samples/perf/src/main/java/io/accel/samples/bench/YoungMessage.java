// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/** A message with a number, and its echo, over one connection after the other. One thread. */
final class YoungMessage {
    private final ByteBuffer request;
    private final ByteBuffer reply;
    private long sequence;

    YoungMessage(int size) {
        request = ByteBuffer.allocateDirect(size);
        reply = ByteBuffer.allocateDirect(size);
    }

    void send(ByteChannel channel) throws IOException {
        request.clear().putLong(0, ++sequence);
        while (request.hasRemaining()) {
            channel.write(request);
        }
        reply.clear();
    }

    /** Reads what is there of the echo, or waits for it; returns whether that was all. */
    boolean receive(ByteChannel channel) throws IOException {
        if (channel.read(reply) < 0) {
            throw new EOFException("the server closed " + channel);
        }
        if (reply.hasRemaining()) {
            return false;
        }
        if (reply.getLong(0) != sequence) {
            throw new IOException("sent message " + sequence + " but got back " + reply.getLong(0));
        }
        return true;
    }

    /** Sends the message over a blocking channel, and waits for all of its echo. */
    void exchange(ByteChannel channel) throws IOException {
        send(channel);
        boolean all;
        do {
            all = receive(channel);
        } while (!all);
    }

    /** Waits for the end of what the server sends after the echo; returns whether there is nothing else before it. */
    boolean isEnd(ByteChannel channel) throws IOException {
        return channel.read(reply.clear()) < 0;
    }
}
