// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.Ownership;
import io.accel.core.fabric.OwnershipSecrets;
import io.accel.core.jdk.MappedCopy;
import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.locks.LockSupport;

/**
 * The direction from the peer: its bytes come through the kernel up to a byte that the peer chooses, and over the link from there on.
 *
 * <p>A reader {@linkplain #enter enters}, reads from the anchor, and says {@linkplain #took how much}. The peer publishes in the link where
 * it switches before it sends the announcing byte over the anchor. So a reader that has read that byte sees the place, and the byte is
 * removed from what was read. From then on {@link #link()} is set, and the reader goes on with the link.
 *
 * <p>The peer may go back to the kernel. A reader that has read everything that the peer published before {@linkplain #follow follows}.
 * Bytes that were read from the kernel together with the announcement come next; they are {@linkplain SetAside set aside} until then. The
 * same holds for bytes behind the {@linkplain ResumeRecord record} that a peer sends over the anchor when the link has broken.
 */
public final class Incoming {
    /** The most bytes that are set aside while the peer's record is awaited, and the connection lives. */
    private static final int MOST_ASIDE = 8 << 20;

    private static final int MOST_AT_A_TIME = 1 << 16;
    /** How long the rest of the peer's record may take when its first bytes have come: its kernel sends it as a whole. */
    private static final long REST_NANOS = 1_000_000_000L;

    private static final long REST_PAUSE_NANOS = 50_000L;

    private final StreamSocket socket;
    private final HalfLock lock = new HalfLock();
    /** The number of bytes that came through the kernel. Written under the lock; other threads read it as a hint. */
    private volatile long taken;
    /** The number of reads that brought bytes. Written under the lock; other threads read it as a hint. */
    private volatile int reads;
    /** Written under the lock. */
    private volatile LinkStream link;
    /** Whether the byte that announces the switch lies in the kernel, or is yet to come. Written under the lock. */
    private volatile boolean announcementDue;

    /** Null before the first link; nothing is set aside before that. Written once, in {@link #prepareForLink}; any thread reads it. */
    private volatile SetAside aside;

    /** The records by which the peer may prove itself; null if there are none. Written in {@link StreamHandover}'s monitor; any thread reads it. */
    private volatile PeerRecords records;

    /** The longest read behind which the buffer is restored when a record was in it. */
    private static final int MOST_KEPT = 1 << 13;

    /** What the array of the next read had before, if a record may come with it; otherwise null. Under the lock. */
    private byte[] kept;

    /**
     * The bytes that came next and were read in search of the rest of a record, and that nobody has looked at so far; otherwise null. Under
     * the lock, and null whenever nobody is in it.
     */
    private ByteBuffer behind;

    /**
     * Whether the end of the kernel's bytes is known to have come: TCP tells no reader of a failure behind that. Set by any thread, and never
     * taken back.
     */
    private volatile boolean ended;

    /** Whether nothing was read from the kernel since the peer was followed there. Written under the lock. */
    private volatile boolean justFollowed;

    /** Whether bytes are missing that came before all that the kernel still has. Written once, under the lock. */
    private boolean lost;

    /** The fingerprint of the first bytes; null if nobody will ask. Written by {@link StreamSocket}. */
    private volatile StreamFingerprint fingerprint;

    Incoming(StreamSocket socket) {
        this.socket = socket;
    }

    /**
     * Goes on with what has come before this was made. Before others see this.
     *
     * @param came how many bytes
     * @param inReads in how many reads
     * @param isReading whether a read is under way, whose thread is going to {@linkplain #adopt adopt} this half
     * @param hasEnded whether a read has met the end
     */
    void goOn(long came, int inReads, boolean isReading, boolean hasEnded) {
        taken = came;
        reads = inReads;
        ended = hasEnded;
        if (isReading) {
            lock.beginEarly();
        }
    }

    /** Enters this half after a read from the kernel that has begun before this was made. The caller must {@linkplain #leave leave} it. */
    public void adopt() {
        lock.adopt();
    }

    /** Prepares for a link that is about to come. In the monitor of {@link StreamHandover}, before anybody can see the link. */
    void prepareForLink() {
        aside = new SetAside();
    }

    /**
     * Expects the record by which the peer of a new link proves itself. In the monitor of {@link StreamHandover}, before anybody can see the
     * link.
     *
     * @param ownership null if the peer need not prove itself
     */
    void expect(Ownership ownership) {
        if (ownership != null) {
            records = PeerRecords.with(ownership, records, taken);
        }
    }

    /** The link if the peer's bytes come over it; null as long as they come through the kernel. */
    public LinkStream link() {
        return link;
    }

    /**
     * Enters this half to read from the kernel, unless the bytes come over the link.
     *
     * @return the link, and the caller is not in this half; or null, and the caller is in this half and must {@linkplain #leave leave} it
     */
    public LinkStream enter() {
        LinkStream switched = link;
        if (switched != null) {
            return switched;
        }
        lock.lock();
        switched = link;
        if (switched != null) {
            lock.unlock();
        }
        return switched;
    }

    /**
     * As {@link #enter()}, within a time limit, whether the thread is interrupted or not.
     *
     * @param nanos how long to try
     * @return as {@link #enter()}
     * @throws SocketTimeoutException if another thread was in this half all the time
     */
    public LinkStream enter(long nanos) throws SocketTimeoutException {
        LinkStream switched = link;
        if (switched != null) {
            return switched;
        }
        if (!Locks.tryLock(lock, nanos)) {
            throw new SocketTimeoutException("Read timed out");
        }
        switched = link;
        if (switched != null) {
            lock.unlock();
        }
        return switched;
    }

    /** Leaves this half. */
    public void leave() {
        lock.unlock();
    }

    /**
     * Accounts for a read from the kernel into a buffer. In this half only. Bytes that are not the program's, or not yet, are removed from
     * the buffer: the announcement of a switch, and the bytes behind it, which are set aside until the link is done.
     *
     * @param n how many bytes, 0 for none, negative for the end
     * @param dst the buffer, positioned behind the bytes read; its position may go back
     * @return how many of them are the program's now; also 0 instead of the end if the peer has switched, and the next bytes come over
     *     {@link #link()}; {@link LinkStream#MOVED} if there were bytes and none is the program's now, although the kernel or the bytes set
     *     aside come next: the caller starts over
     * @throws IOException if the peer says that it switched where it cannot have; or, at the end, if only the kernel's part of the stream
     *     has ended because the link has broken
     */
    public int took(int n, ByteBuffer dst) throws IOException {
        StreamFingerprint print = fingerprint;
        if (n >= 0 && aside == null) { // this never was about to have a link: there is nothing else to look for
            if (n > 0) {
                if (print != null) {
                    print.note(taken, dst, dst.position() - n, n);
                }
                count(n);
                socket.handover().noteTraffic();
            }
            return n;
        }
        if (print != null && n > 0 && socket.attached() == null) {
            print.note(taken, dst, dst.position() - n, n);
        }
        int own = n;
        if (n > 0 && records != null) {
            own = withoutRecords(taken, n, new ByteBuffer[] {dst}, new int[] {dst.position() - n}, 0);
            restore(dst, own, n);
        }
        ByteBuffer more = takeBehind();
        int mine = (int) took(own);
        if (mine < own) {
            int from = dst.position() - (own - mine);
            setAside(dst.duplicate().limit(dst.position()).position(from));
            dst.position(from);
        }
        if (more != null) {
            setAsideBehind(more);
        }
        return (int) orAnew(n, mine);
    }

    /**
     * As {@link #took(int, ByteBuffer)}, for several buffers.
     *
     * @param n how many bytes
     * @param dsts the buffers that were filled, one after the other
     * @param before the position of each buffer before the read, beginning with the buffer at {@code offset}
     * @param offset the first buffer
     * @return as there
     * @throws IOException as there
     */
    public long took(long n, ByteBuffer[] dsts, int[] before, int offset) throws IOException {
        StreamFingerprint print = fingerprint;
        if (print != null && n > 0 && socket.attached() == null) {
            print.note(
                    taken, dsts, before,
                    offset); // all bytes are the program's: a peer that switches has a link, and so has this end
        }
        long own = n;
        if (n > 0 && records != null) {
            own = withoutRecords(taken, (int) n, dsts, before, offset);
        }
        ByteBuffer more = takeBehind();
        long mine = took(own);
        if (mine < own) {
            setAside(takeOff(dsts, before, offset, (int) (own - mine)));
        }
        if (more != null) {
            setAsideBehind(more);
        }
        return orAnew(n, mine);
    }

    private long orAnew(long n, long mine) {
        return mine == 0 && n != 0 && link == null ? LinkStream.MOVED : mine;
    }

    private static ByteBuffer takeOff(ByteBuffer[] dsts, int[] before, int offset, int excess) {
        ByteBuffer all = ByteBuffer.allocate(excess);
        int left = excess;
        for (int i = before.length - 1; left > 0; i--) {
            ByteBuffer last = dsts[offset + i];
            int back = Math.min(left, last.position() - before[i]);
            last.position(last.position() - back);
            left -= back;
            all.put(left, last, last.position(), back);
        }
        return all;
    }

    /** Restores a buffer where a record was read into it, since a read changes no more bytes of it than it returns. */
    private void restore(ByteBuffer dst, int own, int n) {
        byte[] before = kept;
        if (own < n && before != null && n <= before.length) {
            dst.put(dst.position(), before, own, n - own);
        }
    }

    private static byte[] copyOf(ByteBuffer dst) {
        byte[] copy = new byte[Math.min(dst.remaining(), MOST_KEPT)];
        dst.get(dst.position(), copy);
        return copy;
    }

    private static void putBack(ByteBuffer bytes, ByteBuffer[] dsts, int offset) {
        for (int i = offset; bytes.hasRemaining(); i++) {
            int n = Math.min(bytes.remaining(), dsts[i].remaining());
            dsts[i].put(bytes.slice(bytes.position(), n));
            bytes.position(bytes.position() + n);
        }
    }

    /**
     * Takes the records by which the peer proves itself out of bytes that were read from the kernel. Under the lock.
     *
     * @param position how many of the program's bytes came before
     * @param n how many bytes there are, one at least
     * @param dsts as in {@link #took(long, ByteBuffer[], int[], int)}
     * @param before as there
     * @param offset as there
     * @return how many bytes are left; {@link #behind} comes next
     */
    private int withoutRecords(long position, int n, ByteBuffer[] dsts, int[] before, int offset) throws IOException {
        int left = n;
        for (PeerRecords.Expected each : records.all()) {
            long at = each.place();
            if (at < position || at >= position + left) {
                continue;
            }
            int head = (int) (at - position);
            int there = left - head;
            ByteBuffer tail = withBehind(takeOff(dsts, before, offset, there));
            each.doneAt(at);
            if (each.of().mayBePeers(tail)) {
                tail = tail.remaining() < OwnershipSecrets.RECORD ? withRest(tail, each.of(), at) : tail;
                if (tail.remaining() >= OwnershipSecrets.RECORD && each.of().mayBePeers(tail)) {
                    each.of().found(tail);
                    tail.position(OwnershipSecrets.RECORD);
                }
            }
            if (tail.remaining() > there) {
                int end = tail.position() + there;
                behind = tail.slice(end, tail.limit() - end);
                tail.limit(end);
            }
            left = head + tail.remaining();
            putBack(tail, dsts, offset);
        }
        return left;
    }

    /** The bytes that were read behind others to find out whether there was a record; null if there are none. Under the lock. */
    private ByteBuffer takeBehind() {
        ByteBuffer more = behind;
        behind = null;
        return more;
    }

    private ByteBuffer withBehind(ByteBuffer came) {
        ByteBuffer more = takeBehind();
        return more == null
                ? came
                : ByteBuffer.allocate(came.remaining() + more.remaining())
                        .put(came)
                        .put(more)
                        .flip();
    }

    /** Sets aside bytes that were read from the kernel, and the bytes {@link #behind} them. Under the lock. */
    private void setAsideNext(ByteBuffer came) throws IOException {
        setAsideInPlace(came);
        ByteBuffer more = takeBehind();
        if (more != null) {
            setAsideBehind(more);
        }
    }

    /**
     * Sets aside bytes that were read in search of the rest of a record that there was not. Among them may be a record whose place the peer
     * has told only now, and the announcement of a switch. Under the lock.
     */
    private void setAsideBehind(ByteBuffer more) throws IOException {
        ByteBuffer next = more;
        while (next != null) {
            long position = taken + aside.size() + aside.held();
            next.position(next.limit());
            int unused = withoutRecords(position, next.limit(), new ByteBuffer[] {next}, new int[] {0}, 0);
            setAsideInPlace(next.flip());
            next = takeBehind();
        }
        socket.readiness().refresh(); // the kernel tells nobody of them any more
    }

    /** Sets aside bytes that stand behind all that were read before, wherever the switch is. Under the lock. */
    private void setAsideInPlace(ByteBuffer next) throws IOException {
        long before = beforeSwitch();
        if (before != Long.MAX_VALUE) {
            // A switch where it cannot be is for the next reader to meet.
            int own = before < 0 ? next.remaining() : (int) Math.min(before, next.remaining());
            aside.addProgramBytes(next.slice(next.position(), own));
            next.position(next.position() + own);
            if (!next.hasRemaining()) {
                return;
            }
            goToLinkBehindAside(socket.attached());
        }
        if (announcementDue && next.hasRemaining()) {
            aside.addBehindAnnouncement(next);
            announcementDue = false;
        } else {
            aside.add(next, link != null || aside.hasEarly());
        }
    }

    /**
     * Reads the rest of what may be the peer's record. It comes at once, or the peer says within a moment that the record stands elsewhere.
     *
     * @param begun the first bytes
     * @param at the place where they stand
     * @return these and more: the whole record, or bytes that are no record
     */
    private ByteBuffer withRest(ByteBuffer begun, Ownership of, long at) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(OwnershipSecrets.RECORD).put(begun);
        long start = System.nanoTime();
        while (all.hasRemaining() && of.mayBePeers(all.duplicate().flip())) {
            if (socket.anchor().available() > 0) {
                int unused = readAnchor(all);
            } else if (of.peersPlace() != at || hasAnchorEnded() || System.nanoTime() - start > REST_NANOS) {
                break;
            } else {
                LockSupport.parkNanos(REST_PAUSE_NANOS);
            }
        }
        return all.flip();
    }

    /** Whether the peer's record may be the next that the kernel has. */
    private boolean isRecordNext() {
        PeerRecords expected = records;
        return expected != null && link == null && isAsideEmpty() && expected.next(taken) == taken;
    }

    /**
     * Reads ahead up to the peer's record, if that may have come, and takes it out, so that nobody counts it among the program's bytes. Does
     * nothing if another thread is reading.
     */
    private void takeRecordAhead() throws IOException {
        PeerRecords expected = records;
        if (expected == null || link != null || !lock.tryLock()) {
            return;
        }
        try {
            long position = taken + aside.size();
            long at = expected.next(position);
            if (at != Ownership.NOWHERE
                    && link == null
                    && !aside.awaitsRecord()
                    && at - position < socket.anchor().available()) {
                ByteBuffer came = takeForAside(at - position + 1);
                if (came != null) {
                    setAsideNext(came);
                    socket.readiness().refresh(); // the kernel tells nobody of them any more
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes note that the peer's end lies in the kernel, perhaps behind bytes. Any thread. */
    void endHasCome() {
        ended = true;
    }

    private long took(long n) throws IOException {
        LinkStream attached = socket.attached();
        if (n < 0 && attached != null && socket.loss().isCutOffAtEnd()) {
            attached.reader().failIfCutOff();
        }
        if (n < 0 && releaseHeld()) {
            return 0;
        }
        long mine = place(n);
        if (mine < 0 && !ended) {
            if (socket.loss() != null) {
                socket.loss().failIfKept();
            }
            ended = true;
        }
        if (mine <= 0 && attached != null && socket.kind().endings().resetsBehindEnd()) {
            // The kernel tells a reset only if it had the unread bytes. A read without room reports a reset that was
            // met before.
            if (mine < 0 ? isResetByLink(attached) : n == 0 && attached.reader().hasMetReset()) {
                attached.reader().failIfReset();
            }
        } else if (mine < 0 && attached != null) {
            attached.reader().peerReset().comesBehindEnd();
            if (socket.loss().isCutOff()) {
                attached.reader().peerReset().isOwedToWriter(); // just now
            }
        }
        return mine;
    }

    /**
     * Whether a peer that had the link has reset the connection over it, or has died with bytes unread there; one that got the link too late
     * resets the link alone.
     */
    private boolean isResetByLink(LinkStream attached) {
        return (attached.peer().hasReset() || attached.peer().hasDiedWithBytesUnread())
                && socket.handover().mayUse(attached);
    }

    private long place(long n) throws IOException {
        if (lost && n > 0) {
            return 0;
        }
        if (n > 0) {
            count(n);
        }
        LinkStream attached = socket.attached();
        if (attached == null) {
            if (n > 0) {
                socket.handover().noteTraffic();
            }
            return n;
        }
        long at = switchedAt(attached, n > 0);
        if (at == LinkReader.NOT_SWITCHED && n > 0 && aside.awaitsRecord()) {
            discount(n); // it is counted when it is read from what is set aside
            return 0;
        }
        if (at == LinkReader.NOT_SWITCHED && n > 0 && attached.isClosed() && socket.isClosed()) {
            // These bytes may be an announcement: the link could tell, and is gone.
            throw new AsynchronousCloseException();
        }
        if (at == LinkReader.NOT_SWITCHED || at > taken) {
            return n;
        }
        long excess = taken - at;
        if (excess > Math.max(0, n)) {
            socket.loss().condemn(attached);
            throw new CorruptLinkException("the peer says that it switched after " + at + " bytes, of which "
                    + (taken - Math.max(0, n)) + " had been read before: connection reset");
        }
        taken = at;
        if (n > 0 && n == excess) {
            discount(0);
        }
        announcementDue = excess == 0 && n >= 0;
        comeToLink(attached);
        return Math.max(0, n) - excess;
    }

    /**
     * Where the peer has come to the link.
     *
     * @param some whether bytes were read, of which nobody knows whose they are if that fails
     */
    private long switchedAt(LinkStream attached, boolean some) throws IOException {
        try {
            return attached.reader().switchedAt();
        } catch (CorruptLinkException e) {
            socket.loss().condemn(attached);
            throw e;
        } catch (RuntimeException | Error e) {
            attached.failIfLinks(e, some);
            throw e;
        }
    }

    /** Sets aside bytes that were read and are not the program's now, unless they never will be. Under the lock. */
    private void setAside(ByteBuffer bytes) {
        if (lost) {
            return;
        }
        if (link != null) {
            aside.addBehindAnnouncement(bytes);
        } else {
            aside.add(bytes, false);
        }
    }

    // ---- the record of a peer whose link has broken

    /**
     * Prepares for the peer's record, which may come from now on. A reader finds it.
     *
     * @param awaited the object that finds the record among the bytes
     */
    void await(ResumeRecord awaited) {
        aside.await(awaited);
    }

    /**
     * Stops looking for a record: the link is gone, and the peer will say nothing about it. Called by the thread that {@linkplain #await
     * awaits} it.
     */
    void forgetRecord() {
        aside.forgetRecord();
    }

    /**
     * Stops waiting for a record: the peer says nothing about the link. Bytes that were held because they might have been the record are
     * the program's. Called by the thread that {@linkplain #await awaited} it.
     */
    void awaitNoRecord() {
        lock.lock();
        try {
            aside.releaseHeld();
            aside.forgetRecord();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Looks for the record among the bytes in the kernel, and sets the program's bytes aside, since the program may be waiting, before it
     * reads, for something that needs the record. Does nothing if another thread is reading. Never waits.
     *
     * @return whether the kernel's connection has ended, so that the record will not come
     * @throws IOException if the peer has reset it
     */
    boolean receiveRecord() throws IOException {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            aside.siftAgain(link != null);
            if (socket.isInputShut()) {
                receiveRecordAlone();
                return false; // an input that this end has shut does not tell whether the peer has ended
            }
            if (socket.isClosed()) {
                receiveRecordAlone();
                return aside.awaitsRecord() && hasAnchorEnded();
            }
            if (link == null && !aside.hasEarly() && !setAsideUpToSwitch(socket.attached())) {
                return false;
            }
            while (aside.awaitsRecord()) {
                ByteBuffer came = takeForAside(Long.MAX_VALUE);
                if (came == null) {
                    break;
                }
                setAsideNext(came);
            }
            return aside.awaitsRecord() && !aside.hasEarly() && hasAnchorEnded();
        } finally {
            lock.unlock();
            if (hasAside() || isAsideFull()) {
                socket.readiness().refresh(); // otherwise a waiter for the kernel would wait for bytes that are gone
            }
        }
    }

    /**
     * Sets aside the bytes that the peer has sent before it switched: its record stands behind them, and the program may be waiting for
     * room to write, which it gets when the record is found. Under the lock.
     *
     * @return false if some of them have not come, or are too many
     */
    private boolean setAsideUpToSwitch(LinkStream attached) throws IOException {
        if (attached.reader().peekSwitchedAt() == LinkReader.NOT_SWITCHED) {
            return true;
        }
        long at = switchedAt(attached, false);
        while (at - taken - aside.size() > 0) {
            ByteBuffer came = takeForAside(at - taken - aside.size());
            if (came == null) {
                checkWholeUpTo(at);
                return false;
            }
            setAsideNext(came);
            if (link != null || aside.hasEarly()) {
                return true; // bytes behind the announcement were read as well, in search of a record
            }
        }
        goToLinkBehindAside(attached);
        return true;
    }

    /** The link comes behind what is set aside, and the announcement next in the kernel. Under the lock. */
    private void goToLinkBehindAside(LinkStream attached) {
        announcementDue = true;
        if (aside.isEmpty()) {
            comeToLink(attached);
        } else {
            aside.endBeforeLink();
        }
    }

    /**
     * Takes bytes from the kernel that are to be set aside, up to the announcement of a switch. {@link #behind} comes next. Under the lock.
     *
     * @param most how many at most
     * @return the bytes; null if none are there, or too many are set aside
     */
    private ByteBuffer takeForAside(long most) throws IOException {
        int there = maySetAside() ? socket.anchor().available() : 0;
        if (there <= 0) {
            return null;
        }
        long limit = Math.min(Math.min(most, beforeSwitch()), Math.min(MOST_AT_A_TIME, there));
        if (limit <= 0) {
            return null;
        }
        ByteBuffer came = ByteBuffer.allocate((int) limit);
        int n = readAnchor(came);
        if (n > 0 && records != null) {
            long position = taken + aside.size() + aside.held();
            int unused = withoutRecords(position, n, new ByteBuffer[] {came}, new int[] {0}, 0);
        }
        return n > 0 ? came.flip() : null;
    }

    /**
     * How many of the program's bytes come next before the announcement of a switch. To be asked when the kernel has said what it has: if the
     * announcement is among that, the switch is known now. Under the lock.
     */
    private long beforeSwitch() throws IOException {
        LinkStream attached = socket.attached();
        if (attached == null || link != null || aside.hasEarly()) {
            return Long.MAX_VALUE; // the switch is past
        }
        long at = switchedAt(attached, false);
        return at == LinkReader.NOT_SWITCHED ? Long.MAX_VALUE : at - taken - aside.size();
    }

    /** The next byte comes over the link. Under the lock. */
    private void comeToLink(LinkStream attached) {
        link = attached;
        socket.readiness().refresh();
    }

    /**
     * A connection that has ended has no more bytes than the kernel holds, and nothing else tells a program that only writes of a reset.
     */
    private boolean maySetAside() throws IOException {
        return !isAsideFull() || socket.anchor().hasEnded();
    }

    /**
     * Fails if nobody can ever read up to the switch: a peer that resets throws away the bytes that its kernel had not sent. Under the
     * lock.
     */
    private void checkWholeUpTo(long switchedAt) throws IOException {
        if (taken + aside.size() < switchedAt && hasAnchorEnded()) {
            throw new IOException("the peer has reset it before all had come that it sent before its switch");
        }
    }

    /** Discards everything before the record: the program reads no more. Under the lock. */
    private void receiveRecordAlone() throws IOException {
        ByteBuffer came = ByteBuffer.allocate(MOST_AT_A_TIME);
        while (aside.awaitsRecord() && readForNobody(came.clear()) > 0) {
            aside.siftForNobody(came.flip());
        }
    }

    private int readForNobody(ByteBuffer dst) throws IOException {
        Anchor anchor = socket.anchor();
        if (socket.isInputShut()) {
            return anchor.readShut(dst);
        }
        return anchor.available() > 0 ? readAnchor(dst) : 0;
    }

    /** Whether nothing more comes through the kernel, and everything that came was read. */
    private boolean hasAnchorEnded() throws IOException {
        return socket.anchor().hasEnded() && socket.anchor().available() == 0;
    }

    /**
     * Reads the bytes that have come through the kernel since the program closed, so that the kernel counts them as read. Never waits.
     *
     * @return whether no more comes
     * @throws IOException if the peer has reset the connection
     */
    boolean discard() throws IOException {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            ByteBuffer came = ByteBuffer.allocate(MOST_AT_A_TIME);
            int n;
            do {
                n = readForNobody(came.clear());
            } while (n > 0);
            return hasAnchorEnded();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads the end of the kernel's connection, which comes next there.
     *
     * @return false if another thread is just reading
     * @throws IOException if it is a reset
     */
    boolean readEnd() throws IOException {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            int unused = readAnchor(ByteBuffer.allocate(1));
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the kernel tells of a reset where the last bytes of a peer that died have come over the link: that had bytes unread that had
     * gone through the kernel. The kernel tells it once. In the link's reading half only.
     */
    boolean isKernelsEndAReset() {
        lock.lock();
        try {
            if (announcementDue) {
                takeAnnouncement();
            }
            if (socket.anchor().hasEnded()) { // else the link is gone and the peer is not, and a read might wait
                int unused = socket.anchor().read(ByteBuffer.allocate(1));
            }
            return false;
        } catch (IOException e) {
            return isReset(e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Hands the program the bytes that were held because they might have been the record: the kernel's connection has ended. Under the
     * lock.
     */
    private boolean releaseHeld() {
        if (link != null || aside == null || !aside.awaitsRecord()) {
            return false;
        }
        aside.releaseHeld();
        return !aside.isEmpty();
    }

    /**
     * Reads bytes that were set aside, which come before all bytes in the kernel. In this half only.
     *
     * @param dst the buffer to fill
     * @return the number of bytes; 0 if there are none, and the kernel comes next, or {@link #link()}
     * @throws IOException "Bad address" if the buffer's memory is not there; then the bytes stay
     */
    public int readAside(ByteBuffer dst) throws IOException {
        SetAside before = aside;
        if (before == null || link != null) {
            return 0;
        }
        PeerRecords expected = records;
        kept = expected != null && dst.hasArray() && expected.mayCome(taken) ? copyOf(dst) : null;
        boolean wasEarly = before.hasEarly();
        int n = before.read(dst);
        if (n > 0) {
            count(n);
        }
        if (wasEarly && !before.hasEarly()) {
            comeToLink(socket.attached());
        }
        return n;
    }

    /** Counts a read that has brought bytes. Under the lock. */
    private void count(long n) {
        long before = taken;
        taken = before + n;
        int earlier = reads;
        reads = earlier + 1;
        if (justFollowed) {
            justFollowed = false;
        }
    }

    /** Takes a counted read back that has brought none of the program's bytes yet. Under the lock. */
    private void discount(long n) {
        long before = taken;
        taken = before - n;
        int earlier = reads;
        reads = earlier - 1;
    }

    /** Whether as many bytes are set aside as may be. Any thread. */
    boolean isAsideFull() {
        return sizeAside() >= MOST_ASIDE;
    }

    /** Whether there may be bytes that were set aside: not before the first link. In this half. */
    public boolean mayHaveAside() {
        return aside != null;
    }

    private boolean isAsideEmpty() {
        SetAside before = aside;
        return before == null || before.isEmpty();
    }

    private int sizeAside() {
        SetAside before = aside;
        return before == null ? 0 : before.size();
    }

    /** Whether bytes that were set aside come next. Any thread. */
    boolean hasAside() {
        return !isAsideEmpty() && link == null;
    }

    /**
     * Goes back to the kernel's path, as the peer has, now that everything that came over the link has been read. In the link's reading
     * half only. No thread enters that half from this one, so the two locks are never taken in both orders.
     *
     * @param from the link
     * @return false if that is too early: the announcement of the switch to the link, or a record, is still on its way
     */
    boolean follow(LinkStream from) {
        lock.lock();
        try {
            if (aside.awaitsRecord() && !isAsideFull()) {
                return false; // if full, the record may stand behind bytes that are yet to be read
            }
            if (announcementDue) {
                takeAnnouncement();
                if (announcementDue) {
                    return false;
                }
            }
            from.reader().follow();
            if (socket.loss().isLackingBytes()) {
                lost = true; // what stands behind the missing bytes may also be the peer's record
                aside.drop();
            }
            justFollowed = true;
            link = null; // after that: see isReadable
        } finally {
            lock.unlock();
        }
        from.peer().say(Link.FOLLOWED);
        socket.readiness().refresh();
        return true;
    }

    /**
     * Decides what a failed read from the kernel reports. In this half only.
     *
     * @param e the failure
     * @return 0 if the peer's bytes come over {@link #link()}; -1, the end, if a write over the link has reported the reset that this read
     *     has met
     * @throws IOException the failure of the read, if it is to be reported; or as {@link #took}
     */
    public int failed(IOException e) throws IOException {
        if (MappedCopy.isFault(e)) {
            // The kernel has no place to put its bytes, which are still there. If it is only the announcement, the link
            // comes next.
            long unused = place(0);
            if (link != null) {
                return 0;
            }
            throw e;
        }
        if (place(-1) == 0) {
            if (!isReset(e)) {
                socket.loss().keep(e); // it comes behind the link's bytes; of a reset the link tells as well
            }
            return 0;
        }
        socket.met(e); // the next write must not be taken
        LinkStream attached = socket.attached();
        if (attached != null && socket.outgoing().hasCome(attached)) {
            AnchorWatch.met(attached);
        }
        if (isReset(e) && attached != null && isOnlyAnnouncementUnread(attached)) {
            return -1;
        }
        if (isReset(e) && attached != null && !attached.reader().peerReset().isReaders()) {
            return -1;
        }
        throw e;
    }

    /** Whether the kernel tells a reset because a peer that had read everything has closed with an announcement unread. */
    private boolean isOnlyAnnouncementUnread(LinkStream attached) {
        return socket.kind().endings().resetsBehindEnd() && attached.peer().hasClosedInOrder();
    }

    /** Whether a failure is that the peer has reset the connection. */
    static boolean isReset(IOException e) {
        return e.getMessage() != null && e.getMessage().startsWith("Connection reset");
    }

    /**
     * The number of bytes that reads would get without waiting; a hint if another thread reads. Any thread.
     *
     * @throws IOException if the anchor is closed
     */
    public int available() throws IOException {
        LinkStream switched = link;
        if (switched != null) {
            // The link comes first: bytes that it gains meanwhile are missed, and no byte is counted that is not there.
            long here = switched.reader().available();
            return toInt(switched.reader().isPeerLeaving() ? here + aside.size() + behindAnnouncement() : here);
        }
        takeRecordAhead();
        long raw = (long) socket.anchor().available() + sizeAside();
        LinkStream attached = socket.attached();
        long at = attached == null ? LinkReader.NOT_SWITCHED : attached.reader().peekSwitchedAt();
        if (at == LinkReader.NOT_SWITCHED) {
            return toInt(raw);
        }
        long before = Math.min(raw, Math.max(0, at - taken));
        // The bytes behind that begin with the announcement, which is not the program's, unless that was taken before.
        int announcement = aside.hasEarly() && !announcementDue ? 0 : 1;
        long behind = attached.reader().isPeerLeaving() ? Math.max(0, raw - before - announcement) : 0;
        return toInt(before + attached.reader().availableAhead() + behind);
    }

    private static int toInt(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    private int behindAnnouncement() throws IOException {
        return Math.max(0, socket.anchor().available() - (announcementDue ? 1 : 0));
    }

    /** Whether any of the program's bytes that came through the kernel are unread, in a connection that is closing. Any thread. */
    boolean hasUnread() {
        LinkStream switched = link;
        try {
            if (switched != null) {
                // No bytes of the program's lie behind an end over the link, but the record of the close may.
                return (!aside.isEmpty() && !switched.peer().hasFinished())
                        || (switched.reader().hasLeft() && kernelHasMoreThan(announcementDue ? 1 : 0));
            }
            if (!isAsideEmpty()) {
                return true;
            }
            LinkStream attached = socket.attached();
            long at = attached == null
                    ? LinkReader.NOT_SWITCHED
                    : attached.reader().peekSwitchedAt();
            // While a broken link is undecided, the kernel may hold the peer's record, which is not the program's.
            boolean mayBeRecord = attached != null && attached.broken().isUndecided();
            return (at == LinkReader.NOT_SWITCHED || at > taken)
                    && kernelHasMoreThan(mayBeRecord ? ResumeRecord.SIZE : 0);
        } catch (IOException e) {
            return false; // closed or reset, so the answer makes no difference any more
        }
    }

    /**
     * Whether the kernel has more than so many bytes. If the input is shut, only a read tells; it takes bytes that nobody wants any more.
     */
    private boolean kernelHasMoreThan(int bytes) throws IOException {
        if (!socket.isInputShut()) {
            return socket.anchor().available() > bytes;
        }
        if (!lock.tryLock()) {
            return false; // the thread that takes connections back is looking for a record there
        }
        try {
            return socket.anchor().readShut(ByteBuffer.allocate(bytes + 1)) > bytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether a read gets bytes, if the kernel reported them before the reader was known to be back on its path. Those bytes may have been
     * an announcement, or a record, that was taken meanwhile. Any thread.
     */
    boolean isReadable() {
        boolean isRecordNext = isRecordNext();
        if ((!justFollowed && !isRecordNext) || !isAsideEmpty()) {
            return true;
        }
        try {
            if (isRecordNext) {
                takeRecordAhead();
                if (!isAsideEmpty()) {
                    return true;
                }
            }
            return socket.anchor().available() > 0 || socket.anchor().hasEnded();
        } catch (IOException e) {
            return true; // the read meets the failure
        }
    }

    /** Whether the announcement is still to be taken from the anchor. */
    boolean isAnnouncementDue() {
        return announcementDue;
    }

    /** Takes the announcement from the anchor if it has come, so that no unread byte is left there. Any thread. */
    void drain() {
        if (announcementDue && lock.tryLock()) {
            try {
                if (announcementDue && !aside.awaitsRecord()) { // else it is taken with the record
                    takeAnnouncement();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Under the lock. */
    private void takeAnnouncement() {
        Uninterrupted.run(this::takeAnnouncementUninterrupted);
    }

    private void takeAnnouncementUninterrupted() {
        try {
            if (socket.anchor().available() > 0) {
                int unused = readAnchor(ByteBuffer.allocate(1));
                announcementDue = false;
            } else if (socket.anchor().hasEnded()) {
                announcementDue = socket.anchor().available() > 0; // bytes that came just now preceded the end
            }
        } catch (IOException e) {
            announcementDue = false; // the announcement will not come any more
        }
    }

    /** Reads from the kernel for no program. The kernel reports a failure once; it is kept for the program. Under the lock. */
    private int readAnchor(ByteBuffer dst) throws IOException {
        try {
            return socket.anchor().read(dst);
        } catch (IOException e) {
            socket.loss().keep(e);
            throw e;
        }
    }

    /** Takes a fingerprint from the first byte on, or not at all. */
    void fingerprint(StreamFingerprint print) {
        fingerprint = print;
    }

    StreamFingerprint fingerprint() {
        return fingerprint;
    }

    long taken() {
        return taken;
    }

    int reads() {
        return reads;
    }
}
