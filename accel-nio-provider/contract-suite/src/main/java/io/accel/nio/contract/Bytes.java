// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Bytes to send, and the ways to send and receive exactly those. */
public final class Bytes {
    private static final int LARGE = 65_536;
    /** At most so many single bytes are written until a large piece is tried again. */
    private static final int SINGLES = 64;

    private Bytes() {}

    /** Bytes that look random, the same for the same seed. */
    public static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    public static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    public static void write(WritableByteChannel channel, byte[] bytes) throws IOException {
        write(channel, ByteBuffer.wrap(bytes));
    }

    /** Writes all that remains, on a channel in blocking mode. */
    public static void write(WritableByteChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            int before = buffer.remaining();
            int n = channel.write(buffer);
            assertThat(before - buffer.remaining()).as("position after a write").isEqualTo(n);
        }
    }

    /** Reads exactly that many bytes. A channel in non-blocking mode is polled. */
    public static byte[] read(ReadableByteChannel channel, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            int n = channel.read(buffer);
            if (n < 0) {
                throw new EOFException("end of stream after " + buffer.position() + " of " + length + " bytes");
            }
            if (n == 0) {
                Thread.onSpinWait();
            }
        }
        return buffer.array();
    }

    public static String readAscii(ReadableByteChannel channel, int length) throws IOException {
        return new String(read(channel, length), StandardCharsets.US_ASCII);
    }

    /** Reads until the end of the stream, on a channel in blocking mode. */
    public static byte[] readToEnd(ReadableByteChannel channel) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
        while (channel.read(buffer.clear()) >= 0) {
            all.write(buffer.array(), 0, buffer.position());
        }
        return all.toByteArray();
    }

    /**
     * Writes until a channel in non-blocking mode has no room for another byte; returns the number of bytes. Room that comes meanwhile
     * is filled with large pieces: byte by byte that would take a slow machine a minute.
     */
    public static int writeWhatFits(SocketChannel channel) throws IOException {
        ByteBuffer large = ByteBuffer.allocate(LARGE);
        int total = 0;
        while (true) {
            int n;
            do {
                n = channel.write(large.clear());
                total += n;
            } while (n > 0);
            for (int i = 0; i < SINGLES; i++) {
                n = channel.write(large.clear().limit(1));
                if (n == 0) {
                    return total;
                }
                total += n;
            }
        }
    }

    /**
     * Writes until there has been no room for another byte for a while, and leaves the channel in blocking mode;
     * returns the number of bytes. A kernel's buffers still grow for a moment after they were full for the first time.
     */
    public static int fill(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        int total = 0;
        for (int idle = 0; idle < Route.current().quietMillis(); idle++) {
            int n = writeWhatFits(channel);
            if (n > 0) {
                total += n;
                idle = 0;
            }
            LockSupport.parkNanos(1_000_000);
        }
        channel.configureBlocking(true);
        return total;
    }

    /** Writes until that fails. */
    public static void writeForever(WritableByteChannel channel) throws IOException {
        writeForever(channel, ByteBuffer.allocate(8192));
    }

    /** Writes until that fails; a write that fails has written nothing, since one byte cannot be written in part. */
    public static void writeSingleBytesForever(WritableByteChannel channel) throws IOException {
        writeForever(channel, ByteBuffer.allocate(1));
    }

    private static void writeForever(WritableByteChannel channel, ByteBuffer buffer) throws IOException {
        while (true) {
            write(channel, buffer.clear());
        }
    }

    /** Compares large arrays without printing them. */
    public static void assertSame(byte[] actual, byte[] expected) {
        assertThat(actual.length).as("bytes received").isEqualTo(expected.length);
        assertThat(Arrays.mismatch(actual, expected))
                .as("first byte that differs")
                .isEqualTo(-1);
    }
}
