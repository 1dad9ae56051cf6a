// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import io.accel.core.jdk.JdkBuffers;
import io.accel.core.observe.ConnectionCounters;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.Flight;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.poll.Pollable;
import io.accel.core.stream.CorruptLinkException;
import io.accel.core.stream.StreamSender;
import io.accel.core.stream.StreamTap;
import io.accel.profile.HandoverAfter.Unrest;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.function.Consumer;

/**
 * The writing half of an accelerated connection. A writer {@linkplain #lock enters}, writes, or puts bytes into the ring itself and
 * {@linkplain #flush publishes} them, and {@linkplain #unlock leaves}. {@link Outgoing} says when this direction comes to the link, and
 * when it {@linkplain WayBack goes back}; an operation that finds it elsewhere returns {@link LinkStream#MOVED}.
 *
 * <p>One thread at a time is in this half. The methods that any thread may call say so: they take a share of the link for the moment, and
 * their answer is a hint while another thread writes.
 */
public final class LinkWriter extends LinkHalf {
    private static final Log LOG = Log.of(LinkWriter.class);

    private final StreamSender sender;
    private final Outgoing outgoing;
    private final ConnectionCounters counters;
    private final WayBack wayBack;
    private final Announcement announcement;
    private final LinkBreak broken;
    /** The random disturbance that tests ask for. */
    private final Unrest unrest;

    /** Whether this end has ended its output. Set once, by any thread. */
    private volatile boolean shut;
    /** Whether the peer has been told so over the link. Set once, in this half; any thread reads it. */
    private volatile boolean finished;
    /** Whether a close is about to tell the peer of the end, or has. Set once, by the closer. */
    private volatile boolean ending;
    /**
     * A lower bound of the bytes published at that time. The closer writes it before {@link #ending}, and writers acquire it by reading
     * that.
     */
    private long endsAt;

    /** The cursor up to which {@link Pollable#SENT} waits. Written in this half, read by pollers. */
    private volatile long awaited;
    /**
     * Whether bytes are being sent from the program's own memory, and the program still holds that memory. Written in this half, read by
     * any thread.
     */
    private volatile boolean inPlace;

    // Guarded by the lock of this half.

    /** Whether the peer is still to be told, over the anchor, that this direction has switched. */
    private boolean unannounced;
    /** Whether the last write found too little room. It stands here because the writer looks here anyway, and no reader writes here. */
    private boolean stalled;
    /** The flight recorder's event of the current stall, if that is recorded. */
    private Object stall;

    LinkWriter(LinkStream stream, ConnectionRecord connection, StreamSender sender, Unrest unrest) {
        super(stream, connection);
        this.sender = sender;
        this.outgoing = socket.outgoing();
        this.counters = connection.counters();
        this.wayBack = new WayBack(stream, this, sender);
        this.announcement = new Announcement(stream);
        this.broken = stream.broken();
        this.unrest = unrest;
    }

    Announcement announcement() {
        return announcement;
    }

    WayBack wayBack() {
        return wayBack;
    }

    /**
     * Leaves this half. A direction that has come to the link, and whose first write has failed or had nothing to write, is announced here:
     * the peer would otherwise look for its end, and for nothing else, where it is no more.
     */
    public void unlock() {
        try {
            if (unannounced) {
                announceNothing();
            }
        } finally {
            release();
        }
    }

    // ---- the program's writes: in this half

    /**
     * Writes as much as there is room for, without waiting. In this half only.
     *
     * <p>A close does not wait for a writer. Bytes that may be {@linkplain #isBehindEnd behind} its end do not count as accepted.
     *
     * @param src the bytes
     * @return the number accepted, or {@link LinkStream#MOVED}
     * @throws IOException if the peer is gone; {@link ClosedChannelException} after {@link #shutdown}; {@link
     *     AsynchronousCloseException} if this side closed. The position is then as before
     */
    public int write(ByteBuffer src) throws IOException {
        if (!isOutput()) {
            return LinkStream.MOVED;
        }
        if (unrest == Unrest.RETURNS && wayBack.feigns()) {
            if (src.hasRemaining()) {
                JdkBuffers.check(src); // as where there is no room
            }
            return 0;
        }
        int n = 0;
        try {
            n = sender.write(src);
            if (n > 0 && isBehindEnd()) {
                src.position(src.position() - n);
                throw new AsynchronousCloseException();
            }
            if (unannounced) {
                announce();
            }
            if (src.hasRemaining() || stalled) {
                noteStall(n > 0, src.hasRemaining());
            }
            return n;
        } catch (IOException e) {
            throw failed(e);
        } catch (RuntimeException | Error e) {
            stream.failIfLinks(e, n > 0 || sender.isTorn());
            throw e;
        }
    }

    /**
     * Writes as much of several buffers as there is room for. In this half only.
     *
     * @param srcs the buffers
     * @param offset the first
     * @param length how many
     * @return as {@link #write(ByteBuffer)}
     * @throws IOException as {@link #write(ByteBuffer)}
     */
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        if (!isOutput()) {
            return LinkStream.MOVED;
        }
        if (unrest == Unrest.RETURNS && wayBack.feigns()) {
            JdkBuffers.check(srcs, offset, length);
            return 0;
        }
        long n = 0;
        try {
            n = sender.give(srcs, offset, length);
            if (n > 0 && isBehindEnd()) {
                throw new AsynchronousCloseException();
            }
            StreamSender.moveOn(srcs, offset, n);
            if (unannounced) {
                announce();
            }
            boolean more = length > 0 && srcs[offset + length - 1].hasRemaining();
            if (more || stalled) {
                noteStall(n > 0, more);
            }
            return n;
        } catch (IOException e) {
            throw failed(e);
        } catch (RuntimeException | Error e) {
            stream.failIfLinks(e, n > 0 || sender.isTorn());
            throw e;
        }
    }

    /**
     * Takes note that the writer tries again after it has waited for room, or that its write is over. In this half only. A writer of a
     * Unix-domain stream that has waited is told of a reset; a writer that has not waited is not.
     *
     * @param now whether it tries again
     */
    public void waited(boolean now) {
        sender.waited(now);
    }

    /**
     * The number of bytes that a writer that copies by itself can put into {@link #memory()} at {@link #position()}. In this half only. The
     * writer must not leave the half before it has {@linkplain #flush flushed} what it appended.
     *
     * @param wanted how many bytes
     * @return the number of bytes that fit, at most {@code wanted}; 0 also where {@link #write} returns {@link LinkStream#MOVED}
     * @throws IOException as {@link #write(ByteBuffer)}; bytes that were appended before can still be flushed
     */
    public int room(int wanted) throws IOException {
        if (!isOutput() || (unrest == Unrest.RETURNS && wayBack.feigns())) {
            return 0;
        }
        int n = sender.room(wanted);
        if (n < wanted || stalled) {
            noteStall(n > 0, n < wanted);
        }
        return n;
    }

    /** The cursor of the next byte to put. In this half only. */
    public long position() {
        return sender.position();
    }

    /** The send ring; byte {@code cursor} lies at {@code cursor} modulo its capacity, which is a power of two. */
    public ByteBuffer memory() {
        return link.sendRing().memory();
    }

    /**
     * Counts bytes that were put into the ring. In this half only.
     *
     * @param n how many, at most what {@link #room} said
     */
    public void append(int n) {
        sender.append(n);
    }

    /**
     * Publishes the appended bytes as one message. In this half only.
     *
     * @throws IOException if this closed itself, by an interrupt
     */
    public void flush() throws IOException {
        if (!lease.isEnded()) {
            try {
                sender.flush();
            } catch (RuntimeException | Error e) {
                stream.failIfLinks(e, true); // nobody knows whether the peer has the bytes
                throw e;
            }
            if (unannounced) {
                announce();
            }
        }
    }

    /** Whether the fabric can send bytes from where they are. */
    public boolean canSendInPlace() {
        return link.canPublishInPlace();
    }

    /**
     * As {@link #append} and {@link #flush}, for bytes that are sent from where they are. In this half only. The memory must stay as it is
     * until {@code done} is called, and must not be freed as long as the process lives.
     *
     * @param memory a direct buffer, the same object for the same memory each time
     * @param offset where in it, from 0 on, the bytes begin
     * @param n how many, at most what {@link #room} said
     * @param owner handed to {@code done}
     * @param done called once when the bytes are no longer needed, sent or not. Any thread may call it; it must neither wait nor use the
     *     connection
     * @return false if the bytes have to be copied, because the fabric cannot send them in place, or not now
     */
    public boolean sendInPlace(ByteBuffer memory, int offset, int n, Object owner, Consumer<Object> done) {
        boolean sent = !lease.isEnded() && sender.sendInPlace(memory, offset, n, owner, done);
        if (sent) {
            inPlace = true;
            counters.sentInPlace(n);
        }
        return sent;
    }

    /**
     * Records that the caller no longer holds any bytes that it {@linkplain #sendInPlace sent in place}. In this half only, or by its
     * writer.
     */
    public void forgetInPlace() {
        inPlace = false;
    }

    /** The cursor up to which no byte is needed any more in the memory it was written from. In this half only. */
    public long sent() {
        return lease.isEnded() ? 0 : link.sent();
    }

    /** Makes {@link Pollable#SENT} mean that all bytes before a cursor have been {@link #sent()}. Called by the writer. */
    public void awaitSent(long cursor) {
        awaited = cursor;
    }

    /** Whether a write would fail, or nobody would read its bytes. In this half only. */
    public boolean refusesBytes() {
        return shut || sender.hasPeerEnded();
    }

    /**
     * Whether the bytes published last may lie behind the end that another thread's close has told the peer. The peer then never sees them.
     * If {@link #ending} is not set now, the end comes behind the bytes published before. In this half only.
     */
    private boolean isBehindEnd() {
        return ending && sender.position() - endsAt > 0;
    }

    /** Whether this direction goes over the link; if not, the direction has moved. */
    private boolean isOutput() throws IOException {
        if (lease.isEnded()) {
            int unused = movedOrClosed();
            return false;
        }
        if (shut) {
            outgoing.refusedShut();
            throw new ClosedChannelException();
        }
        return outgoing.link() == stream;
    }

    private void announce() throws IOException {
        if (sender.isAbandoned()) {
            return; // the peer looks for nothing, and the kernel would report its failure to this byte
        }
        unannounced = false;
        try {
            announcement.make();
        } catch (RuntimeException | Error e) {
            stream.failIfLinks(e, true); // the peer would never hear that this direction has come to the link
            throw e;
        }
    }

    /**
     * Announces that this direction has switched, though no byte of the program is behind the switch. A peer that is gone is not told: the
     * announcement would be answered with a reset, and the program has written nothing. A broken link is {@link Resumption}'s.
     */
    private void announceNothing() {
        if (lease.isEnded() || (link.peerState() & (Link.RST | Link.CLOSED | Link.BROKEN)) != 0) {
            return;
        }
        Uninterrupted.run(() -> {
            try {
                announce();
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "this end has closed meanwhile, which tells the peer", e);
            }
        });
    }

    /** A stall lasts from a write that does not find room for all its bytes until the next write that finds some. */
    private void noteStall(boolean progress, boolean again) {
        if (again && sender.isAbandoned()) {
            boolean unused = broken.hearAbandoned(); // the writer, which goes back now, asks there
            return;
        }
        if (progress && stalled) {
            stalled = false;
            wayBack.clear();
            ProcessCounters.stalled(connection.path(), counters.stallEnds());
            connection.stallEnded(stall);
            stall = null;
        }
        if (again && !stalled) {
            stalled = true;
            counters.stallBegins();
            stall = Flight.stallBegins();
        }
        if (again) {
            wayBack.watch();
        }
    }

    // ---- this direction comes to the link, and goes back

    /**
     * Begins to send over the link, and says how many bytes went through the kernel before. The next thread in this half announces it over
     * the anchor: a writer behind its bytes, and any other when it {@linkplain #unlock leaves}.
     *
     * @return false if the connection has closed, or cannot switch now
     */
    boolean switchAt(long given) {
        lock();
        try {
            if (lease.isEnded() || (link.peerState() & Link.BROKEN) != 0 || !sender.begin(given)) {
                return false;
            }
            announcement.isDue();
            unannounced = true;
            return true;
        } catch (CorruptLinkException e) {
            connection.wasReset(e.getMessage());
            return false; // the connection is reset, and its users find that out
        } catch (RuntimeException | Error e) {
            if (sender.isTorn()) {
                stream.failure().met(e); // the peer may take this direction for one that has come to the link
            }
            throw e;
        } finally {
            release(); // not unlock: the caller has bytes to write, and is about to announce them
        }
    }

    /** Whether the peer's reader has followed to the kernel's path. Returns true once each time. */
    boolean isFollowed() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && sender.isFollowed();
        }
    }

    /** The number of bytes that went over the link since the direction last came to it. In this half only. */
    long sentSinceSwitch() {
        return sender.sinceBegin();
    }

    /**
     * Whether the next write should go through the kernel: the peer has read nothing for a while, the link has broken and the bytes lost
     * with it have been sent again, or the link is abandoned. Any thread.
     */
    public boolean isOverdue() {
        Replay under = broken.replay();
        return under != null ? under.isAtLimit() : wayBack.isDue() || broken.isAbandoned();
    }

    /**
     * Records that the writer cannot go back just now: the time starts again with the next write that finds no room. Called by the writer.
     */
    public void postpone() {
        wayBack.clear();
    }

    /** Leaves the link for the kernel, if that is possible now. In this half only; see {@link Outgoing#goBack}. */
    boolean leave() {
        Replay under = broken.replay();
        sender.flush();
        if (under != null) {
            return under.isComplete(sender.position());
        }
        boolean leaves = broken.isAbandoned() || mayLeave();
        wayBack.clear();
        if (leaves) {
            try {
                if (!broken.isAbandoned()) { // else that has been said, unless a reader must not hear it
                    sender.leave();
                }
                noteStall(true, false);
            } catch (RuntimeException | Error e) {
                stream.failure().met(e); // the peer may have heard it
                throw e;
            }
        }
        return leaves;
    }

    /**
     * Whether this direction may leave the link. The bytes that follow the announcement on the anchor are the program's, so the
     * announcement must have been made. All bytes sent over the link must have reached the peer; then it need not be asked if the link
     * breaks before it has read them ({@link Resumption}). And the peer must not have ended: the link accepts one write after that, and the
     * kernel would accept another, as the first that it sees. Any thread.
     */
    boolean mayLeave() {
        return announcement.isMade()
                && !lease.isEnded()
                && !shut
                && !stream.peer().hasEnded()
                && hasPeerAll();
    }

    /** Whether the peer has all bytes. If not, this asks the peer's device for a sign of life, after which the answer may be yes. */
    private boolean hasPeerAll() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && (link.sent() >= published() || link.isReached());
        }
    }

    /**
     * Moves this direction back to the kernel in the place of a writer, since there may be none. A writer that is just writing, waits for
     * room, or still holds memory that the device reads is called to do it itself.
     *
     * @return whether it has
     */
    boolean goBackForWriter() {
        if (!tryLock()) {
            stream.refresh();
            return false;
        }
        try {
            // Once the program has closed, nothing that is sent again lies in memory that a device still reads.
            boolean mayGo = lease.isEnded() ? socket.anchorEnd().isKept() : !inPlace;
            // A writer that has gone back itself may now wait for room in the kernel, in the half that goBack enters.
            boolean isBack = mayGo && outgoing.link() == stream && outgoing.goBack(stream);
            if (isBack) {
                outgoing.leave();
            }
            return isBack;
        } finally {
            unlock();
        }
    }

    // ---- the bytes lost with a broken link: called by Resumption's thread

    /** The cursor up to which everything was published. Any thread. */
    long published() {
        return sender.published();
    }

    /** Whether the peer's device has everything that was published. Any thread. */
    boolean isAllSent() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && link.sent() >= published();
        }
    }

    /**
     * Finds the cursor from which bytes are to be sent again.
     *
     * @param received the count of bytes that the peer says it received
     * @return as {@link StreamSender#resumeAt}
     * @throws CorruptLinkException as there, or if the peer was told of the switch, but knows no place for it
     */
    long resumeAt(long received) throws CorruptLinkException {
        try (LinkLease.Share share = lease.take()) {
            if (share == null || (announcement.isMade() && !sender.hasBegunAt(received))) {
                return -1;
            }
            return sender.resumeAt(received);
        }
    }

    /** Copies sent bytes; nothing if the link is freed. */
    void copySent(long from, ByteBuffer dst, long most) {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                dst.clear().limit(0);
            } else {
                sender.copySent(from, dst, most);
            }
        }
    }

    // ---- the end: any thread

    /** Ends the stream to the peer behind the bytes written so far. A thread that waits in a write fails. */
    public void shutdown() {
        if (!shut) {
            shut = true;
            stream.refresh(); // a writer that waits for space lets go of its half
            lock();
            try {
                if (!lease.isEnded()) {
                    finish();
                }
            } finally {
                unlock();
            }
        }
    }

    private void finish() {
        if (outgoing.link() == stream) {
            sender.finish();
            finished = true;
        } else {
            socket.anchorEnd().endOutput(); // the last bytes have gone through the kernel meanwhile
        }
    }

    /** Whether the peer has been told over the link that nothing more comes. */
    boolean isFinished() {
        return finished;
    }

    /** Whether writes fail because this side has ended its output. */
    public boolean isShut() {
        return shut;
    }

    /** Records that a close is about to tell the peer of the end: bytes published from now on may lie behind it. Called by the closer. */
    void endsHere() {
        endsAt = link.publishedHere();
        ending = true;
    }

    // ---- for observers: any thread

    /** As {@link LinkStream#look}, for the interests of this half. Any thread that has a share. */
    int look(int interest) {
        int ready = 0;
        if ((interest & SelectionKey.OP_WRITE) != 0) {
            if (sender.ready() || shut || isOverdue()) {
                ready |= SelectionKey.OP_WRITE;
            } else {
                wayBack.watchForPoller();
            }
        }
        if ((interest & Pollable.SENT) != 0 && link.sent() >= awaited) {
            ready |= Pollable.SENT;
        }
        return ready;
    }

    /** The number of written bytes whose room the peer has not given back. */
    long queued() {
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : sender.queued();
        }
    }

    /** The number of the program's bytes that have gone over the link. A hint. */
    long sentInAll() {
        return sender.sent();
    }

    /** Adds what the cursors and the link count; none of that lies in memory that may be freed. */
    void addTo(Figures figures) {
        long counted = link.publishes();
        // The preface of a direction is none of the program's bytes.
        long publishes = counted < 0 ? sender.publishes() : Math.max(0, counted - sender.prefaces());
        figures.add(Figure.BYTES_OUT, sender.sent())
                .add(Figure.MESSAGES_OUT, sender.publishes())
                .add(Figure.PUBLISHES, publishes)
                .add(Figure.RINGS_OUT, link.rings());
    }

    /** Makes a capture record the bytes published from now on; null for none. Called by {@link Captures}, under its monitor. */
    void tap(StreamTap tap) {
        if (tap == null) {
            sender.untap();
        } else {
            sender.tap(tap);
        }
    }

    /** Tells the capture that this direction ends here. */
    void tellTap(boolean reset) {
        sender.tellTap(reset);
    }
}
