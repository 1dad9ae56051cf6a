// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.ProgramBuffers;
import io.accel.core.fabric.Publication;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Sends the datagrams of a {@link Publication}. It never waits, and fails only with the program's buffer. One sender at a time; the counts are for any thread.
 *
 * <p>A datagram is first {@linkplain #write written}, and then {@linkplain #publish published}, so that the kernel's copy can go out in
 * between. A reader may compare a copy of the kernel's with a datagram that is written, and may deliver one that is published. One that
 * is not published, because the kernel did not take it or its buffer failed, is written over by the next.
 */
public final class GroupSender {
    private static final VarHandle BYTES;
    private static final VarHandle SENT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            BYTES = lookup.findVarHandle(GroupSender.class, "bytes", long.class).withInvokeExactBehavior();
            SENT = lookup.findVarHandle(GroupSender.class, "sent", long.class).withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Publication publication;
    private final MemoryRegion ring;
    private final ByteBuffer memory;
    private final int size;

    // Sender only.
    private long tail;
    private int length;

    // The sender writes these; others read them without order, through the handles.

    @SuppressWarnings("unused") // read through BYTES
    private long bytes;

    @SuppressWarnings("unused") // read through SENT
    private long sent;

    /**
     * Makes the sender of a publication to which nothing was published yet.
     *
     * @param publication the publication, whose ring takes the longest datagram
     */
    public GroupSender(Publication publication) {
        this.publication = publication;
        this.ring = publication.ring();
        this.size = ring.size();
        this.memory = ring.memory().order(ByteOrder.nativeOrder());
    }

    /**
     * Writes one datagram.
     *
     * @param src the datagram, from its position to its limit, at most {@link DatagramFrame#MOST} bytes; it is not changed
     * @throws IOException "Bad address" if the buffer's memory is not there; then nothing can be published, and the next write is in place
     *     of this
     * @throws IllegalStateException if the buffer's arena is closed; then the same
     */
    public void write(ByteBuffer src) throws IOException {
        ProgramBuffers.check(src);
        begin(src.remaining());
        ring.takeFrom(src, src.position(), tail + GroupFrame.HEADER, length);
        end();
    }

    /**
     * Writes one datagram that lies in several buffers, which are not changed.
     *
     * @param srcs the buffers
     * @param offset the index of the first
     * @param count how many
     * @param total the sum of the bytes that remain in them, at most {@link DatagramFrame#MOST}
     * @throws IOException as {@link #write(ByteBuffer)}
     * @throws IllegalStateException as {@link #write(ByteBuffer)}
     */
    public void write(ByteBuffer[] srcs, int offset, int count, int total) throws IOException {
        begin(total);
        long to = tail + GroupFrame.HEADER;
        for (int i = offset; i < offset + count; i++) {
            int n = srcs[i].remaining();
            ring.takeFrom(srcs[i], srcs[i].position(), to, n);
            to += n;
        }
        end();
    }

    private void begin(int total) {
        length = total;
        publication.intend(tail + GroupFrame.size(total));
    }

    /** Writes the header, after the bytes. */
    private void end() {
        int at = (int) tail & (size - 1);
        memory.putLong(at + GroupFrame.NUMBER, sent);
        memory.putInt(at, length);
        memory.putInt(at + Integer.BYTES, GroupFrame.mark(tail));
    }

    /** Numbers the next datagrams as if so many more had been published before: readers count these as lost. */
    public void skip(long count) {
        SENT.setOpaque(this, sent + count);
    }

    /** Publishes the datagram that was written last. */
    public void publish() {
        long from = tail;
        tail = from + GroupFrame.size(length);
        BYTES.setOpaque(this, bytes + length);
        SENT.setOpaque(this, sent + 1);
        publication.publish(from, tail);
    }

    /** Says that nothing more of the datagram that was written last goes out by the kernel, whether or not it was published. */
    public void settle() {
        publication.settle();
    }

    /** The number of bytes published. As all counts, perhaps a moment late. */
    public long bytes() {
        return (long) BYTES.getOpaque(this);
    }

    /** The number of datagrams published, and of those skipped. */
    public long sent() {
        return (long) SENT.getOpaque(this);
    }
}
