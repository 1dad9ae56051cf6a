// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.Pipe;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Copies bytes from or to a mapping of a file, of which pages may be gone because the file was truncated, or cannot be read.
 *
 * <p>The copy goes through a pipe, since a system call that meets such a page fails with {@code EFAULT}, as the JDK's channels do. A copy in
 * the JVM meets a signal in place of that, which JDK 17 tells as an {@code InternalError} some time later, when the bytes may have been sent
 * or given up. A pipe needs no file system and no memory when it is empty, and non-blocking reads and writes of it care for no interrupt.
 *
 * <p>All methods may be called by any thread.
 */
public final class MappedCopy {
    /** The bytes that a pipe takes by default; if it takes fewer, the copy takes more turns. */
    private static final int PIECE = 64 << 10;
    /** More threads than this that copy at the same time open a pipe each time. */
    private static final int MOST_IDLE = 4;

    private static final int MOST_LOOKED_AT = 1 << 20;

    private static final String FAULT = "Bad address";

    private static final BlockingQueue<Pipe> IDLE = new ArrayBlockingQueue<>(MOST_IDLE);

    private MappedCopy() {}

    /**
     * Copies bytes without touching the buffers' positions.
     *
     * @param src the source
     * @param srcIndex the absolute index in it of the first byte
     * @param dst the destination, other memory
     * @param dstIndex the absolute index in it of the first byte
     * @param length how many
     * @throws IOException "Bad address" if memory of either is not there
     * @throws IllegalStateException as any use of the buffers does
     */
    public static void copy(ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length) throws IOException {
        Pipe pipe = IDLE.poll();
        if (pipe == null) {
            pipe = open();
            if (pipe == null) {
                copyHere(src, srcIndex, dst, dstIndex, length);
                return;
            }
        }
        boolean done = false;
        try {
            copy(
                    pipe,
                    src.duplicate().clear().position(srcIndex),
                    dst.duplicate().clear().position(dstIndex),
                    length);
            done = true;
        } finally {
            if (!done || !IDLE.offer(pipe)) { // after a failure there may be bytes in it
                close(pipe);
            }
        }
    }

    /**
     * Copies bytes to the position of a buffer that may be a mapping or not, and leaves the position as it is.
     *
     * @param src the source, whose position is not changed
     * @param srcIndex the absolute index in it of the first byte
     * @param dst the destination
     * @param length how many, at most as many as it has room for
     * @throws IOException as {@link #copy}
     * @throws IllegalStateException as {@link #copy}
     */
    public static void fill(ByteBuffer src, int srcIndex, ByteBuffer dst, int length) throws IOException {
        if (JdkBuffers.isMapping(dst)) {
            copy(src, srcIndex, dst, dst.position(), length);
        } else {
            dst.put(dst.position(), src, srcIndex, length);
        }
    }

    /**
     * Copies all bytes of a buffer that may be a mapping or not, and leaves its position as it is.
     *
     * @param src the source
     * @param dst the destination
     * @param dstIndex the absolute index in it of the first byte
     * @throws IOException as {@link #copy}
     * @throws IllegalStateException as {@link #copy}
     */
    public static void take(ByteBuffer src, ByteBuffer dst, int dstIndex) throws IOException {
        if (JdkBuffers.isMapping(src)) {
            copy(src, src.position(), dst, dstIndex, src.remaining());
        } else {
            dst.put(dstIndex, src, src.position(), src.remaining());
        }
    }

    /** As {@link #fill}, and moves the position behind the bytes. */
    public static void put(ByteBuffer src, int srcIndex, ByteBuffer dst, int length) throws IOException {
        int at = dst.position();
        fill(src, srcIndex, dst, length);
        dst.position(at + length);
    }

    private static void copy(Pipe pipe, ByteBuffer from, ByteBuffer to, int length) throws IOException {
        int end = from.position() + length;
        while (from.position() < end) {
            int n = pipe.sink().write(from.limit(Math.min(end, from.position() + PIECE)));
            to.limit(to.position() + n);
            while (to.hasRemaining()) {
                if (pipe.source().read(to) <= 0) {
                    throw new IOException("a pipe has lost bytes");
                }
            }
        }
    }

    /** Returns a new pipe; null if the process has no descriptor left. */
    private static Pipe open() {
        Pipe pipe = null;
        try {
            pipe = JdkAccess.kernelProvider().openPipe();
            pipe.sink().configureBlocking(false);
            pipe.source().configureBlocking(false);
            return pipe;
        } catch (IOException e) {
            if (pipe != null) {
                close(pipe);
            }
            return null;
        }
    }

    /** The copy of a process without a descriptor to spare. */
    private static void copyHere(ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
            throws IOException {
        try {
            dst.put(dstIndex, src, srcIndex, length);
        } catch (InternalError e) {
            throw new IOException(FAULT, e);
        }
    }

    private static void close(Pipe pipe) {
        close(pipe.sink());
        close(pipe.source());
    }

    private static void close(Channel end) {
        try {
            end.close();
        } catch (IOException e) {
            // The pipe is not used any more, and nobody waits for it.
        }
    }

    /** Whether the first bytes of a mapping, up to 1 MiB, can be copied now. */
    public static boolean isThere(ByteBuffer mapping) {
        int n = Math.min(mapping.remaining(), MOST_LOOKED_AT);
        ByteBuffer nowhere = ByteBuffer.allocateDirect(Math.min(n, PIECE));
        try {
            for (int done = 0; done < n; done += nowhere.capacity()) {
                copy(mapping, mapping.position() + done, nowhere, 0, Math.min(n - done, nowhere.capacity()));
            }
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** Whether an operation failed because memory of one of its buffers is not there. */
    public static boolean isFault(IOException e) {
        return FAULT.equals(e.getMessage());
    }
}
