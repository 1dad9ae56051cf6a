// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.Subscription;
import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Receives the datagrams of a {@link Subscription}. A receiver whose place was overwritten goes on with the datagram that was published
 * last, and counts those between as lost: once it has fallen behind by a whole ring, older ones would be overwritten next.
 *
 * <p><b>Overwriting.</b> Bytes may change while they are read. So everything is read first, and then {@link Subscription#intended} tells
 * whether it was still there.
 *
 * <p><b>The kernel's copies.</b> Where the kernel delivers the datagrams as well, {@link #isCopy} tells a copy from other datagrams of
 * the same sender by comparing it with the datagrams here, in order: each of these accounts for one copy. So of equal datagrams as many
 * are delivered as were sent, whatever the sender sends to other addresses. Datagrams that were overwritten here unread are the kernel's
 * to deliver, and so are those from before this receiver began.
 *
 * <p>As {@link DatagramReception}; {@link #isCopy} and {@link #awaitsCopy} are for the receiver, {@link #leave} is for any thread.
 */
public final class GroupReceiver implements DatagramReception {
    private static final int MOST_JUMPS = 8;

    private static final VarHandle HEAD;
    private static final VarHandle BYTES;
    private static final VarHandle RECEIVED;
    private static final VarHandle LOST;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = handle(lookup, "head");
            BYTES = handle(lookup, "bytes");
            RECEIVED = handle(lookup, "received");
            LOST = handle(lookup, "lost");
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Subscription subscription;
    private final MemoryRegion ring;
    private final ByteBuffer memory;
    private final int size;

    // The receiver writes these; others read them without order, through the handles.

    private long head;

    @SuppressWarnings("unused") // read through BYTES
    private long bytes;

    @SuppressWarnings("unused") // read through RECEIVED
    private long received;

    @SuppressWarnings("unused") // read through LOST
    private long lost;

    /** Where the receiver's interest ends. Written by the thread that leaves. */
    private volatile long end = Long.MAX_VALUE;

    // Receiver only.

    private final ByteBuffer compared;
    private int length = NONE;
    /** The number of the next datagram, if none is lost. */
    private long number;

    private boolean knowsNumber;
    /** How many lost datagrams the receiver was told of. */
    private long taken;
    /** Behind the last datagram of which the kernel's copy was seen. */
    private long copied;

    /**
     * Makes the receiver of a subscription.
     *
     * @param subscription the subscription
     * @param from the cursor of the first datagram to receive; 0 for everything
     */
    public GroupReceiver(Subscription subscription, long from) {
        this.subscription = subscription;
        this.ring = subscription.receiveRing();
        this.size = ring.size();
        this.memory = ring.memory().order(ByteOrder.nativeOrder());
        this.compared = ring.memory();
        this.head = from;
        this.knowsNumber = from == 0;
        this.copied = head;
    }

    private static VarHandle handle(MethodHandles.Lookup lookup, String name) throws ReflectiveOperationException {
        return lookup.findVarHandle(GroupReceiver.class, name, long.class).withInvokeExactBehavior();
    }

    @Override
    public int next() throws CorruptLinkException {
        if (length != NONE) {
            if (isThere(head)) {
                return length;
            }
            length = NONE;
        }
        for (int jumps = 0; jumps < MOST_JUMPS; jumps++) {
            long from = head;
            long published = subscription.published();
            if (published == from || from >= end) {
                return NONE;
            }
            int at = (int) from & (size - 1);
            int claimed = memory.getInt(at);
            int mark = memory.getInt(at + Integer.BYTES);
            long claimedNumber = memory.getLong(at + GroupFrame.NUMBER);
            if (isThere(from)) {
                check(from, published, claimed, mark, claimedNumber);
                if (knowsNumber && claimedNumber != number) {
                    LOST.setOpaque(this, lost + (claimedNumber - number));
                }
                number = claimedNumber;
                knowsNumber = true;
                length = claimed;
                return claimed;
            }
            jump(from, published);
        }
        return NONE; // a publisher that is so fast is looked at again
    }

    private void check(long from, long published, int claimed, int mark, long claimedNumber)
            throws CorruptLinkException {
        if (mark != GroupFrame.mark(from)
                || claimed < 0
                || claimed > DatagramFrame.MOST
                || GroupFrame.size(claimed) > published - from
                || (knowsNumber && claimedNumber < number)) {
            throw new CorruptLinkException(
                    "the publisher's frame at " + from + " claims " + claimed + " bytes with mark 0x"
                            + Integer.toHexString(mark) + " and number " + claimedNumber + " where " + published
                            + " is published: path given up");
        }
    }

    private void jump(long from, long published) throws CorruptLinkException {
        long latest = subscription.latest();
        if (latest <= from || !GroupFrame.isAligned(latest) || published < from) {
            throw new CorruptLinkException("the publisher's last frame is at " + latest + " where " + published
                    + " is published and " + from + " was read: path given up");
        }
        HEAD.setOpaque(this, latest);
        copied = Math.max(copied, latest);
    }

    /** Whether bytes at a cursor, which were read before this is called, had not been overwritten. */
    private boolean isThere(long cursor) {
        try {
            return subscription.intended() - cursor <= size;
        } catch (RuntimeException | InternalError e) {
            throw new LinkErrorException(e, false);
        }
    }

    @Override
    public boolean take(ByteBuffer dst) throws IOException {
        int n = Math.min(length, dst.remaining());
        int at = dst.position();
        try {
            ring.giveTo(dst, at, head + GroupFrame.HEADER, n);
        } catch (IOException e) {
            skip();
            throw e;
        }
        if (!isThere(head)) {
            length = NONE;
            return false;
        }
        dst.position(at + n);
        taken();
        return true;
    }

    @Override
    public long take(ByteBuffer[] dsts, int offset, int count) throws IOException {
        int n;
        try {
            n = Scatter.fill(ring, head + GroupFrame.HEADER, length, dsts, offset, count);
        } catch (IOException e) {
            skip();
            throw e;
        }
        if (!isThere(head)) {
            length = NONE;
            return NONE;
        }
        Scatter.advance(n, dsts, offset);
        taken();
        return n;
    }

    private void taken() {
        BYTES.setOpaque(this, bytes + length);
        RECEIVED.setOpaque(this, received + 1);
        skip();
    }

    @Override
    public void skip() {
        HEAD.setOpaque(this, head + GroupFrame.size(length));
        number++;
        length = NONE;
    }

    @Override
    public boolean ready() {
        long at = (long) HEAD.getOpaque(this);
        return subscription.published() != at && at < end;
    }

    /** Ends the receiver's interest: what is published from now on is not received. */
    public void leave() {
        end = subscription.published();
    }

    @Override
    public boolean isDone() {
        return (long) HEAD.getOpaque(this) >= end;
    }

    // ---- the kernel's copies

    /** Whether the kernel's copy of the next datagram is still to be expected. */
    public boolean awaitsCopy() {
        return copied <= head;
    }

    /**
     * Whether a datagram that the kernel has brought from the same sender is the copy of one here. The answer may be given once for a
     * datagram.
     *
     * @param datagram the datagram, from its position to its limit, which are not changed
     */
    public boolean isCopy(ByteBuffer datagram) {
        int sought = datagram.remaining();
        long at = copied;
        long intended = subscription.intended();
        if (intended - at > size) {
            at = head; // the copies of those in between were lost, or they would have been seen
        }
        while (at < intended) {
            int index = (int) at & (size - 1);
            int claimed = memory.getInt(index);
            int mark = memory.getInt(index + Integer.BYTES);
            if (mark != GroupFrame.mark(at)
                    || claimed < 0
                    || claimed > DatagramFrame.MOST
                    || GroupFrame.size(claimed) > intended - at) {
                return false; // not written yet, or overwritten
            }
            if (claimed == sought && isEqual(at + GroupFrame.HEADER, datagram) && isThere(at)) {
                copied = at + GroupFrame.size(claimed);
                return true;
            }
            at += GroupFrame.size(claimed);
        }
        return false;
    }

    private boolean isEqual(long cursor, ByteBuffer datagram) {
        int from = datagram.position();
        int to = datagram.limit();
        int index = (int) cursor & (size - 1);
        int first = Math.min(to - from, size - index);
        boolean equal = compared.clear().position(index).limit(index + first).equals(datagram.limit(from + first))
                && compared.clear()
                        .limit(to - from - first)
                        .equals(datagram.limit(to).position(from + first));
        datagram.limit(to).position(from);
        return equal;
    }

    // ---- observation

    @Override
    public void tap(DatagramTap newTap) {
        // Nothing of a publication is captured: its end sees it only after the publisher may have overwritten it.
    }

    @Override
    public void untap() {}

    @Override
    public long bytes() {
        return (long) BYTES.getOpaque(this);
    }

    @Override
    public long received() {
        return (long) RECEIVED.getOpaque(this);
    }

    @Override
    public long lost() {
        return (long) LOST.getOpaque(this);
    }

    /** The number of datagrams that were lost since the last call. For the receiver. */
    public long takeLost() {
        long since = lost - taken;
        taken = lost;
        return since;
    }

    @Override
    public long available() {
        return Math.min(size, Math.max(0, subscription.published() - (long) HEAD.getOpaque(this)));
    }
}
