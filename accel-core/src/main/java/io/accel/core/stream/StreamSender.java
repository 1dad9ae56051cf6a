// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.ProgramBuffers;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The sending half of a stream: bytes in order into the peer's ring, then FIN.
 *
 * <p>One writer at a time; {@link #ready} may be called by another thread at the same time and is then a hint. So may
 * {@link #tap}: the writer decides once for each publish, by a field that it looks at anyway, whether a {@link
 * StreamTap} takes the bytes.
 */
public final class StreamSender {
    private static final VarHandle TAIL;
    private static final VarHandle PUBLISHES;
    private static final VarHandle FAREWELL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(StreamSender.class, "tail", long.class).withInvokeExactBehavior();
            PUBLISHES = lookup.findVarHandle(StreamSender.class, "publishes", long.class)
                    .withInvokeExactBehavior();
            FAREWELL = lookup.findVarHandle(StreamSender.class, "farewell", Farewell.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The state of a connection whose peer may have closed in order. */
    private enum Farewell {
        /** As far as the writer knows, the peer reads. */
        NONE,
        /** As far as the writer knows, the peer reads, and a tap takes the published bytes. */
        TAPPED,
        /** The write under way is accepted, though nobody reads it. */
        ACCEPTED,
        /** With TCP, the answer to that write has come: nothing is accepted any more. */
        OVER
    }

    private final PeerReset reset;
    private final Endings endings;
    /** The states of a peer that reads no more. */
    private final int unread;

    private final Link link;
    private final MemoryRegion ring;
    private final int size;
    private final int lowWater;

    /** All bytes before this cursor are published. Written by the writer, read by the poller for a hint. */
    private long tail;
    /** How often bytes were published. Written by the writer, read by others without order. */
    @SuppressWarnings("unused") // read through PUBLISHES
    private long publishes;
    /** The cursor of the next byte to send: {@link #append appended} bytes lie between the two. Writer only. */
    private long next;
    /** The last {@link Link#released} that was seen and found valid. Writer only. */
    private long released;
    /** How many times this has {@linkplain #begin begun}. Written by the writer. */
    private volatile int prefaces;
    /** How many bytes the prefaces took. Written by the writer. */
    private volatile long prefaceBytes;
    /** The cursor of the program's first byte since this last {@linkplain #begin began}. Writer only. */
    private long origin;
    /** The end of the last bytes that were sent from the program's own memory. Writer only. */
    private long inPlaceTo;
    /** The number that this last began with. Writer only. */
    private long said;
    /**
     * The writer reads and writes it without order. The thread that taps goes from {@link Farewell#NONE} to {@link
     * Farewell#TAPPED} and back, by compare-and-set, which cannot undo the writer's findings.
     */
    private Farewell farewell = Farewell.NONE;
    /** Whether an error came between accepting bytes and publishing them, so that nobody knows whether the peer has them. Writer only. */
    private boolean torn;
    /** Whether the write under way has waited for room, and so is told of events that came meanwhile. Writer only. */
    private boolean waited;
    /** Written by the thread that taps, before {@link Farewell#TAPPED} can be seen. */
    private volatile StreamTap tap;

    /**
     * Makes the sending half of a link on which nothing was sent yet.
     *
     * @param link the connection
     * @param lowWater from how many bytes of free ring the stream counts as writable; cut to half a ring
     */
    public StreamSender(Link link, int lowWater) {
        this(link, lowWater, new PeerReset(), Endings.TCP);
    }

    /**
     * Makes the sending half of a connection whose receiving half is in use as well.
     *
     * @param link the connection
     * @param lowWater as above
     * @param receiver the other half; the two agree on which of them reports a reset
     */
    public StreamSender(Link link, int lowWater, StreamReceiver receiver) {
        this(link, lowWater, receiver.peerReset(), receiver.endings());
    }

    private StreamSender(Link link, int lowWater, PeerReset reset, Endings endings) {
        this.reset = reset;
        this.endings = endings;
        this.unread = endings.unread();
        this.link = link;
        this.ring = link.sendRing();
        this.size = ring.size();
        this.lowWater = Math.max(1, Math.min(lowWater, size / 2));
    }

    /**
     * Begins with a number, which the receiver {@linkplain StreamReceiver#takePreface takes} before all bytes: as the
     * first thing to be sent, or after the receiver has {@linkplain #isFollowed followed}.
     *
     * @param said the number, not negative
     * @return false if there is no room for the number
     * @throws CorruptLinkException if the peer wrote nonsense
     */
    public boolean begin(long said) throws CorruptLinkException {
        int length = Preface.length(next);
        if (free(length) < length) {
            return false;
        }
        ring.copyIn(next, ByteBuffer.allocate(Preface.NUMBER).putLong(0, said), 0, Preface.NUMBER);
        long from = tail;
        this.said = said;
        next += length;
        tail = next;
        origin = next;
        int before = prefaces;
        prefaces = before + 1;
        long beforeBytes = prefaceBytes;
        prefaceBytes = beforeBytes + length;
        publish(from);
        return true;
    }

    /** Leaves the link after the bytes sent: the peer goes on by another way when it has read them all. */
    public void leave() {
        link.signal(Link.LEFT);
    }

    /**
     * Whether the peer has read all bytes that were sent before this {@linkplain #leave left}; true once for each
     * time.
     */
    public boolean isFollowed() {
        long unused = link.published(); // a fabric learns of states only when it is looked at
        if ((link.peerState() & Link.FOLLOWED) == 0) {
            return false;
        }
        link.forget(Link.FOLLOWED);
        return true;
    }

    /**
     * Sends as many bytes as there is room for, and publishes them as one. If the buffer fails, nothing is sent, and its position stays.
     *
     * @param src the bytes, from its position to its limit; the position advances by the bytes sent
     * @return the number of bytes accepted, which the peer will receive unless it resets or has closed; 0 if there is no room, or the
     *     link was {@linkplain Link#ABANDONED abandoned}
     * @throws IOException "Broken pipe" if the peer has closed and a write was accepted since, as TCP accepts one;
     * "Connection reset by peer" if it aborted and nothing has reported that; {@link CorruptLinkException} if it
     * wrote nonsense; "Bad address" if the buffer's memory is not there
     * @throws IllegalStateException if the buffer's arena is closed
     */
    public int write(ByteBuffer src) throws IOException {
        if (src.hasRemaining() && hasPeerEnded()) {
            ProgramBuffers.check(src);
            if (!notePeerEnded()) {
                return 0;
            }
        }
        int n = put(src);
        flush();
        return n;
    }

    /**
     * Sends several buffers, one after the other, and publishes them as one. If any of them fails, also one for which there is no room,
     * nothing is sent, and all positions stay.
     *
     * @param srcs the buffers
     * @param offset the index of the first
     * @param length how many
     * @return as {@link #write(ByteBuffer)}
     * @throws IOException as {@link #write(ByteBuffer)}
     * @throws IllegalStateException as {@link #write(ByteBuffer)}
     */
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        long n = give(srcs, offset, length);
        moveOn(srcs, offset, n);
        return n;
    }

    /**
     * As {@link #write(ByteBuffer[], int, int)}, but all positions stay, for a caller that may have to take its word back. It {@linkplain
     * #moveOn moves} them otherwise.
     */
    public long give(ByteBuffer[] srcs, int offset, int length) throws IOException {
        ProgramBuffers.check(srcs, offset, length);
        if (hasRemaining(srcs, offset, length) && hasPeerEnded() && !notePeerEnded()) {
            return 0;
        }
        long n = put(srcs, offset, length);
        flush();
        return n;
    }

    /**
     * Moves the positions of buffers behind the bytes that were taken from them.
     *
     * @param srcs the buffers
     * @param offset the index of the first
     * @param n how many bytes, at most as many as they have
     */
    public static void moveOn(ByteBuffer[] srcs, int offset, long n) {
        long left = n;
        for (int i = offset; left > 0; i++) {
            ByteBuffer src = srcs[i];
            int moved = (int) Math.min(left, src.remaining());
            src.position(src.position() + moved);
            left -= moved;
        }
    }

    /**
     * Looks how much can be put into {@link MemoryRegion#memory()} of the send ring at {@link #position()}, for a
     * caller that copies by itself. The caller {@linkplain #append appends} the bytes it has put there, and flushes
     * in the end.
     *
     * @param wanted how many bytes
     * @return how many there is room for, at most {@code wanted}
     * @throws IOException as {@link #write(ByteBuffer)}; bytes appended before can still be flushed
     */
    public int room(int wanted) throws IOException {
        if (wanted > 0 && hasPeerEnded() && !notePeerEnded()) {
            return 0;
        }
        int room = free(wanted);
        if (room == 0 && farewell == Farewell.ACCEPTED) {
            throw brokenPipe(); // there will be no room any more
        }
        return room;
    }

    /** The cursor of the next byte to put. Writer only. */
    public long position() {
        return next;
    }

    /**
     * Counts bytes that were put at {@link #position()}; {@link #flush} publishes them.
     *
     * @param n how many, at most the result of {@link #room}
     */
    public void append(int n) {
        next += n;
    }

    /**
     * Takes note that the writer tries again after it has waited for room, or that its write is over.
     *
     * @param now whether it tries again
     */
    public void waited(boolean now) {
        waited = now;
    }

    /** Publishes the appended bytes, as one. */
    public void flush() {
        publish(farewell);
        if (farewell == Farewell.ACCEPTED) {
            farewell = Farewell.OVER;
        }
    }

    /** Publishes the appended bytes, if there are any, by what the writer has just found out about the peer. */
    private void publish(Farewell found) {
        long from = tail;
        if (next != from) {
            tail = next;
            publishes++;
            if (found == Farewell.NONE) {
                publish(from);
            } else {
                publishUnlessOver(from);
            }
        }
    }

    private void publishUnlessOver(long from) {
        Farewell now = farewell;
        if (now == Farewell.ACCEPTED || now == Farewell.OVER) {
            return;
        }
        if (now == Farewell.TAPPED) {
            VarHandle.acquireFence();
            StreamTap taken = tap;
            if (taken != null) { // otherwise it was just removed
                taken.take(ring, from, (int) (next - from), said + from - prefaceBytes);
            }
        }
        publish(from);
    }

    private void publish(long from) {
        try {
            link.publish(from, next);
        } catch (RuntimeException | Error e) {
            torn = true;
            throw e;
        }
    }

    /** Whether an error came while bytes were published: the link is of no more use. Writer only. */
    public boolean isTorn() {
        return torn;
    }

    /**
     * Has a tap take all bytes that are published from now on, before the peer can see them. If a publish is under
     * way, the tap may take its bytes or miss them. By one thread at a time, which may be any.
     *
     * @param newTap the tap
     */
    public void tap(StreamTap newTap) {
        tap = newTap;
        boolean unused = (boolean) FAREWELL.compareAndSet(this, Farewell.NONE, Farewell.TAPPED);
    }

    /** Removes the tap. As {@link #tap}. */
    public void untap() {
        boolean unused = (boolean) FAREWELL.compareAndSet(this, Farewell.TAPPED, Farewell.NONE);
        tap = null;
    }

    /** Tells the tap that this direction ends here. Any thread. */
    public void tellTap(boolean reset) {
        StreamTap told = tap;
        if (told != null) {
            told.end(reset);
        }
    }

    /**
     * Publishes the appended bytes, and then bytes from the program's own memory; see {@link Link#publishInPlace}.
     *
     * @param memory the memory of the bytes
     * @param offset the offset of the first byte
     * @param n how many, at most the result of {@link #room}
     * @param owner the owner that waits for the memory
     * @param done receives the owner when the memory is free
     * @return false if they have to be copied
     */
    public boolean sendInPlace(ByteBuffer memory, int offset, int n, Object owner, Consumer<Object> done) {
        if (farewell != Farewell.NONE) {
            return false; // the peer has closed, or a tap is there
        }
        publish(Farewell.NONE); // as found above: a tap that comes now takes neither this nor what follows
        long to = next + n;
        if (!link.publishInPlace(next, to, memory, offset, owner, done)) {
            return false;
        }
        next = to;
        tail = to;
        inPlaceTo = to;
        publishes++;
        return true;
    }

    /**
     * Finds the bytes of a broken link that must be sent again by another way. For a thread that has seen the link's
     * last state; the writer may be at work.
     *
     * @param received the cursor up to which the peer says it has received
     * @return the cursor of the first of the program's bytes that the peer lacks; -1 if such bytes are no longer in
     * the ring
     * @throws CorruptLinkException if the peer cannot have received that much
     */
    public long resumeAt(long received) throws CorruptLinkException {
        long end = (long) TAIL.getOpaque(this);
        if (received < link.released() || received > end) {
            throw new CorruptLinkException("the peer says that it has received up to " + received
                    + ", which is not between " + link.released() + " and " + end + ": connection reset");
        }
        return received < inPlaceTo ? -1 : Math.max(received, origin);
    }

    /**
     * Whether the peer, which has received up to a cursor, knows that this has {@linkplain #begin begun}. As {@link
     * #resumeAt}.
     */
    public boolean hasBegunAt(long received) {
        return received >= origin;
    }

    /**
     * Copies bytes that were sent, and are not {@linkplain Link#released() released}, from the ring.
     *
     * @param from the cursor of the first byte
     * @param dst the destination, from its beginning; its limit becomes the number of bytes
     * @param most how many bytes at most
     */
    public void copySent(long from, ByteBuffer dst, long most) {
        int n = (int) Math.min(dst.capacity(), most);
        ring.copyOut(from, dst.clear(), 0, n);
        dst.limit(n);
    }

    /** Ends the stream after the bytes sent. Call it once. */
    public void finish() {
        link.signal(Link.FIN);
        tellTap(false);
    }

    /** Whether less than the low-water mark is free. Any thread. */
    public boolean isFull() {
        // Nonsense (more than a ring free) is not full: the write will report it.
        return size - (tail - link.released()) < lowWater;
    }

    /** Whether a write would accept at least the low-water mark, or fail. Any thread. */
    public boolean ready() {
        return !isFull() || hasPeerEnded();
    }

    /** How many bytes were put since this last {@linkplain #begin began}. Writer only. */
    public long sinceBegin() {
        return next - origin;
    }

    /** The cursor up to which everything was published. Any thread; perhaps a moment late. */
    public long published() {
        return (long) TAIL.getOpaque(this);
    }

    /** All bytes sent since the beginning, without prefaces. Any thread; perhaps a moment late. */
    public long sent() {
        return Math.max(0, (long) TAIL.getOpaque(this) - prefaceBytes);
    }

    /** How many times this has {@linkplain #begin begun}. Any thread; perhaps a moment late. */
    public int prefaces() {
        return prefaces;
    }

    /** How many writes took bytes, each published as one. Any thread; perhaps a moment late. */
    public long publishes() {
        return (long) PUBLISHES.getOpaque(this);
    }

    /**
     * How many bytes were sent without the peer having given their room back. A hint for any thread that knows that
     * the link exists.
     */
    public long queued() {
        return Math.min(size, Math.max(0, (long) TAIL.getOpaque(this) - link.released()));
    }

    /** Whether nobody will read what is sent. Over a broken link that is not known before it is decided. Any thread. */
    public boolean hasPeerEnded() {
        boolean gone = link.peerGone();
        int state = link.peerState();
        return (state & unread) != 0 || (gone && (state & Link.BROKEN) == 0);
    }

    private int put(ByteBuffer src) throws IOException {
        if (farewell == Farewell.ACCEPTED) {
            int all = src.remaining();
            src.position(src.limit());
            return all;
        }
        int n = free(src.remaining());
        if (n > 0) {
            int from = src.position();
            ring.takeFrom(src, from, next, n);
            src.position(from + n);
            next += n;
        } else if (src.hasRemaining()) {
            ProgramBuffers.check(src);
        }
        return n;
    }

    /** Copies, and moves no position: a buffer may fail. */
    private long put(ByteBuffer[] srcs, int offset, int length) throws IOException {
        boolean taken = farewell == Farewell.ACCEPTED;
        long to = next;
        long n = 0;
        for (int i = offset; i < offset + length; i++) {
            ByteBuffer src = srcs[i];
            int wanted = src.remaining();
            int fits = wanted;
            if (!taken) {
                fits = free(to, wanted);
                if (fits > 0) {
                    ring.takeFrom(src, src.position(), to, fits);
                    to += fits;
                }
            }
            n += fits;
            if (fits < wanted) {
                break;
            }
        }
        next = to;
        return n;
    }

    private int free(int wanted) throws CorruptLinkException {
        return free(next, wanted);
    }

    /** How much of so many bytes fits in behind a cursor. */
    private int free(long at, int wanted) throws CorruptLinkException {
        long free = size - (at - released);
        if (free < wanted) {
            free = size - (at - refresh());
        }
        return (int) Math.min(free, wanted);
    }

    private static boolean hasRemaining(ByteBuffer[] srcs, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (srcs[i].hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    /**
     * To send bytes that nobody will read is an error, but to send none is not, as with TCP. There the first write
     * after the peer's orderly close is accepted, too, and the answer to that write tells of the close.
     *
     * @return false if nothing goes over the link any more, and only the kernel can say why
     */
    private boolean notePeerEnded() throws IOException {
        if (isAbandoned()) {
            return false;
        }
        if (!endings.acceptsOneMore()) {
            if (waited && (link.peerState() & Link.RST) != 0 && reset.isNewToWriter()) {
                throw new IOException("Connection reset by peer");
            }
            throw brokenPipe();
        }
        int state = link.peerState();
        // After the peer's end TCP reports a reset as a broken pipe.
        boolean unforeseen = (state & (Link.RST | Link.FIN)) == Link.RST;
        boolean isFirst = farewell != Farewell.ACCEPTED && farewell != Farewell.OVER;
        if (unforeseen && isFirst && reset.isNewToWriter()) {
            throw new IOException("Connection reset by peer");
        }
        if ((state & Link.RST) != 0 || farewell == Farewell.OVER) {
            throw brokenPipe();
        }
        farewell = Farewell.ACCEPTED;
        return true;
    }

    /** Whether the link was {@linkplain Link#ABANDONED abandoned}. Any thread. */
    public boolean isAbandoned() {
        return (link.peerState() & Link.ABANDONED) != 0;
    }

    private IOException brokenPipe() {
        farewell = Farewell.OVER;
        return new IOException("Broken pipe");
    }

    private long refresh() throws CorruptLinkException {
        long cursor = link.released();
        if (cursor < released || cursor > tail) {
            link.signal(Link.RST);
            throw new CorruptLinkException("the peer's consumer cursor is " + cursor + ", which is not between "
                    + released + " and " + tail + ": connection reset");
        }
        released = cursor;
        return cursor;
    }
}
