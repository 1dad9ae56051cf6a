// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.jdk.CarrierTurn;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.poll.Pollable;
import io.accel.core.stream.PeerReset;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamTap;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.locks.LockSupport;

/**
 * The reading half of an accelerated connection. A reader {@linkplain #lock enters}, reads or borrows bytes, and {@linkplain #unlock
 * leaves}. When the peer has gone back to the kernel, and everything that it published before has been read, a reader follows to {@link
 * Incoming} and returns {@link LinkStream#MOVED}.
 *
 * <p>One thread at a time is in this half. The methods that any thread may call say so: they take a share of the link for the moment, and
 * their answer is a hint while another thread reads.
 */
public final class LinkReader extends LinkHalf {
    /** The answer while the peer has not said where it switches. */
    static final long NOT_SWITCHED = -1;

    /** How long a reader in blocking mode naps while its announcement is on its way. */
    private static final long ANNOUNCEMENT_NAP_NANOS = 50_000;

    private static final int END = -1;

    private final StreamReceiver receiver;
    private final Incoming incoming;
    private final CarrierTurn turn = new CarrierTurn();
    /** Whether a read has returned the end of a peer that is gone. In this half only. */
    private boolean endIsTold;
    /**
     * Whether this half has left an {@linkplain Link#ABANDONED abandoned} link: what the peer may have published since is nobody's. Set once,
     * in this half; any thread reads it.
     */
    private volatile boolean isPassed;

    LinkReader(LinkStream stream, ConnectionRecord connection, StreamReceiver receiver) {
        super(stream, connection);
        this.receiver = receiver;
        this.incoming = socket.incoming();
    }

    /** Leaves this half. */
    public void unlock() {
        release();
    }

    // ---- the program's reads: in this half

    /** The turn of virtual threads that read in blocking mode. In this half only. */
    public CarrierTurn turn() {
        return turn;
    }

    /**
     * Reads the bytes that are there, without waiting. In this half only.
     * @param dst the buffer to fill
     * @return the number of bytes, 0 for none now, -1 at the end, {@link LinkStream#MOVED}
     * @throws IOException if the peer aborted, or {@link AsynchronousCloseException} if this side closed
     */
    public int read(ByteBuffer dst) throws IOException {
        if (lease.isEnded()) {
            return movedOrClosed();
        }
        try {
            return socket.isInputShut() ? -1 : (int) (isElsewhere() ? LinkStream.MOVED : settled(receiver.read(dst)));
        } catch (IOException e) {
            throw failed(e);
        } catch (RuntimeException | Error e) {
            stream.failIfLinks(e, receiver.isTorn());
            throw e;
        }
    }

    /**
     * Reads the bytes that are there into several buffers. In this half only.
     *
     * @param dsts the buffers
     * @param offset the first
     * @param length how many
     * @return as {@link #read(ByteBuffer)}
     * @throws IOException as {@link #read(ByteBuffer)}
     */
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        if (lease.isEnded()) {
            return movedOrClosed();
        }
        try {
            return socket.isInputShut()
                    ? -1
                    : isElsewhere() ? LinkStream.MOVED : settled(receiver.read(dsts, offset, length));
        } catch (IOException e) {
            throw failed(e);
        } catch (RuntimeException | Error e) {
            stream.failIfLinks(e, receiver.isTorn());
            throw e;
        }
    }

    /**
     * Reads bytes in place: they stay in {@link #memory()}, at the {@link #position()} before the call, until {@link #keep} gives them
     * back. In this half only. Before the connection closes, the caller must have copied or forgotten the bytes that it was lent.
     *
     * @param least how many at least, more than 0
     * @param most how many at most
     * @return the number of bytes, 0 if there are fewer than {@code least} in one piece now, -1 at the end, {@link LinkStream#MOVED}
     * @throws IOException as {@link #read(ByteBuffer)}
     */
    public int lend(int least, int most) throws IOException {
        if (lease.isEnded()) {
            return movedOrClosed();
        }
        try {
            return socket.isInputShut()
                    ? -1
                    : isElsewhere() ? LinkStream.MOVED : (int) settled(receiver.lend(least, most));
        } catch (RuntimeException | Error e) {
            stream.failIfLinks(e, receiver.isTorn());
            throw e;
        }
    }

    /** How many bytes are known to have come, without looking for more. In this half only. */
    public int known() {
        return receiver.known();
    }

    /** The cursor of the next byte to read. In this half only. */
    public long position() {
        return receiver.position();
    }

    /**
     * Gives lent bytes back, in order. In this half only.
     *
     * @param from the cursor of the first byte that is still lent; {@link Long#MAX_VALUE} for none
     */
    public void keep(long from) {
        if (!lease.isEnded()) {
            try {
                receiver.keep(from);
            } catch (RuntimeException | Error e) {
                if (receiver.isTorn()) {
                    stream.failure().met(e);
                }
                throw e;
            }
        }
    }

    /** The receive ring; byte {@code cursor} lies at {@code cursor} modulo its capacity, which is a power of two. */
    public ByteBuffer memory() {
        return link.receiveRing().memory();
    }

    /** Whether another reader has followed the peer to the kernel's path since the caller looked. */
    private boolean isElsewhere() {
        return incoming.link() != stream;
    }

    /**
     * A reader with time to spare takes the switch's announcement, if it still lies in the kernel. One that finds the end of a peer that died
     * asks the kernel, which may know of a reset.
     */
    private long settled(long n) throws SocketException {
        if (n == 0 && incoming.isAnnouncementDue()) {
            incoming.drain();
        }
        if (n == END && !endIsTold && socket.kind().endings().tellsDeath() && link.peerGone()) {
            endIsTold = true;
            if (socket.outgoing().link() == null && incoming.isKernelsEndAReset()) {
                receiver.cut();
                failIfReset();
            }
        }
        return n == LinkStream.MOVED ? followed() : n;
    }

    private int followed() {
        if (incoming.follow(stream)) {
            return LinkStream.MOVED;
        }
        if (socket.anchor().watched() == null) {
            // Only the anchor tells when the announcement comes, and in blocking mode nobody watches the anchor. It has
            // been sent already.
            LockSupport.parkNanos(ANNOUNCEMENT_NAP_NANOS);
        }
        return 0;
    }

    // ---- the peer comes to the link, and leaves it

    /**
     * How many bytes came through the kernel before the first that comes over the link; {@link #NOT_SWITCHED} if no byte does yet.
     *
     * @throws IOException if the link has failed, after which nobody can tell
     */
    long switchedAt() throws IOException {
        lock();
        try {
            if (lease.hasFailed() && !socket.isClosed()) {
                throw stream.failure().exception();
            }
            if (lease.isEnded() || isPassed) {
                return NOT_SWITCHED;
            }
            // A reader of the announcement must see the place now. Otherwise it takes the announcement for one of the
            // program's bytes.
            link.takeIn();
            return receiver.takePreface();
        } finally {
            unlock();
        }
    }

    /** As {@link #switchedAt}, but changes nothing, since another thread may be reading. Any thread. */
    long peekSwitchedAt() {
        try (LinkLease.Share share = lease.take()) {
            return share == null || isPassed ? NOT_SWITCHED : receiver.preface();
        }
    }

    /** Whether the peer's sender has left the link, and everything that it sent before has been read. Any thread. */
    boolean hasLeft() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && receiver.hasLeft();
        }
    }

    /** Whether the peer sends through the kernel again, after the bytes it has published here. Some of those may be unread. Any thread. */
    boolean isPeerLeaving() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && receiver.isPeerLeaving();
        }
    }

    /** Records that this half has left the link for the kernel. In this half only; see {@link Incoming#follow}. */
    void follow() {
        receiver.follow();
        isPassed = (link.peerState() & Link.ABANDONED) != 0;
        if (isPassed && !stream.retirement().hasBegun()) {
            StreamUpgrades.get().asked(stream.retirement()); // the peer waits for the answer, for a limited time
        }
    }

    /**
     * Moves the reading direction to the kernel if the peer has left the link, and everything before that was read. In the place of a
     * reader.
     */
    void followForReader() {
        try (LinkLease.Share share = lease.take()) {
            if (share != null) {
                boolean unused = movesOn();
            }
        }
    }

    /**
     * Whether the next byte to read comes through the kernel. It may not be there yet; the kernel then tells the selector. This method
     * follows the peer to the kernel in the place of a reader, once the announcement of the switch is out of the way; the anchor is watched
     * for that. Any thread that has a share.
     */
    private boolean movesOn() {
        if (!receiver.hasLeft() || socket.isInputShut()) {
            return false;
        }
        if (!tryLock()) {
            socket.readiness().refresh(); // the reader there may have looked before the peer left, so it looks again
            return true;
        }
        try {
            boolean unused = isElsewhere() || incoming.follow(stream);
        } finally {
            unlock();
        }
        return true;
    }

    // ---- the peer's reset

    /** The state that decides which half tells the program of the peer's reset. Any thread. */
    PeerReset peerReset() {
        return receiver.peerReset();
    }

    /** Whether a read has reported that the peer has reset the connection. Later reads report it, too. Any thread. */
    public boolean hasMetReset() {
        return receiver.peerReset().wasRead();
    }

    /**
     * Fails a read on the kernel's path, because bytes that the peer sent may be lost with the link. Returns if a write has reported that.
     */
    void failIfCutOff() throws SocketException {
        if (receiver.peerReset().isReaders()) {
            connection.wasReset("its link broke");
            throw new SocketException("Connection reset");
        }
    }

    /** As {@link #failIfCutOff}, because the peer has closed with bytes unread that came over the link. */
    void failIfReset() throws SocketException {
        if (receiver.peerReset().isReaders()) {
            connection.wasReset("Connection reset");
            throw new SocketException("Connection reset");
        }
    }

    // ---- for observers: any thread

    /** The number of bytes that a read would get now. Any thread. */
    public int available() {
        if (socket.isInputShut()) {
            return 0;
        }
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : receiver.available();
        }
    }

    /** The number of bytes that have come over the link while earlier bytes are still being read from the kernel. Any thread. */
    int availableAhead() {
        if (socket.isInputShut()) {
            return 0;
        }
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : (int) Math.min(Integer.MAX_VALUE, receiver.availableAhead());
        }
    }

    /** Whether bytes that came over the link are unread. Any thread. */
    boolean hasUnread() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return false; // the client of the handshake has just gone
            }
            return isElsewhere() ? !isPassed && receiver.availableAhead() > 0 : receiver.hasUnread();
        }
    }

    /**
     * As {@link LinkStream#look}, for the interests of this half. Any thread that has a share.
     *
     * @param forPoller whether a poller of the connection looks; the kernel itself tells it of the bytes in the kernel
     */
    int look(int interest, boolean forPoller) {
        int ready = 0;
        if ((interest & SelectionKey.OP_READ) != 0
                && (receiver.hasUnread()
                        || ((receiver.hasNews() || socket.isInputShut()) && !(forPoller && movesOn())))) {
            ready |= SelectionKey.OP_READ;
        }
        if ((interest & Pollable.END) != 0) {
            if (receiver.ended() || socket.isInputShut()) {
                ready |= Pollable.END;
            } else if (forPoller) {
                boolean unused = movesOn(); // the kernel reports the end of a peer that has gone back
            }
        }
        return ready;
    }

    /** The number of the program's bytes that have come over the link. A hint. */
    long receivedInAll() {
        return receiver.received();
    }

    /** Adds what the cursors count; none of them lies in memory that may be freed. */
    void addTo(Figures figures) {
        figures.add(Figure.BYTES_IN, receiver.received()).add(Figure.MESSAGES_IN, receiver.reads());
    }

    /** Makes a capture record the bytes read from now on; null for none. Called by {@link Captures}, under its monitor. */
    void tap(StreamTap tap) {
        if (tap == null) {
            receiver.untap();
        } else {
            receiver.tap(tap);
        }
    }
}
