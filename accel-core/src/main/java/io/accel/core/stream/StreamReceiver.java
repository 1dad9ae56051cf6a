// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.ProgramBuffers;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketException;
import java.nio.ByteBuffer;

/**
 * The receiving half of a stream: bytes in order, then the end or a reset.
 *
 * <p>The receiver gives consumed ring space back when a quarter of the ring has been read, not at every read: a
 * sender then looks at the peer's cache line four times a ring instead of at every write. That cannot starve a
 * sender. A sender is short of space only while more than three quarters of the ring are unread, and reading those
 * passes a quarter.
 *
 * <p>One reader at a time; {@link #ready} may be called by another thread at the same time and is then a hint. So may
 * {@link #tap}: it changes how much must be read before space is given back, so that each read reaches the code that
 * gives space back and calls the tap.
 */
public final class StreamReceiver {
    private static final VarHandle HEAD;
    private static final VarHandle READS;
    private static final VarHandle CREDIT_AT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(StreamReceiver.class, "head", long.class)
                    .withInvokeExactBehavior();
            READS = lookup.findVarHandle(StreamReceiver.class, "reads", long.class)
                    .withInvokeExactBehavior();
            CREDIT_AT = lookup.findVarHandle(StreamReceiver.class, "creditAt", int.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** This value of {@link #creditAt} makes each read take the branch in which space is given back. */
    private static final int EACH = Integer.MIN_VALUE;

    /**
     * A read returns this where the stream goes on by another way: the sender has {@linkplain Link#LEFT left} the
     * link.
     */
    public static final int MOVED = -2;

    private final PeerReset reset;
    private final Endings endings;
    /**
     * Whether a read has returned the end. Bytes that a writer publishes after that, because a close met it, belong
     * to nobody: the writer was told that they were not accepted. Reader only.
     */
    private boolean over;
    /** Whether the end of a peer that died is known to be a reset. Reader only. */
    private boolean cut;

    private final Link link;
    private final MemoryRegion ring;
    private final int quarter;
    /** The {@link #creditAt} of a receiver that no tap is on. */
    private final int untapped;
    /** The buffer for the preface. Reader only. */
    private final ByteBuffer word = ByteBuffer.allocate(Preface.NUMBER);

    /** The cursor of the next byte to read. Written by the reader; the poller reads it without order, for a hint. */
    private long head;
    /** How many reads brought bytes. Written by the reader, read by others without order. */
    @SuppressWarnings("unused") // read through READS
    private long reads;
    /**
     * The cursor of the first byte that the peer sends over this link since it last came to it. Written by the reader.
     */
    private volatile long origin;
    /** The number in the peer's preface there, -1 if it has not come. Written by the reader. */
    private volatile long preface = -1;
    /** How many bytes the prefaces took that were read. Written by the reader. */
    private volatile long prefaceBytes;
    /** The cursor up to which the peer knows bytes to be consumed. Reader only. */
    private long credited;
    /**
     * How much is to be given back at once: a quarter, or {@link #EACH} where each read is to be seen. Only the thread that taps writes
     * it; the reader reads it without order.
     */
    private int creditAt;
    /** Written by the thread that taps, before the new {@link #creditAt} can be seen. */
    private volatile StreamTap tap;
    /**
     * The cursor from which bytes are lent out, so that their space is not the peer's yet; no bytes are lent if it is
     * above head.
     */
    private long lentFrom = Long.MAX_VALUE;
    /** Whether an error came after bytes were read, before the peer could learn of that. Reader only. */
    private boolean torn;
    /** The last {@link Link#published} that was seen and found valid. Reader only. */
    private long tail;

    /**
     * Makes the receiving half of a link on which nothing was received yet.
     *
     * @param link the connection
     */
    public StreamReceiver(Link link) {
        this(link, Endings.TCP);
    }

    /**
     * As {@link #StreamReceiver(Link)}, for another kind of connection than TCP's.
     *
     * @param link the connection
     * @param endings how the peer's end is told
     */
    public StreamReceiver(Link link, Endings endings) {
        this.reset = new PeerReset();
        this.endings = endings;
        this.link = link;
        this.ring = link.receiveRing();
        this.quarter = Math.max(1, ring.size() / 4);
        this.untapped = endings.tellsDeath() ? EACH : quarter;
        this.creditAt = untapped;
    }

    /** The rules by which the peer's end is told. */
    Endings endings() {
        return endings;
    }

    /** Tells which half reported a reset to the program; shared with the sending half. Any thread. */
    public PeerReset peerReset() {
        return reset;
    }

    /**
     * Reads the preface that the peer's sender {@linkplain StreamSender#begin began} with, unless that was done.
     *
     * @return the number, or -1 if it is not there
     * @throws CorruptLinkException if the peer wrote nonsense
     */
    public long takePreface() throws CorruptLinkException {
        int length = Preface.length(head);
        if (preface < 0 && refresh() && tail - head >= length) {
            ring.copyOut(head, word, 0, Preface.NUMBER);
            long said = word.getLong(0);
            if (said < 0) {
                link.signal(Link.RST);
                throw new CorruptLinkException(
                        "the peer began with " + said + ", which counts nothing: connection reset");
            }
            head += length;
            long before = prefaceBytes;
            prefaceBytes = before + length;
            preface = said;
        }
        return preface;
    }

    /**
     * The number that {@link #takePreface} returned last, or would return. A hint for any thread that knows that the
     * link exists.
     */
    public long preface() {
        long said = preface;
        long from = origin;
        if (said < 0 && link.published() - from >= Preface.length(from)) {
            ByteBuffer copy = ByteBuffer.allocate(Preface.NUMBER);
            ring.copyOut(from, copy, 0, Preface.NUMBER);
            said = Math.max(-1, copy.getLong(0));
        }
        return said;
    }

    /** How many bytes have come behind a preface that nobody has taken. A hint, as {@link #preface()} is. */
    public long availableAhead() {
        return Math.max(0, link.published() - origin - Preface.length(origin));
    }

    /** Whether the peer has left the link and no bytes before that are left to read. Any thread. */
    public boolean hasLeft() {
        // The state is read first, as in look(): bytes that were published before it are then seen.
        return isPeerLeaving() && link.published() == head;
    }

    /** Whether the peer has left the link, perhaps with bytes before that left to read. Any thread. */
    public boolean isPeerLeaving() {
        return (link.peerState() & Link.LEFT) != 0;
    }

    /** The peer {@linkplain #hasLeft has left}: its next published bytes begin as the link did. Reader only. */
    public void follow() {
        link.forget(Link.LEFT);
        origin = head;
        preface = -1;
        credit(1, 0);
    }

    /**
     * Reads the available bytes. If the buffer fails, all bytes stay, and its position does.
     *
     * @param dst the destination, from its position to its limit; the position advances by the bytes read
     * @return the number of bytes, 0 if there are none now or no room, -1 at the end of the stream, {@link #MOVED} after the
     *     last byte before the peer left
     * @throws IOException {@link SocketException} "Connection reset" after the last byte if the peer aborted and no
     * write has reported it; {@link CorruptLinkException} if it wrote nonsense; "Bad address" if the buffer's memory is not there
     * @throws IllegalStateException if the buffer's arena is closed
     */
    public int read(ByteBuffer dst) throws IOException {
        int room = dst.remaining();
        if (room == 0) {
            return nothingWanted();
        }
        long available = tail - head;
        if (available == 0) {
            if (!reset.wasRead()) {
                ProgramBuffers.check(dst);
            }
            available = look();
            if (available <= 0) {
                return (int) available;
            }
        } else if (available < room && refresh()) {
            available = tail - head; // as with TCP, all bytes that have come count, not only the known ones
        }
        int n = (int) Math.min(available, room);
        int at = dst.position();
        ring.giveTo(dst, at, head, n);
        dst.position(at + n);
        advance(n);
        return n;
    }

    /**
     * Fills several buffers one after the other. If any of them fails, also one for which there are no bytes, all bytes stay, and all
     * positions do.
     *
     * @param dsts the buffers
     * @param offset the index of the first
     * @param length how many
     * @return as {@link #read(ByteBuffer)}
     * @throws IOException as {@link #read(ByteBuffer)}
     * @throws IllegalStateException as {@link #read(ByteBuffer)}
     * @throws IllegalArgumentException if one of them is read-only, unless a read has met a reset
     */
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        if (!reset.wasRead()) {
            ProgramBuffers.checkTargets(dsts, offset, length);
        }
        long room = 0;
        for (int i = offset; i < offset + length; i++) {
            room += dsts[i].remaining();
        }
        if (room == 0) {
            return nothingWanted();
        }
        long available = tail - head;
        if (available == 0) {
            available = look();
            if (available <= 0) {
                return available;
            }
        } else if (available < room && refresh()) {
            available = tail - head;
        }
        int n = (int) Math.min(available, room);
        reads += fill(dsts, offset, n) - 1;
        advance(n);
        return n;
    }

    /** Fills buffers, and moves their positions when all bytes are copied. Returns how many buffers. */
    private int fill(ByteBuffer[] dsts, int offset, int n) throws IOException {
        long from = head;
        int left = n;
        int filled = 0;
        for (int i = offset; left > 0; i++) {
            ByteBuffer dst = dsts[i];
            int fits = Math.min(left, dst.remaining());
            if (fits > 0) {
                ring.giveTo(dst, dst.position(), from, fits);
                from += fits;
                left -= fits;
                filled++;
            }
        }
        left = n;
        for (int i = offset; left > 0; i++) {
            ByteBuffer dst = dsts[i];
            int moved = Math.min(left, dst.remaining());
            dst.position(dst.position() + moved);
            left -= moved;
        }
        return filled;
    }

    /** A read without room finds nothing, unless only the reset can follow. */
    private int nothingWanted() throws SocketException {
        if (reset.wasRead()) {
            throw new SocketException("Connection reset");
        }
        return 0;
    }

    /**
     * Reads bytes by leaving them in place: they lie in {@link MemoryRegion#memory()} of the receive ring at {@link
     * #position()} as it was before the call, in one piece, and stay there until they are {@linkplain #keep given
     * back}.
     *
     * @param least how many bytes at least, more than 0
     * @param most how many bytes at most
     * @return the number of bytes, 0 if there are fewer than {@code least} in one piece now, and else as {@link
     *     #read(ByteBuffer)}
     * @throws IOException as {@link #read(ByteBuffer)}
     */
    public int lend(int least, int most) throws IOException {
        long available = tail - head;
        if (available < most) {
            available = available == 0 ? look() : refresh() ? tail - head : available;
            if (available < 0) {
                return (int) available;
            }
        }
        int toEnd = ring.size() - ((int) head & (ring.size() - 1));
        int n = (int) Math.min(Math.min(available, most), toEnd);
        if (n < least) {
            return 0;
        }
        lentFrom = Math.min(lentFrom, head);
        advance(n);
        return n;
    }

    /** How many bytes are known to have come, without looking for more. Reader only. */
    public int known() {
        return (int) (tail - head);
    }

    /** The cursor of the next byte to read. Reader only. */
    public long position() {
        return head;
    }

    /**
     * Gives lent bytes back, in order: all bytes before a cursor. Reader only.
     *
     * @param from the first byte that is still lent, at most {@link #position()}; {@link Long#MAX_VALUE} for none
     */
    public void keep(long from) {
        lentFrom = from;
        advance(0);
    }

    /** How many bytes can be read now without waiting; 0 also at the end of the stream. Reader only. */
    public int available() {
        long n = link.published() - head;
        return n >= 0 && n <= ring.size() ? (int) n : 0;
    }

    /**
     * Whether a read would not find "nothing yet": there are bytes, the end, a reset, or nonsense to report. Any thread.
     */
    public boolean ready() {
        return hasUnread() || hasNews();
    }

    /**
     * Whether, with no bytes there, a read would not find "nothing yet"; call {@link #hasUnread} before. Any thread.
     */
    public boolean hasNews() {
        boolean gone = link.peerGone(); // first, as in look()
        int state = link.peerState();
        return (state & (Link.ENDED | Link.LEFT)) != 0 || (gone && (state & Link.BROKEN) == 0);
    }

    /** Whether nothing is left to read but the end or a reset. Any thread. */
    public boolean ended() {
        // These two are read first, as in look(): bytes that were published before are then seen.
        boolean gone = link.peerGone();
        int state = link.peerState();
        boolean ends = (state & Link.ENDED) != 0 || (gone && (state & Link.BROKEN) == 0);
        boolean hasLeft = (state & Link.LEFT) != 0; // the kernel reports the stream's end then
        return ends && !hasLeft && link.published() == head;
    }

    /** Whether bytes that the peer published have not been read; that decides between FIN and RST on close. */
    public boolean hasUnread() {
        return link.published() != head;
    }

    /** All bytes read since the beginning, without prefaces. Any thread; perhaps a moment late. */
    public long received() {
        return Math.max(0, (long) HEAD.getOpaque(this) - prefaceBytes);
    }

    /** How many buffers were filled, or filled in part. Any thread; perhaps a moment late. */
    public long reads() {
        return (long) READS.getOpaque(this);
    }

    private void advance(int n) {
        head += n;
        reads++;
        credit(creditAt, n);
    }

    /**
     * Gives back all bytes that were read and are not lent, if they are at least that many; {@code n} bytes were just
     * read.
     */
    private void credit(int least, int n) {
        long mine = Math.min(head, lentFrom);
        if (mine - credited >= least) {
            try {
                give(mine, least, n);
            } catch (RuntimeException | Error e) {
                torn = true;
                throw e;
            }
        }
    }

    private void give(long mine, int least, int n) {
        int due = least;
        if (least == EACH) {
            due = quarter;
            VarHandle.acquireFence();
            StreamTap taken = tap;
            if (taken != null && n > 0) {
                taken.take(ring, head - n, n, Math.max(0, preface) + head - n - prefaceBytes);
            }
            if (endings.tellsDeath()) {
                link.noteRead(head);
            }
        }
        if (mine - credited >= due) {
            credited = mine;
            link.consumed(mine);
        }
    }

    /** Whether an error came after bytes were taken from the ring, and before their reader had them all: the link is of no more use. Reader only. */
    public boolean isTorn() {
        return torn;
    }

    /**
     * Has a tap take all bytes that are read from now on, before their space is the peer's again. If a read is under
     * way, the tap may take its bytes or miss them. By one thread at a time, which may be any.
     *
     * @param newTap the tap
     */
    public void tap(StreamTap newTap) {
        tap = newTap;
        CREDIT_AT.setRelease(this, EACH);
    }

    /** Removes the tap. As {@link #tap}. */
    public void untap() {
        CREDIT_AT.setRelease(this, untapped);
        tap = null;
    }

    private void tellTap(boolean reset) {
        StreamTap told = tap;
        if (told != null) {
            told.end(reset);
        }
    }

    /** Looks for more bytes: returns the number available, 0 for none yet, -1 for the end, {@link #MOVED}. */
    private long look() throws IOException {
        if (over) {
            return endings.resetsBehindEnd() ? endOrReset() : -1;
        }
        if (refresh()) {
            return tail - head;
        }
        // The state is read before the cursor: bytes that were published before the state are then seen.
        boolean gone = link.peerGone();
        int state = link.peerState() & (Link.ENDED | Link.LEFT | Link.BROKEN);
        if ((state == 0 && !gone) || refresh()) {
            return tail - head;
        }
        if (state == Link.BROKEN) {
            return 0; // the fate of the stream is not decided yet
        }
        if ((state & Link.LEFT) != 0) {
            return MOVED; // also if it has ended, was reset or is gone since: the kernel brings its last bytes, and
            // that
        }
        // Behind an end no bytes are lost, and so TCP tells a reader of no reset there.
        int behind = endings.resetsBehindEnd() ? 0 : Link.FIN;
        boolean resets = (state & (Link.RST | behind)) == Link.RST || hasDiedWithBytesUnread();
        tellTap(resets);
        if (resets && reset.isReaders()) {
            throw new SocketException("Connection reset");
        }
        // A write has reported the reset; or there is FIN or CLOSED; or the process is gone, and its kernel's socket
        // would have ended in order, too.
        over = true;
        return -1;
    }

    /** Returns the end that was read, or throws the reset that follows it. */
    private long endOrReset() throws SocketException {
        if (((link.peerState() & Link.RST) != 0 || hasDiedWithBytesUnread()) && reset.isReaders()) {
            throw new SocketException("Connection reset");
        }
        return -1;
    }

    /**
     * Takes note that the end of a peer that died is a reset: it had bytes unread that this end had sent by another way. Reader only.
     */
    public void cut() {
        cut = true;
    }

    /** Whether the peer's process has died, and its kernel would have told of a reset, because bytes of this end were unread there. */
    private boolean hasDiedWithBytesUnread() {
        return endings.tellsDeath() && (cut || link.hasDiedWithBytesUnread());
    }

    private boolean refresh() throws CorruptLinkException {
        long published = link.published();
        long available = published - head;
        if (available < 0 || available > ring.size() || published < tail) {
            link.signal(Link.RST);
            throw new CorruptLinkException("the peer's producer cursor is " + published + ", which is not within "
                    + ring.size() + " bytes after " + head + ": connection reset");
        }
        tail = published;
        return available != 0;
    }
}
