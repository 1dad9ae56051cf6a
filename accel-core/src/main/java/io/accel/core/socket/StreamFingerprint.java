// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Beginnings;
import io.accel.core.jdk.JdkBuffers;
import io.accel.core.jdk.MappedCopy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A fingerprint of the first bytes of one direction: the first {@link Beginnings#STEP} bytes themselves, and a checksum after each further
 * {@code STEP} of them, up to {@link Beginnings#LIMIT}. Written in one half of a connection, under its lock; read by any thread.
 *
 * <p>Nothing is allocated before the first byte. A direction takes 400 bytes at most, and 150 if no more than {@code STEP} bytes went that
 * way. A connection has at most one for each direction, and none on loopback.
 */
final class StreamFingerprint {
    private static final int FIRST_SUMS = 4;
    private static final int MOST_SUMS = Beginnings.LIMIT / Beginnings.STEP - 1;

    /** The first bytes; null before there are any. Written before {@link #count}. */
    private byte[] head;
    /** The checksums after 2, 3, 4 steps and so on; null before that. Written before {@link #count}. */
    private int[] sums;
    /** The checksum of the bytes so far, while more are to come behind {@link #head}; otherwise null. The writer's. */
    private CRC32C running;
    /** The number of bytes seen. */
    private volatile int count;
    /** Whether no more bytes are added. Any thread. */
    private volatile boolean frozen;

    /**
     * Adds bytes of this direction that went through the kernel.
     *
     * @param before how many bytes went before; if this has not seen exactly those, it has missed some, and adds nothing
     * @param bytes the buffer that contains them
     * @param from their place in it, whatever its position is
     * @param n how many
     */
    void note(long before, ByteBuffer bytes, int from, int n) {
        int at = count;
        if (frozen || at != before || at == Beginnings.LIMIT || n <= 0) {
            return;
        }
        int end = Math.min(at + n, Beginnings.LIMIT);
        try {
            if (JdkBuffers.isMapping(bytes)) {
                ByteBuffer copy = ByteBuffer.allocate(end - at);
                MappedCopy.copy(bytes, from, copy, 0, end - at);
                add(copy, 0, at, end);
            } else {
                add(bytes, from, at, end);
            }
        } catch (IOException | RuntimeException e) {
            frozen = true; // another thread has just taken the memory away, which the kernel has read or filled
            return;
        }
        running = end == Beginnings.LIMIT ? null : running;
        count = end;
    }

    private void add(ByteBuffer bytes, int from, int begin, int end) {
        int at = begin;
        int source = from;
        while (at < end) {
            int piece = Math.min(end - at, Beginnings.STEP - at % Beginnings.STEP);
            if (at < Beginnings.STEP) {
                keep(bytes, source, at, piece);
            } else {
                sum(bytes, source, at, piece);
            }
            at += piece;
            source += piece;
        }
    }

    /**
     * As {@link #note(long, ByteBuffer, int, int)}, for several buffers, one after the other.
     *
     * @param before how many bytes went before
     * @param bytes the buffers, positioned behind the bytes
     * @param from the place in each buffer where its bytes begin, starting with the buffer at {@code offset}
     * @param offset the first buffer
     */
    void note(long before, ByteBuffer[] bytes, int[] from, int offset) {
        long at = before;
        for (int i = 0; i < from.length; i++) {
            ByteBuffer each = bytes[offset + i];
            int n = each.position() - from[i];
            note(at, each, from[i], n);
            at += n;
        }
    }

    private void keep(ByteBuffer bytes, int from, int at, int n) {
        if (head == null) {
            head = new byte[Beginnings.STEP];
        }
        bytes.get(from, head, at, n);
    }

    private void sum(ByteBuffer bytes, int from, int at, int n) {
        if (running == null) {
            running = new CRC32C();
            running.update(head, 0, Beginnings.STEP);
        }
        running.update(bytes.duplicate().limit(from + n).position(from));
        if ((at + n) % Beginnings.STEP == 0) {
            int index = index(at + n);
            if (sums == null) {
                sums = new int[FIRST_SUMS];
            } else if (index == sums.length) {
                sums = Arrays.copyOf(sums, Math.min(2 * index, MOST_SUMS));
            }
            sums[index] = (int) running.getValue();
        }
    }

    private static int index(int length) {
        return length / Beginnings.STEP - 2;
    }

    /** Whether this would add a byte that comes now. A hint without the half's lock. */
    boolean isOpen() {
        return !frozen && count < Beginnings.LIMIT;
    }

    /** Adds no more bytes from now on: they may not go through the kernel, or not be seen by both ends. Any thread. */
    void freeze() {
        frozen = true;
    }

    int count() {
        return count;
    }

    /** The CRC32C of the first bytes, as many as {@link Beginnings#common} allows. */
    int sum(int length) {
        if (length > count) {
            throw new IllegalArgumentException("the sum of " + length + " bytes of " + count);
        }
        if (length > Beginnings.STEP) {
            return sums[index(length)];
        }
        CRC32C sum = new CRC32C();
        if (length > 0) {
            sum.update(head, 0, length);
        }
        return (int) sum.getValue();
    }

    /** The beginnings of both directions at one end. */
    static Beginnings of(StreamFingerprint sent, StreamFingerprint received) {
        return new Both(sent, received);
    }

    private record Both(StreamFingerprint out, StreamFingerprint in) implements Beginnings {
        @Override
        public int sent() {
            return out.count();
        }

        @Override
        public int received() {
            return in.count();
        }

        @Override
        public int sumOfSent(int length) {
            return out.sum(length);
        }

        @Override
        public int sumOfReceived(int length) {
            return in.sum(length);
        }
    }
}
