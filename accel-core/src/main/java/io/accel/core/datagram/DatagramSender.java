// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.ProgramBuffers;
import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The sending half of a link that carries datagrams. One sender at a time. {@link #tap} and {@link #untap} may be
 * called by any other thread at the same time, one at a time.
 */
public final class DatagramSender {
    private static final VarHandle TAIL;
    private static final VarHandle BYTES;
    private static final VarHandle SENT;
    private static final VarHandle DROPPED;
    private static final VarHandle TAP;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = handle(lookup, "tail");
            BYTES = handle(lookup, "bytes");
            SENT = handle(lookup, "sent");
            DROPPED = handle(lookup, "dropped");
            TAP = lookup.findVarHandle(DatagramSender.class, "tap", DatagramTap.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Link link;
    private final MemoryRegion ring;
    private final ByteBuffer memory;
    private final int size;

    /** Null for none. Written by the thread that taps, through the handle. */
    @SuppressWarnings("unused") // read through TAP
    private DatagramTap tap;

    // The sender writes the fields below; others read them without order, through the handles, for the counters.

    /** The end of the published bytes. */
    private long tail;

    @SuppressWarnings("unused") // read through BYTES
    private long bytes;

    @SuppressWarnings("unused") // read through SENT
    private long sent;

    @SuppressWarnings("unused") // read through DROPPED
    private long dropped;

    /** The last {@link Link#released} that was seen and found valid; such that there is no room once this is torn. Sender only. */
    private long released;
    /** The error that a publishing has met, after which nobody knows what the peer has; null for none. Sender only. */
    private Throwable torn;

    /**
     * Makes the sending half of a link on which nothing was sent yet.
     *
     * @param link the connection, whose rings take the longest datagram
     */
    public DatagramSender(Link link) {
        this.link = link;
        this.ring = link.sendRing();
        this.size = ring.size();
        this.memory = ring.memory().order(ByteOrder.nativeOrder());
    }

    private static VarHandle handle(MethodHandles.Lookup lookup, String name) throws ReflectiveOperationException {
        return lookup.findVarHandle(DatagramSender.class, name, long.class).withInvokeExactBehavior();
    }

    /**
     * Sends one datagram, or drops it if the receiver has no room. If the buffer fails, nothing is sent, and its position stays.
     *
     * @param src the datagram, from its position to its limit, at most {@link DatagramFrame#MOST} bytes; the position
     *     advances to the limit if it does not fail
     * @return whether it was sent
     * @throws IOException {@link CorruptLinkException} if the peer wrote nonsense; "Bad address" if the buffer's memory is not there
     * @throws IllegalStateException if the buffer's arena is closed
     * @throws LinkErrorException if the link fails; unless it is {@linkplain LinkErrorException#isBehind behind}, the position stays
     */
    public boolean send(ByteBuffer src) throws IOException {
        int length = src.remaining();
        int from = src.position();
        if (length == 0) {
            ProgramBuffers.check(src); // also where nothing is copied
        }
        boolean room = hasRoom(length);
        if (room) {
            ring.takeFrom(src, from, tail + DatagramFrame.HEADER, length);
            src.position(from + length);
            publish(length);
        } else {
            ProgramBuffers.check(src);
            src.position(from + length);
            drop();
        }
        return room;
    }

    /**
     * Sends one datagram that lies in several buffers, or drops it. If any of them fails, nothing is sent, and all positions stay.
     *
     * @param srcs the buffers
     * @param offset the index of the first
     * @param count how many
     * @param length the sum of the bytes that remain in them, at most {@link DatagramFrame#MOST}
     * @return whether it was sent
     * @throws IOException as {@link #send(ByteBuffer)}
     * @throws IllegalStateException as {@link #send(ByteBuffer)}
     * @throws LinkErrorException as {@link #send(ByteBuffer)}
     */
    public boolean send(ByteBuffer[] srcs, int offset, int count, int length) throws IOException {
        ProgramBuffers.check(srcs, offset, count);
        boolean room = hasRoom(length);
        long to = tail + DatagramFrame.HEADER;
        for (int i = offset; room && i < offset + count; i++) {
            ByteBuffer src = srcs[i];
            int n = src.remaining();
            ring.takeFrom(src, src.position(), to, n);
            to += n;
        }
        for (int i = offset; i < offset + count; i++) {
            srcs[i].position(srcs[i].limit());
        }
        if (room) {
            publish(length);
        } else {
            drop();
        }
        return room;
    }

    private boolean hasRoom(int length) throws CorruptLinkException {
        int needed = DatagramFrame.size(length);
        return size - (tail - released) >= needed || size - (tail - refresh()) >= needed;
    }

    private void drop() {
        DROPPED.setOpaque(this, dropped + 1);
    }

    private void publish(int length) {
        try {
            publishUnlessError(length);
        } catch (RuntimeException | Error e) {
            torn = e;
            released = tail - size; // from now on each send comes to refresh()
            throw new LinkErrorException(e, true);
        }
    }

    private void publishUnlessError(int length) {
        long from = tail;
        int at = (int) from & (size - 1);
        memory.putInt(at, length);
        memory.putInt(at + Integer.BYTES, DatagramFrame.MAGIC);
        long to = from + DatagramFrame.size(length);
        TAIL.setOpaque(this, to);
        BYTES.setOpaque(this, bytes + length);
        SENT.setOpaque(this, sent + 1);
        // Read without order, in the object that was just written: a load that hits the cache, and a branch that is
        // never taken. A sender that nobody captures pays no more than that.
        DatagramTap taken = (DatagramTap) TAP.getOpaque(this);
        if (taken != null) {
            VarHandle.acquireFence();
            taken.take(ring, from + DatagramFrame.HEADER, length); // before the peer can see it, and answer
        }
        link.publish(from, to);
    }

    /**
     * Has a tap take each datagram that is sent from now on, but not dropped ones. If a send is under way, the tap
     * may take its datagram or miss it.
     *
     * @param newTap the tap
     */
    public void tap(DatagramTap newTap) {
        TAP.setRelease(this, newTap);
    }

    /** Removes the tap. As {@link #tap}. */
    public void untap() {
        TAP.setRelease(this, (DatagramTap) null);
    }

    private long refresh() throws CorruptLinkException {
        if (torn != null) {
            throw new LinkErrorException(torn, false);
        }
        long cursor;
        try {
            cursor = link.released();
        } catch (RuntimeException | InternalError e) {
            throw new LinkErrorException(e, false);
        }
        if (cursor < released || cursor > tail) {
            throw new CorruptLinkException("the peer's consumer cursor is " + cursor + ", which is not between "
                    + released + " and " + tail + ": path given up");
        }
        released = cursor;
        return cursor;
    }

    /** The number of bytes sent. Any thread. As all counts, perhaps a moment late. */
    public long bytes() {
        return (long) BYTES.getOpaque(this);
    }

    /** The number of datagrams sent. Any thread. */
    public long sent() {
        return (long) SENT.getOpaque(this);
    }

    /** The number of datagrams dropped for want of room. Any thread. */
    public long dropped() {
        return (long) DROPPED.getOpaque(this);
    }

    /**
     * The number of bytes of the ring that the peer has not given back. A hint for any thread that knows that the link exists.
     */
    public long queued() {
        return Math.min(size, Math.max(0, (long) TAIL.getOpaque(this) - link.released()));
    }
}
