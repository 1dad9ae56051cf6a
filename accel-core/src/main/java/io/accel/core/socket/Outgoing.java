// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.Ownership;
import io.accel.profile.HandoverAfter.Unrest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.locks.LockSupport;

/**
 * The direction to the peer: its bytes go through the kernel, and from some byte on over the link. The writer chooses that byte: the first
 * byte of a write that finds that both ends have the link. A writer that finds the ring full, because the peer has read nothing for a
 * while, {@linkplain #goBack goes back}: the kernel takes as many bytes as it takes of any connection. When the peer's reader has followed,
 * the next write comes to the link again.
 *
 * <p>A writer {@linkplain #enter enters}, writes to the anchor, and says {@linkplain #gave how much}. Only a write by the program switches,
 * because the byte that announces the switch has the effect of any written byte on a peer that has closed: a reset.
 */
public final class Outgoing {
    private static final String RESET = "Connection reset by peer";
    private static final String BROKEN_PIPE = "Broken pipe";
    private static final long MOST_SWITCHING_NANOS = 1_000_000_000L;
    private static final long SWITCHING_PAUSE_NANOS = 20_000L;

    private final StreamSocket socket;
    private final HalfLock lock = new HalfLock();
    /** The number of bytes that went through the kernel. Written under the lock; other threads read it as a hint. */
    private volatile long given;
    /** The number of writes that took bytes. Written under the lock; other threads read it as a hint. */
    private volatile int writes;
    /** Written under the lock and the monitor. */
    private volatile LinkStream link;
    /**
     * The link that this direction left for the kernel, and from which the peer may still be reading; null if none. Written under the lock.
     */
    private volatile LinkStream left;
    /**
     * Whether a writer may just be switching. Written under the lock. A thread that knows the link to be broken, or the connection to have
     * {@linkplain StreamSocket#hasFailed failed}, and then finds this false, knows that no writer will switch.
     */
    private volatile boolean switching;
    /** That of the last link with a proved peer that this direction may come to. Under the lock. */
    private Ownership came;
    /** Proves this end to the peer of a link; null before the first such link. Under the lock. */
    private OwnRecord record;
    /** Whether coming to the link was worth it; null before this direction first came there. Under the lock. */
    private LinkWorth worth;
    /** Whether this direction stays where it is. Guarded by this. */
    private boolean fixed;
    /** The fingerprint of the first bytes; null if nobody will ask. Written by {@link StreamSocket}. */
    private volatile StreamFingerprint fingerprint;

    Outgoing(StreamSocket socket) {
        this.socket = socket;
    }

    /**
     * Goes on with what has gone before this was made. Before others see this.
     *
     * @param went how many bytes
     * @param inWrites in how many writes
     * @param isWriting whether a write is under way, whose thread is going to {@linkplain #adopt adopt} this half
     */
    void goOn(long went, int inWrites, boolean isWriting) {
        given = went;
        writes = inWrites;
        if (isWriting) {
            lock.beginEarly();
        }
    }

    /** Enters this half after a write to the kernel that has begun before this was made. The caller must {@linkplain #leave leave} it. */
    public void adopt() {
        lock.adopt();
    }

    /** The link if bytes go over it; null as long as they go through the kernel. */
    public LinkStream link() {
        return link;
    }

    /**
     * Enters this half to write to the kernel, unless the bytes go over the link.
     *
     * @param some whether the caller has any bytes; if not, this direction does not switch
     * @return the link, and the caller is not in this half, but about to enter the link's; or null, and the caller is in this half and must {@linkplain #leave leave} it
     * @throws IOException if the link has failed, with which the connection has ended
     */
    public LinkStream enter(boolean some) throws IOException {
        LinkStream switched = link;
        if (switched != null) {
            return switched;
        }
        lock.lock();
        boolean isIn = false;
        try {
            switched = link;
            if (switched == null && some) {
                switched = trySwitch();
            }
            if (switched == null) {
                // The JDK's channel closes itself if the write is interrupted, and sends a reset if any byte is unread.
                socket.incoming().drain();
                isIn = true;
            }
        } finally {
            if (!isIn) {
                lock.unlock();
            }
        }
        return switched;
    }

    /**
     * Enters this half within a time limit, whether the thread is interrupted or not, unless the bytes go over a link. For a caller that
     * writes nothing.
     *
     * @param nanos how long to try
     * @return whether the caller is in this half and must {@linkplain #leave leave} it
     */
    public boolean tryEnter(long nanos) {
        if (!Locks.tryLock(lock, nanos)) {
            return false;
        }
        if (link == null) {
            return true;
        }
        lock.unlock();
        return false;
    }

    /** Whether the next {@link #enter} may bring this direction to a link. A hint. */
    public boolean maySwitch() {
        return socket.attached() != null;
    }

    private LinkStream trySwitch() throws IOException {
        LinkStream attached = socket.attached();
        if (attached == null) {
            return null;
        }
        switching = true;
        try {
            return trySwitchTo(attached);
        } catch (RuntimeException | Error e) {
            attached.failIfLinks(e, false);
            throw e;
        } finally {
            switching = false;
        }
    }

    private LinkStream trySwitchTo(LinkStream attached) {
        if (attached.retirement().hasBegun() || socket.hasFailed()) {
            return null;
        }
        // A peer that has ended the connection has ended the anchor, too, and the kernel decides how that is told.
        if (!socket.handover().mayUse(attached)
                || attached.peer().hasEnded()
                || attached.peer().isDeaf()) {
            return null;
        }
        if (worth != null && worth.isPausing()) {
            return null;
        }
        if (left == attached && !attached.writer().isFollowed()) {
            return null;
        }
        if (!isProved(attached)) {
            return null;
        }
        // The program may have learned of a failure otherwise, from a selector. The look costs a system call or two for
        // each switch.
        if (socket.findFailed()) {
            return null;
        }
        left = null;
        synchronized (this) {
            if (fixed || !attached.writer().switchAt(given)) {
                return null;
            }
            link = attached;
        }
        worth = worth == null ? new LinkWorth() : worth;
        worth.came();
        if (attached.peer().hasReset()) {
            socket.loss().cutOff(); // the loss found, when the link broke, that nothing went over it
        }
        socket.readiness().refresh();
        return attached;
    }

    /**
     * Whether the link's peer is known to own the other end of the connection. If not, this may prove this end to it, and the peer's answer
     * proves the peer.
     */
    private boolean isProved(LinkStream attached) {
        Ownership ownership = attached.link().ownership();
        if (ownership == null || came == ownership) {
            return true;
        }
        if (record == null) {
            record = new OwnRecord(socket);
        }
        if (ownership.isProved()) {
            return mayCome(ownership);
        }
        synchronized (this) {
            if (!fixed) {
                record.send(ownership, given);
            }
        }
        return false;
    }

    private boolean mayCome(Ownership ownership) {
        try {
            came = record.hasJustEnded() ? came : ownership;
        } catch (IOException e) {
            return false; // closed: the write reports it
        }
        return came == ownership;
    }

    /**
     * Whether this direction goes over a link, once a writer that may just be switching has done so. No writer will come to it later: the
     * connection is known to have {@linkplain StreamSocket#hasFailed failed}. In the reading half.
     */
    boolean hasCome(LinkStream attached) {
        long start = System.nanoTime();
        // A switch waits for nothing, so this ends unless its thread gets no processor; AnchorWatch then sees to the
        // link.
        while (switching && System.nanoTime() - start < MOST_SWITCHING_NANOS) {
            LockSupport.parkNanos(SWITCHING_PAUSE_NANOS);
        }
        return link == attached;
    }

    /** Whether this direction goes over a link, or may just be coming to one. Any thread. */
    boolean mayGoByLink() {
        return switching || link != null; // in the other order a switch that ends in between would be missed
    }

    /** Whether a writer may just be switching. A writer that begins later finds a broken link broken, and a retiring link retiring. */
    boolean isSwitching() {
        return switching;
    }

    /**
     * Sends the peer a record that is not the program's, through the kernel, whole or not at all. Never waits.
     * @param record the bytes to send
     * @return whether it was sent
     * @throws IOException if the kernel took only a part of it, or will never take any
     */
    boolean say(ByteBuffer record) throws IOException {
        return say(record, false);
    }

    /** As {@link #say(ByteBuffer)}, unless the program's bytes go through the kernel: the peer would not look for a record among them. */
    boolean sayFirst(ByteBuffer record) throws IOException {
        return say(record, true);
    }

    private boolean say(ByteBuffer record, boolean onlyBeside) throws IOException {
        if (!lock.tryLock()) {
            return false; // the program's bytes are just being written
        }
        try {
            if (onlyBeside && link == null) {
                return false;
            }
            int n = socket.loss().send(record);
            if (n > 0 && record.hasRemaining()) {
                throw new IOException("the kernel took " + n + " bytes of a record only");
            }
            return n > 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Goes back to the kernel's path if the link is {@linkplain LinkWriter#isOverdue overdue} and that is possible now. In the link's
     * writing half only. No thread enters that half from this one, so the two locks are never taken in both orders.
     *
     * @param from the link
     * @return whether the caller is in this half now; then it writes to the kernel and {@linkplain #leave leaves}
     */
    public boolean goBack(LinkStream from) {
        LinkWriter writer = from.writer();
        if (!writer.isOverdue()) {
            return false;
        }
        lock.lock();
        boolean isIn = false;
        try {
            isIn = leaveLink(from, writer);
        } finally {
            if (!isIn) {
                lock.unlock();
            }
        }
        return isIn;
    }

    private boolean leaveLink(LinkStream from, LinkWriter writer) {
        synchronized (this) {
            boolean isOver = from.broken().replay() != null || from.broken().isAbandoned();
            if (!(isOver ? link == from : mayGoBack(from)) || !writer.leave()) {
                return false;
            }
            left = isOver ? null : from;
            long before = given;
            given = before + from.broken().replayed();
            link = null;
        }
        if (writer.wayBack().wasStuck() && socket.unrest() == Unrest.NONE) { // else a test wants it to return
            worth.wasStuck(writer.sentSinceSwitch());
        }
        socket.readiness().refresh();
        return true;
    }

    /** Whether the kernel could take the next write. A hint without the lock. */
    synchronized boolean mayGoBack(LinkStream from) {
        return !fixed && link == from;
    }

    /** Whether bytes that went over the link may be unread, although this direction is the kernel's. */
    boolean isUnfollowed() {
        LinkStream behind = left;
        return behind != null && behind == socket.attached() && !behind.peer().hasFollowed();
    }

    /** Leaves this half. */
    public void leave() {
        lock.unlock();
    }

    /**
     * Refuses to write to the kernel what the peer will never read: a read over the link has met the peer's reset, of which the kernel may
     * have yet to hear, or the kernel has reported a failure that the program has not been told. A program that is refused must find its
     * buffers as they were, so this comes before the write. In this half only.
     *
     * @throws IOException "Broken pipe", or the failure
     */
    public void failIfReset() throws IOException {
        LinkLoss loss = socket.loss();
        if (loss != null
                && loss.hasKept()
                && !socket.isClosed()
                && !socket.anchor().isOutputShut()) {
            loss.failIfKept();
        }
        LinkStream attached = socket.attached();
        if (attached != null
                && attached.reader().hasMetReset()
                && !socket.isClosed()
                && !socket.anchor().isOutputShut()) { // else the kernel's refusal comes first
            throw new IOException(BROKEN_PIPE);
        }
    }

    /**
     * Accounts for a buffer that was written to the kernel. In this half only.
     *
     * @param n how many bytes of it
     * @param src the buffer, positioned behind the bytes written
     */
    public void gave(int n, ByteBuffer src) {
        StreamFingerprint print = fingerprint;
        if (print != null) {
            print.note(given, src, src.position() - n, n);
        }
        gave(n);
    }

    /**
     * As {@link #gave(int, ByteBuffer)}, for an array.
     *
     * @param n how many bytes
     * @param src the array
     * @param off the first of them
     */
    public void gave(int n, byte[] src, int off) {
        StreamFingerprint print = fingerprint;
        if (print != null && print.isOpen()) {
            print.note(given, ByteBuffer.wrap(src), off, n);
        }
        gave(n);
    }

    /**
     * The positions of buffers before they are written to the kernel, for {@link #gave(long, ByteBuffer[], int[], int)}. In this half only.
     *
     * @param srcs the buffers
     * @param offset the first of them
     * @param length how many
     * @return null if nobody asks for their contents
     */
    public int[] positions(ByteBuffer[] srcs, int offset, int length) {
        StreamFingerprint print = fingerprint;
        if (print == null || !print.isOpen()) {
            return null;
        }
        int[] positions = new int[length];
        for (int i = 0; i < length; i++) {
            positions[i] = srcs[offset + i].position();
        }
        return positions;
    }

    /**
     * As {@link #gave(int, ByteBuffer)}, for several buffers.
     *
     * @param n how many bytes
     * @param srcs the buffers, one after the other
     * @param before their {@link #positions} before the write
     * @param offset the first of them
     */
    public void gave(long n, ByteBuffer[] srcs, int[] before, int offset) {
        StreamFingerprint print = fingerprint;
        if (print != null && before != null) {
            print.note(given, srcs, before, offset);
        }
        gave(n);
    }

    /**
     * Accounts for bytes that were written to the kernel and that nothing but the kernel has seen. In this half only.
     *
     * @param n how many
     */
    public void gave(long n) {
        if (n > 0) {
            long before = given;
            given = before + n;
            int earlier = writes;
            writes = earlier + 1;
            LinkStream attached = socket.attached();
            if (attached == null) {
                socket.handover().noteTraffic();
            } else if (record != null) {
                record.wrote(attached.link().ownership(), given);
            }
        }
    }

    /**
     * Decides what a failed write to the kernel reports. In this half only.
     *
     * @param e how
     * @return the exception to report: a link that broke with bytes of this direction counts as a reset, and a reset as a broken
     * pipe if a read over
     *     the link has reported it, or if the peer had ended its output over the link
     */
    public IOException failed(IOException e) {
        LinkStream attached = socket.attached();
        if (e instanceof ClosedChannelException && socket.anchor().isOutputShut()) {
            refusedShut();
        }
        socket.met(e);
        if (attached == null) {
            return e;
        }
        if (socket.incoming().link() == attached) {
            AnchorWatch.met(attached); // the next read must not wait
        }
        boolean isCutOff = socket.loss().isCutOff() && !socket.isClosed() && !(e instanceof ClosedByInterruptException);
        boolean isReset = isReset(e);
        if (!isCutOff && !isReset) {
            return e;
        }
        // The end precedes the reset, but only the link may show it, and nobody has looked there meanwhile.
        if ((attached.peer().listen() & Link.FIN) != 0
                || !(isReset
                        ? attached.reader().peerReset().isWriters()
                        : attached.reader().peerReset().isNewToWriter())) {
            return new IOException(BROKEN_PIPE);
        }
        return isReset ? e : new IOException(RESET);
    }

    /**
     * Records that a write was refused because this end has ended its output. In non-blocking mode the JDK's write gets as far as the
     * kernel, which reports a reset to it, once. No reader hears of the reset any more.
     */
    void refusedShut() {
        LinkStream attached = socket.attached();
        if (attached != null
                && socket.anchor().watched() != null
                && attached.peer().hasReset()) {
            boolean unused = attached.reader().peerReset().isNewToWriter();
        }
    }

    /**
     * As {@link #refusedShut}, for a stream-based socket: each of its writes gets as far as the kernel, and reports the kernel's answer.
     *
     * @param e the refusal
     * @return the exception to report: the peer's reset if nobody has been told of it; then no reader hears of it any more
     */
    public IOException failedShut(IOException e) {
        LinkStream attached = socket.attached();
        boolean meetsReset = attached != null
                && attached.peer().hasReset()
                && !attached.peer().hasFinished()
                && attached.reader().peerReset().isNewToWriter();
        return meetsReset ? new IOException(RESET) : e;
    }

    /**
     * Whether a writer whose first bytes the link has taken leaves the rest, since the connection has failed. The kernel reports a failure
     * once, and is to choose the next operation that is told of it. If the connection fails only now, the failure is {@linkplain
     * #failedBehind kept}; so this takes note whether the peer's end has come before. The looks cost two system calls. In this half only.
     *
     * @throws IOException if the connection is closed
     */
    public boolean leavesRest() throws IOException {
        boolean hasEnded = socket.anchor().hasEnded();
        if (socket.findFailed()) {
            return true;
        }
        if (hasEnded) {
            socket.incoming().endHasCome();
        }
        return false;
    }

    /**
     * Keeps the failure of a write to the kernel of bytes that the link had no room for. The program is told how many bytes the link took,
     * and its next operation reports why there were no more. The kernel reports a failure once. In this half only.
     *
     * @param e how
     */
    public void failedBehind(IOException e) {
        LinkLoss loss = socket.loss(); // null without a link: the kernel then keeps reporting it
        if (loss != null) {
            loss.keep(e);
        }
    }

    /** Whether a write to the kernel has failed because the peer has reset the connection, and nobody has been told of that yet. */
    static boolean isReset(IOException e) {
        return RESET.equals(e.getMessage());
    }

    /** Whether a write to the kernel has failed because the connection has ended, of which every write is told. */
    static boolean isBrokenPipe(IOException e) {
        return BROKEN_PIPE.equals(e.getMessage());
    }

    /**
     * Keeps this direction where it is from now on, because it is about to end, or carries bytes that only the kernel's path can carry.
     *
     * @return the link if this direction goes over it; null if it goes through the kernel
     */
    public synchronized LinkStream fix() {
        fixed = true;
        StreamFingerprint print = fingerprint;
        if (print != null) {
            print.freeze(); // this end does not count urgent bytes; a peer that has them inline does
        }
        return link;
    }

    /** Whether this direction was {@linkplain #fix fixed} where it is. */
    synchronized boolean isFixed() {
        return fixed;
    }

    /** Takes a fingerprint from the first byte on, or not at all. */
    void fingerprint(StreamFingerprint print) {
        fingerprint = print;
    }

    StreamFingerprint fingerprint() {
        return fingerprint;
    }

    long given() {
        return given;
    }

    /** The number of bytes that have gone through the kernel, at most: {@link Long#MAX_VALUE} while some are being written. Any thread. */
    long givenAtMost() {
        if (!lock.tryLock()) {
            return Long.MAX_VALUE;
        }
        try {
            return given;
        } finally {
            lock.unlock();
        }
    }

    int writes() {
        return writes;
    }
}
