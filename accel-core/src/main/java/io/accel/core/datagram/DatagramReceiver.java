// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The receiving half of a link that carries datagrams. It gives ring space back when a quarter of the ring was read.
 * So a reader that has read everything leaves room for the longest datagram, since a ring has at least 128 KiB.
 *
 * <p>One receiver at a time; {@link #ready} may be called by another thread at the same time and is then a hint.
 * {@link #tap} and {@link #untap} may be called by any other thread at the same time, one at a time.
 */
public final class DatagramReceiver implements DatagramReception {
    private static final VarHandle HEAD;
    private static final VarHandle BYTES;
    private static final VarHandle RECEIVED;
    private static final VarHandle TAP;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = handle(lookup, "head");
            BYTES = handle(lookup, "bytes");
            RECEIVED = handle(lookup, "received");
            TAP = lookup.findVarHandle(DatagramReceiver.class, "tap", DatagramTap.class)
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

    // The receiver writes the fields below; others read them without order, through the handles.

    /** The cursor where the next datagram begins. */
    private long head;

    @SuppressWarnings("unused") // read through BYTES
    private long bytes;

    @SuppressWarnings("unused") // read through RECEIVED
    private long received;

    // Receiver only.

    /** The cursor up to which the peer knows bytes to be consumed. */
    private long credited;
    /** The last {@link Link#published} that was seen and found valid. */
    private long tail;
    /** The length of the datagram that {@link #next} has found. */
    private int length = NONE;

    /**
     * Makes the receiving half of a link on which nothing was received yet.
     *
     * @param link the connection
     */
    public DatagramReceiver(Link link) {
        this.link = link;
        this.ring = link.receiveRing();
        this.size = ring.size();
        this.memory = ring.memory().order(ByteOrder.nativeOrder());
    }

    private static VarHandle handle(MethodHandles.Lookup lookup, String name) throws ReflectiveOperationException {
        return lookup.findVarHandle(DatagramReceiver.class, name, long.class).withInvokeExactBehavior();
    }

    @Override
    public int next() throws CorruptLinkException {
        if (length != NONE) {
            return length;
        }
        if (tail == head && !refresh()) {
            return NONE;
        }
        int at = (int) head & (size - 1);
        // The length is read once, into a local: the peer can write there at any time.
        int claimed = memory.getInt(at);
        int magic = memory.getInt(at + Integer.BYTES);
        if (magic != DatagramFrame.MAGIC
                || claimed < 0
                || claimed > DatagramFrame.MOST
                || DatagramFrame.size(claimed) > tail - head) {
            throw new CorruptLinkException("the peer's frame at " + head + " claims " + claimed + " bytes with mark 0x"
                    + Integer.toHexString(magic) + " where " + (tail - head) + " were published: path given up");
        }
        length = claimed;
        return claimed;
    }

    @Override
    public boolean take(ByteBuffer dst) throws IOException {
        int n = Math.min(length, dst.remaining());
        int at = dst.position();
        try {
            ring.giveTo(dst, at, head + DatagramFrame.HEADER, n);
        } catch (IOException e) {
            advance();
            throw e;
        }
        taken();
        dst.position(at + n); // last: after an error the datagram is lost
        return true;
    }

    @Override
    public long take(ByteBuffer[] dsts, int offset, int count) throws IOException {
        int n;
        try {
            n = Scatter.fill(ring, head + DatagramFrame.HEADER, length, dsts, offset, count);
        } catch (IOException e) {
            advance();
            throw e;
        }
        taken();
        Scatter.advance(n, dsts, offset);
        return n;
    }

    @Override
    public void skip() {
        advance();
    }

    private void taken() {
        // As in DatagramSender: a load that hits the cache, and a branch that is never taken while nobody captures.
        DatagramTap told = (DatagramTap) TAP.getOpaque(this);
        if (told != null) {
            VarHandle.acquireFence();
            told.take(ring, head + DatagramFrame.HEADER, length); // before the peer may overwrite it
        }
        advance();
    }

    @Override
    public void tap(DatagramTap newTap) {
        TAP.setRelease(this, newTap);
    }

    @Override
    public void untap() {
        TAP.setRelease(this, (DatagramTap) null);
    }

    private void advance() {
        long to = head + DatagramFrame.size(length);
        HEAD.setOpaque(this, to);
        BYTES.setOpaque(this, bytes + length);
        RECEIVED.setOpaque(this, received + 1);
        length = NONE;
        if (to - credited >= size / 4) {
            try {
                link.consumed(to);
            } catch (RuntimeException | InternalError e) {
                throw new LinkErrorException(e, true);
            }
            credited = to; // last: what has met a want of memory is said again
        }
    }

    @Override
    public boolean ready() {
        return link.published() != (long) HEAD.getOpaque(this);
    }

    private boolean refresh() throws CorruptLinkException {
        long published = link.published();
        long available = published - head;
        if (available < 0 || available > size || published < tail) {
            throw new CorruptLinkException("the peer's producer cursor is " + published + ", which is not within "
                    + size + " bytes after " + head + ": path given up");
        }
        tail = published;
        return available != 0;
    }

    @Override
    public long bytes() {
        return (long) BYTES.getOpaque(this);
    }

    @Override
    public long received() {
        return (long) RECEIVED.getOpaque(this);
    }

    @Override
    public long available() {
        return Math.min(size, Math.max(0, link.published() - (long) HEAD.getOpaque(this)));
    }
}
