package io.accel.core.socket;

import io.accel.core.capture.Capture;
import io.accel.core.capture.TcpFlow;
import io.accel.core.fabric.Link;
import io.accel.core.observe.ConnectionCounters;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.Flight;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Registration;
import io.accel.core.stream.CorruptLinkException;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import io.accel.profile.HandoverAfter.Unrest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * An accelerated connection in use: its two halves, who may be in which, and who lets go of its memory last.
 *
 * <p><b>Nobody touches freed memory</b> ({@link LinkLease}). A reader or writer is in the link only while it holds its half's lock
 * and has found the stream open under it. So whoever gets that lock after the close gives the half's share back: the closing thread
 * if the lock is free, otherwise its holder when it leaves. A poller gives its registration's share back when it will not look again.
 *
 * <p>Leaving and closing are a Dekker handshake: the holder unlocks and looks whether the lease is over; the closer ends it and
 * tries the lock. Both are volatile accesses.
 */
public final class LinkStream extends CapturedLink implements BlockingWaits.Waitable {
    /** The direction goes on by the kernel's path: nothing was read or written, and the caller begins anew. */
    public static final int MOVED = StreamReceiver.MOVED;

    /** The peer has not said where it switches. */
    static final long NOT_SWITCHED = -1;

    /** How long a reader in blocking mode naps whose announcement is on its way. */
    private static final long ANNOUNCEMENT_NAP_NANOS = 50_000;

    /** How often a ring is found full, and the peer reads on, until it counts as too small. */
    private static final int SHORTFALLS = 2;

    /** One of how many writes goes back where they do so at random. */
    private static final int RESTLESS_WRITES = 8;

    private final Link link;
    private final LinkLease lease;
    private final int ringSize;
    private final StreamReceiver receiver;
    private final StreamSender sender;

    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    /** Guarded by the half's lock. */
    private boolean readReleased;
    /** Guarded by the half's lock. */
    private boolean writeReleased;

    /** Whether the link has broken, and the connection goes on without it. Set once, by {@link Resumption}. */
    private volatile boolean resumed;
    /** Whether this direction does not come to the link again. Set once, by {@link LinkRetirement}. */
    private volatile boolean retiring;
    /** Whether the peer was told that neither direction uses the link any more. Set once, by {@link LinkRetirement}. */
    private volatile boolean saidRetired;
    /** Whether the peer was told that larger rings are wanted. Set once, by {@link LinkRetirement}. */
    private volatile boolean saidLarger;
    /** Whether bytes are sent from where the program has them, and are still with it. Written in the writing half. */
    private volatile boolean inPlace;

    private volatile boolean outputShut;
    /** Whether a close is about to tell the peer of the end, or has. */
    private volatile boolean ending;
    /** What had been published then, at least. Written before {@link #ending}. */
    private long endsAt;

    /** What is done to this at random, for tests. */
    private final Unrest unrest;

    private final StreamSocket socket;
    private final LinkRetirement retirement = new LinkRetirement(this);
    /** The registrations of those who wait for the link alone. */
    private final Shares shares = new Shares();

    private final ConnectionRecord connection;
    private final ConnectionCounters counters;

    /** By {@link #awaitSent}. */
    private volatile long awaited;

    /** Whether the peer was told, over the anchor, that this direction has switched. Set by whoever tells it. */
    private volatile boolean announced;

    /** Whether the ring has been full for so long that the kernel had better take what is written next. */
    private volatile boolean overdue;

    /**
     * Whether that is so because the peer has read nothing for long, and for no other reason. Set by {@link StreamUpgrades}' thread,
     * cleared in the writing half.
     */
    private volatile boolean stuck;

    /** Whether the reader goes on by the kernel because the link has broken. Set once, by {@link Resumption}. */
    private volatile boolean returns;
    /** What is sent again by the kernel of a link that has broken; null before. Set by {@link Resumption}. */
    private volatile Replay replay;

    /** Whether {@link StreamUpgrades} looks from time to time how long the ring has been full. */
    private final AtomicBoolean watched = new AtomicBoolean();
    /** What the peer had read when that was last looked at. By that thread alone. */
    private long progressSeen;
    /** How often the ring was found full by a writer, and not for the peer's being idle. By that thread alone. */
    private int shortfalls;

    // Guarded by the writing half's lock.

    /** Whether the peer is still to be told, over the anchor, that this direction has switched. */
    private boolean unannounced;
    /** Whether the last write found too little room. Here, where the writer looks anyway, and no reader writes. */
    private boolean stalled;
    /** Of the stall that lasts, if that is recorded. */
    private Object stall;

    LinkStream(Link link, int lowWater, Unrest unrest, StreamSocket socket, ConnectionRecord connection) {
        this.link = link;
        this.ringSize = link.sendRing().size();
        this.unrest = unrest;
        this.socket = socket;
        this.connection = connection;
        this.counters = connection.counters();
        this.lease = new LinkLease(link, connection);
        this.receiver = new StreamReceiver(link);
        this.sender = new StreamSender(link, lowWater, receiver);
        shares.establish(lease);
    }

    Link link() {
        return link;
    }

    LinkLease lease() {
        return lease;
    }

    // ---- switching

    /**
     * Begins to send: says how many bytes went by the kernel before. What is written next is announced over the anchor.
     *
     * @return false if this has closed, or not now
     */
    boolean switchAt(long given) {
        lockWrite();
        try {
            if (lease.isEnded() || (link.peerState() & Link.BROKEN) != 0 || !sender.begin(given)) {
                return false;
            }
            announced = false;
            unannounced = true;
            return true;
        } catch (CorruptLinkException e) {
            connection.wasReset(e.getMessage());
            return false; // it is reset, which its users find out
        } finally {
            unlockWrite();
        }
    }

    /**
     * Whether the kernel had better take what is written next: the peer has read nothing for a while, or the link has broken and
     * what it lost was sent again.
     */
    public boolean isOverdue() {
        Replay under = replay;
        return under != null ? under.isAtLimit() : overdue;
    }

    /** In a test that wants it: finds the link overdue now and then. Writer only. */
    private boolean feignsOverdue() {
        if (overdue
                || ThreadLocalRandom.current().nextInt(RESTLESS_WRITES) != 0
                || !mayLeave()
                || !socket.outgoing().mayGoBack(this)) {
            return false;
        }
        overdue = true;
        return true;
    }

    /**
     * Whether this direction goes back because the peer has read nothing for long; false for the next time. In the writing half only.
     */
    boolean wasStuck() {
        boolean was = stuck;
        stuck = false;
        return was;
    }

    /** How many bytes went by this since the direction last came to it. In the writing half only. */
    long sentSinceSwitch() {
        return sender.sinceBegin();
    }

    /** The writer cannot go back just now: from the next write that finds no room on, the time is taken anew. Writer only. */
    public void postpone() {
        overdue = false;
    }

    /** Leaves the link for the kernel's path, if that can be now. In the writing half only; see {@link Outgoing#goBack}. */
    boolean leave() {
        if (replay != null) {
            sender.flush();
            return replay.isComplete(sender.position());
        }
        sender.flush();
        boolean leaves = mayLeave();
        overdue = false;
        if (leaves) {
            sender.leave();
            noteStall(true, false);
        }
        return leaves;
    }

    /**
     * What follows the announcement on the anchor is the program's, so the announcement has to be there. All that went by the link has
     * to have come to the peer, who need not be asked then if the link breaks before the peer has read it ({@link Resumption}).
     */
    private boolean mayLeave() {
        return announced && !lease.isEnded() && !outputShut && !isBroken() && hasPeerAll();
    }

    /** If not, the peer's device is asked for a sign of life, after which it may. */
    private boolean hasPeerAll() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && (link.sent() >= published() || link.isReached());
        }
    }

    // ---- the end of a link that breaks: Resumption, by its thread

    /** Whether the link has broken, and nobody has said what becomes of the stream. */
    boolean isUndecided() {
        int state = returns ? 0 : states();
        return (state & Link.BROKEN) != 0 && (state & (Link.RST | Link.CLOSED)) == 0;
    }

    /** What the peer has said, as far as it is known without looking for more; nothing if the link is freed. */
    private int states() {
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : link.peerState();
        }
    }

    /** Decides it, and has all see that who wait. */
    void decide(int states) {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return;
            }
            link.decide(states);
        }
        refresh();
    }

    /** The reader goes on by the kernel after what has come by the link, at once if nothing has. */
    void returnReader() {
        returns = true;
        decide(Link.LEFT);
    }

    /**
     * Whether a peer that may read on may lack something of what went by this: the link can break before that has come, or has, and it is
     * not all with the kernel. In no half: a writer who is just at work has not said yet that it is written.
     */
    boolean mayPeerLackAny() {
        try (LinkLease.Share share = lease.take()) {
            return share != null
                    && (link.canBreak()
                            && (link.peerState() & (Link.RST | Link.CLOSED)) == 0
                            && (!isAllSent() || isResuming()));
        }
    }

    /** Whether the peer's device has all that was published. */
    boolean isAllSent() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && link.sent() >= published();
        }
    }

    /** Changes whenever the peer's device, or its kernel, is known to have taken more. */
    long delivered() {
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : link.sent() + replayed();
        }
    }

    /** What tells the peer, if the link breaks after this end has closed, whether all has come; null if that cannot be. */
    ByteBuffer farewell() {
        if (!announced) {
            return null;
        }
        try (LinkLease.Share share = lease.take()) {
            return share != null && link.canBreak() ? ResumeRecord.ofClosing(link.nonce(), published()) : null;
        }
    }

    /** What the two ends of the link call it. */
    long nonce() {
        return link.nonce();
    }

    /** Up to which cursor bytes have come, which is final; -1 as long as more may come. */
    long finallyReceived() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return -1;
            }
            link.takeIn();
            return link.peerGone() ? link.published() : -1;
        }
    }

    /** Whether the peer has been told over the anchor that this direction has switched. */
    boolean isAnnounced() {
        return announced;
    }

    /**
     * From where on what was sent is to be sent again.
     *
     * @param received what the peer says
     * @return as {@link StreamSender#resumeAt}
     * @throws CorruptLinkException as there, or if the peer was told of the switch, and knows no place for it
     */
    long resumeAt(long received) throws CorruptLinkException {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return -1;
            }
            if (announced && !sender.hasBegunAt(received)) {
                return -1;
            }
            return sender.resumeAt(received);
        }
    }

    /** The cursor up to which all was published. */
    long published() {
        return sender.published();
    }

    /** The link has broken, and the connection goes on by the kernel, perhaps after what came by the link. */
    void resumed() {
        resumed = true;
    }

    boolean hasResumed() {
        return resumed;
    }

    /** Begins to send again; from now on a writer goes to the kernel when all is sent. */
    void replay(Replay begun) {
        replay = begun;
    }

    boolean isReplaying() {
        return replay != null;
    }

    /** Whether the link has broken, and what was written may not be with the peer, nor with the kernel. */
    boolean isResuming() {
        return isUndecided() || (isReplaying() && socket.outgoing().link() == this);
    }

    /** How many bytes were sent again. */
    long replayed() {
        Replay under = replay;
        return under == null ? 0 : under.count();
    }

    /** Copies what was sent. */
    void copySent(long from, ByteBuffer dst, long most) {
        try (LinkLease.Share share = lease.take()) {
            if (share != null) {
                sender.copySent(from, dst, most);
            } else {
                dst.clear().limit(0);
            }
        }
    }

    /**
     * Has this direction go back to the kernel in the place of a writer, of whom there may be none. One who is just writing, or
     * waits for room, or still has what the device reads, is called to do it by itself.
     *
     * @return whether it has
     */
    boolean goBackForWriter() {
        if (!writeLock.tryLock()) {
            refresh();
            return false;
        }
        try {
            // A program that has closed has nothing left that a device reads which is sent again.
            boolean mayGo = lease.isEnded() ? socket.isLingering() : !inPlace;
            boolean isBack = mayGo && socket.outgoing().goBack(this);
            if (isBack) {
                socket.outgoing().leave();
            }
            return isBack;
        } finally {
            unlockWrite();
        }
    }

    // ---- giving the link back while the connection lives on: LinkRetirement, by its thread

    StreamSocket socket() {
        return socket;
    }

    LinkRetirement retirement() {
        return retirement;
    }

    /** What the peer has said, all that has come taken in; {@link Link#CLOSED} if the link is freed. */
    int peerStates() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return Link.CLOSED;
            }
            link.takeIn();
            return link.peerState();
        }
    }

    /** Changes whenever bytes go by this, in either direction. A hint for any thread. */
    long activity() {
        return sentInAll() + receivedInAll();
    }

    /** How many bytes of the program's have gone by this. A hint for any thread. */
    long sentInAll() {
        return sender.sent();
    }

    /** How many have come. A hint for any thread. */
    long receivedInAll() {
        return receiver.received();
    }

    // ---- captures: Captures, under its monitor

    @Override
    Ends ends() {
        return socket.observedLocal() instanceof InetSocketAddress local
                        && socket.observedRemote() instanceof InetSocketAddress remote
                ? new Ends(true, local, remote)
                : null;
    }

    @Override
    void tap(Capture capture, Ends ends) {
        TcpFlow flow = connection.flow(capture, ends.local(), ends.remote(), this);
        sender.tap(flow.outgoing());
        receiver.tap(flow.incoming());
    }

    @Override
    void untap() {
        sender.untap();
        receiver.untap();
    }

    /** Breaks the link, if a link of its fabric can break without a loss. */
    void breakNow() {
        try (LinkLease.Share share = lease.take()) {
            if (share != null) {
                link.breakNow();
            }
        }
    }

    /** From now on no writer switches to this, except one who was just {@linkplain Outgoing#isSwitching() switching}. */
    void beginToRetire() {
        retiring = true;
    }

    boolean isRetiring() {
        return retiring;
    }

    /** Tells the peer that this end gives the link back if the peer does. */
    void sayRetiring() {
        say(Link.RETIRING);
    }

    /** Tells the peer that neither direction uses the link any more. */
    void sayRetired() {
        saidRetired = true;
        say(Link.RETIRED);
    }

    /** Whether the peer has been told, or is being told, that this end uses the link no more. */
    boolean hasSaidRetired() {
        return saidRetired;
    }

    /** Tells the peer that larger rings are wanted. */
    void sayLarger() {
        saidLarger = true;
        say(Link.LARGER);
    }

    boolean hasSaidLarger() {
        return saidLarger;
    }

    /** Whether the ring is too small for what is written: it is full again and again, although the peer reads. */
    boolean isCramped() {
        return shortfalls >= SHORTFALLS;
    }

    /** Bytes of the ring of either direction. */
    int ringSize() {
        return ringSize;
    }

    /** Has the writer find that the kernel had better take what is written next. */
    void makeOverdue() {
        overdue = socket.outgoing().mayGoBack(this);
    }

    /** The reader goes on by the kernel if the peer has left this, and all before that was read. */
    void followForReader() {
        try (LinkLease.Share share = lease.take()) {
            if (share != null) {
                boolean unused = movesOn();
            }
        }
    }

    /**
     * Lets go of the link, which neither end uses any more, without a word to the peer, who does so, too. Whoever comes to read or
     * write by it finds that it has {@link #MOVED}.
     */
    void retire() {
        if (lease.end(LinkLease.State.RETIRED)) {
            letGo();
        }
    }

    /**
     * Keeps the link's memory from being freed until {@link #release}, for who has something in it while in neither half.
     *
     * @return false if it is freed already
     */
    public boolean hold() {
        return lease.hold();
    }

    /** Whether the peer's reader has followed to the kernel's path; true once for each time. */
    boolean isFollowed() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && sender.isFollowed();
        }
    }

    /** As {@link #isFollowed}, and leaves it as it is. */
    boolean hasPeerFollowed() {
        return (states() & Link.FOLLOWED) != 0;
    }

    /**
     * Looks how long the ring has been full. Called twice, {@link StreamUpgrades} knows how long after each other, without the
     * peer having read anything, it is overdue.
     *
     * @param again whether this is not the first time
     * @return whether to look again
     */
    boolean checkStall(boolean again) {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return false;
            }
            long read = link.released();
            boolean stands = again && read == progressSeen;
            shortfalls += !stands && (again || !sender.isFull()) ? 1 : 0;
            progressSeen = read;
            if (lease.isEnded() || !sender.isFull()) {
                watched.set(false);
                return !lease.isEnded()
                        && sender.isFull()
                        && watched.compareAndSet(false, true); // it may be full again just now
            }
            boolean ever = socket.outgoing().mayGoBack(this);
            if (ever && !(stands && mayLeave())) {
                return true;
            }
            watched.set(false);
            stuck = ever;
            overdue = ever;
        }
        refresh();
        return false;
    }

    /** Whether the peer's sender has left the link, and all before that was read. Any thread. */
    boolean hasLeft() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && receiver.hasLeft();
        }
    }

    /** Whether the peer sends by the kernel again after what it has published here, of which some may be unread. */
    boolean isPeerLeaving() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && receiver.isPeerLeaving();
        }
    }

    /** The reading half has left the link for the kernel's path. In that half only. */
    void follow() {
        receiver.follow();
    }

    /** Tells the peer that {@link #follow} was done. */
    void sayFollowed() {
        link.signal(Link.FOLLOWED);
    }

    /** How many bytes came by the kernel before the first that comes by this; {@link #NOT_SWITCHED} if none does yet. */
    long switchedAt() throws IOException {
        lockRead();
        try {
            if (lease.isEnded()) {
                return NOT_SWITCHED;
            }
            // Whoever has read the announcement must see the place now: otherwise it is taken for a byte of the
            // program's.
            link.takeIn();
            return receiver.takePreface();
        } finally {
            unlockRead();
        }
    }

    /** As {@link #switchedAt}, for who looks while another thread may be reading: leaves everything as it is. */
    long peekSwitchedAt() {
        try (LinkLease.Share share = lease.take()) {
            return share == null ? NOT_SWITCHED : receiver.preface();
        }
    }

    /** How many bytes have come by this while those before them are still read from the kernel. */
    int availableAhead() {
        if (socket.isInputShut()) {
            return 0;
        }
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : (int) Math.min(Integer.MAX_VALUE, receiver.availableAhead());
        }
    }

    /** Ends what a peer has written nonsense into. */
    void condemn() {
        say(Link.RST);
    }

    /** Resets the peer, and drops what was not sent, of a connection that was closed. */
    void giveUp(String why) {
        connection.didReset(why);
        say(Link.RST);
    }

    private void say(int state) {
        try (LinkLease.Share share = lease.take()) {
            if (share != null) {
                link.signal(state);
            }
        }
    }

    /** The peer may receive by the link: it has said so, or sends by it. */
    boolean isPeerReady() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return false;
            }
            long published = link.published(); // a fabric learns of states when it is looked at
            return (link.peerState() & Link.ATTACHED) != 0 || published != 0;
        }
    }

    /** Whether the peer has closed or reset the connection, or is gone, or the link has broken. */
    boolean hasPeerEnded() {
        try (LinkLease.Share share = lease.take()) {
            return share == null || (link.peerState() & (Link.RST | Link.CLOSED | Link.BROKEN)) != 0 || link.peerGone();
        }
    }

    /** Whether the peer has reset the link, or bytes are lost because it has broken. */
    boolean wasReset() {
        return (states() & Link.RST) != 0;
    }

    /** Ends a read of the kernel's path: what the peer sent may be lost with the link. Returns if a write has told of that. */
    void failReader() throws SocketException {
        if (reportsResetToReader()) {
            connection.wasReset("its link broke");
            throw new SocketException("Connection reset");
        }
    }

    /** Whether the peer has ended, by the link, what it sends. */
    boolean hasPeerFinished() {
        return (states() & Link.FIN) != 0;
    }

    /** Whether it is for a reader of the kernel's path to report that the peer has reset the connection. */
    boolean reportsResetToReader() {
        return receiver.peerReset().isReaders();
    }

    /** Whether a read has reported that the peer has reset the connection; so will those that follow. Any thread. */
    public boolean hasReaderMetReset() {
        return receiver.peerReset().wasRead();
    }

    /** As {@link #reportsResetToReader}, for a writer. */
    boolean reportsResetToWriter() {
        return receiver.peerReset().isNewToWriter();
    }

    /** Whether it is for a writer to report a reset of which the kernel has told it. */
    boolean reportsKernelsResetToWriter() {
        return receiver.peerReset().isWriters();
    }

    /** The kernel has told of a reset where that could not be reported: if a reader has taken it for the end, it is for a writer. */
    void noteResetMet() {
        receiver.peerReset().isOwedToWriter();
    }

    /** A reader of the kernel's path has met the end of what the peer sent: a reset that follows is no news. */
    void noteEndRead() {
        receiver.peerReset().comesBehindEnd();
    }

    /** Tells the peer that this end has the link. */
    void sayAttached() {
        say(Link.ATTACHED);
    }

    /** Takes a ring that may be the peer's word. Returns whether the peer has the link, or never will. */
    boolean isDecidedByPeer() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return true;
            }
            doorbellRang(0);
            return isPeerReady() || link.peerGone();
        }
    }

    /** Ends the doorbell that hangs beside a registration of the socket's. */
    void stopRinging(Registration beside) {
        shares.end(attachment -> attachment == beside);
    }

    /** Whether an announcement may be made: what was published first can be seen by the peer. */
    boolean hasArrived() {
        try (LinkLease.Share share = lease.take()) {
            return share == null || link.hasArrived();
        }
    }

    /** As {@link StreamSocket#announce}, again. Returns false if it is still too early. */
    boolean tryAnnounce() {
        if (lease.isEnded()) {
            return true;
        }
        try {
            return hasArrived() ? ring() : isBroken();
        } catch (IOException e) {
            return true; // the anchor has ended, which the peer hears, too
        }
    }

    /** Sends the announcement; false if there is no room for it. */
    boolean ring() throws IOException {
        boolean rung = socket.ring();
        if (rung) {
            announced = true;
        }
        return rung;
    }

    private boolean isBroken() {
        try (LinkLease.Share share = lease.take()) {
            return share == null || (link.peerState() & (Link.RST | Link.BROKEN)) != 0 || link.peerGone();
        }
    }

    private void announce() throws IOException {
        unannounced = false;
        link.signal(Link.SWITCHED);
        socket.announce(this);
    }

    // ---- reading: between lockRead and unlockRead

    /** Enters the reading half. */
    public void lockRead() {
        readLock.lock();
    }

    /**
     * Enters the reading half within a time, whether the thread is interrupted or not.
     *
     * @param nanos how long to try
     * @return whether it is in
     */
    public boolean tryLockRead(long nanos) {
        return Locks.tryLock(readLock, nanos);
    }

    /** Leaves the reading half. */
    public void unlockRead() {
        readLock.unlock();
        if (lease.isEnded()) {
            releaseRead();
        }
    }

    /**
     * Reads what there is, without waiting. In the reading half only.
     *
     * @param dst where to
     * @return the number of bytes, 0 for none now, -1 at the end, {@link #MOVED}
     * @throws IOException if the peer aborted, or {@link AsynchronousCloseException} if this side closed
     */
    public int read(ByteBuffer dst) throws IOException {
        if (lease.isEnded()) {
            return movedOrClosed();
        }
        try {
            return socket.isInputShut() ? -1 : (int) (isElsewhere() ? MOVED : settled(receiver.read(dst)));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Reads what there is into several buffers. In the reading half only.
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
            return socket.isInputShut() ? -1 : isElsewhere() ? MOVED : settled(receiver.read(dsts, offset, length));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** What an operation says that comes when this was let go of. */
    private int movedOrClosed() throws AsynchronousCloseException {
        if (lease.state() == LinkLease.State.RETIRED) {
            return MOVED;
        }
        throw new AsynchronousCloseException();
    }

    /** Whether another reader has followed the peer to the kernel's path since the caller looked. */
    private boolean isElsewhere() {
        return socket.incoming().link() != this;
    }

    /** A reader with time on its hands takes what is left in the kernel of the switch. */
    private long settled(long n) {
        if (n == 0 && socket.incoming().isAnnouncementDue()) {
            socket.incoming().drain();
        }
        return n == MOVED ? followed() : n;
    }

    private int followed() {
        if (socket.incoming().follow(this)) {
            return MOVED;
        }
        if (socket.anchor().watched() == null) {
            // Only the anchor tells when it comes, and who is in blocking mode is not told by that. It was sent before.
            LockSupport.parkNanos(ANNOUNCEMENT_NAP_NANOS);
        }
        return 0;
    }

    /**
     * Reads bytes by leaving them where they are, in {@link #lentMemory()} at {@link #position()} as it was before, until
     * they are given back by {@link #keep}. In the reading half only. Whoever has bytes lent when this closes must have
     * them copied or forgotten before.
     *
     * @param least how many at least, more than 0
     * @param most how many at most
     * @return the number of bytes, 0 if there are fewer than {@code least} in one piece now, -1 at the end, {@link #MOVED}
     * @throws IOException as {@link #read(ByteBuffer)}
     */
    public int lend(int least, int most) throws IOException {
        if (lease.isEnded()) {
            return movedOrClosed();
        }
        return socket.isInputShut() ? -1 : isElsewhere() ? MOVED : (int) settled(receiver.lend(least, most));
    }

    /** How many bytes are known to have come, without looking for more. In the reading half only. */
    public int known() {
        return receiver.known();
    }

    /** The cursor of the next byte to read. In the reading half only. */
    public long position() {
        return receiver.position();
    }

    /**
     * Gives lent bytes back, in order. In the reading half only.
     *
     * @param from the cursor of the first byte that is still lent; {@link Long#MAX_VALUE} for none
     */
    public void keep(long from) {
        if (!lease.isEnded()) {
            receiver.keep(from);
        }
    }

    /** The receive ring; byte {@code cursor} lies at {@code cursor} modulo its capacity, which is a power of two. */
    public ByteBuffer lentMemory() {
        return link.receiveRing().memory();
    }

    /** How many bytes a read would get now; a hint if another thread reads. Any thread. */
    public int available() {
        if (socket.isInputShut()) {
            return 0;
        }
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : receiver.available();
        }
    }

    // ---- writing: between lockWrite and unlockWrite

    /** Enters the writing half. */
    public void lockWrite() {
        writeLock.lock();
    }

    /** Leaves the writing half. */
    public void unlockWrite() {
        writeLock.unlock();
        if (lease.isEnded()) {
            releaseWrite();
        }
    }

    /**
     * Writes what there is room for, without waiting. In the writing half only.
     *
     * <p>A close does not wait for who writes. Bytes that may be {@linkplain #isBehindEnd behind} its end do not count as accepted.
     *
     * @param src the bytes
     * @return the number accepted, or {@link #MOVED}
     * @throws IOException if the peer is gone; {@link ClosedChannelException} after {@link #shutdownOutput}; {@link
     *     AsynchronousCloseException} if this side closed
     */
    public int write(ByteBuffer src) throws IOException {
        if (!isOutput()) {
            return MOVED;
        }
        if (unrest == Unrest.RETURNS && feignsOverdue()) {
            return 0;
        }
        try {
            int n = sender.write(src);
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
        }
    }

    /**
     * Writes what there is room for of several buffers. In the writing half only.
     *
     * @param srcs the buffers
     * @param offset the first
     * @param length how many
     * @return as {@link #write(ByteBuffer)}
     * @throws IOException as {@link #write(ByteBuffer)}
     */
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        if (!isOutput()) {
            return MOVED;
        }
        if (unrest == Unrest.RETURNS && feignsOverdue()) {
            return 0;
        }
        try {
            long n = sender.write(srcs, offset, length);
            if (n > 0 && isBehindEnd()) {
                throw new AsynchronousCloseException();
            }
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
        }
    }

    /** A stall lasts from a write that does not find room for all until the next that finds some. */
    private void noteStall(boolean progress, boolean again) {
        if (progress && stalled) {
            stalled = false;
            overdue = false;
            counters.stallEnds();
            connection.stallEnded(stall);
            stall = null;
        }
        if (again && !stalled) {
            stalled = true;
            counters.stallBegins();
            stall = Flight.stallBegins();
        }
        if (again && !watched.get() && watched.compareAndSet(false, true)) {
            StreamUpgrades.get().watchStall(this);
        }
    }

    /** Counts the reset that an operation of either half has met. */
    private IOException failed(IOException e) {
        if (e instanceof CorruptLinkException || (link.peerState() & Link.RST) != 0) {
            connection.wasReset(e.getMessage());
        }
        return e;
    }

    /**
     * How much can be put into {@link #sendMemory()} at {@link #sendPosition()}, for who copies by itself. In the writing
     * half only, which the writer must not leave without a {@link #flush} of what it appended.
     *
     * @param wanted how many bytes
     * @return how many there is room for, at most {@code wanted}; 0 also where {@link #write} says {@link #MOVED}
     * @throws IOException as {@link #write(ByteBuffer)}; what was appended before can still be flushed
     */
    public int room(int wanted) throws IOException {
        if (!isOutput() || (unrest == Unrest.RETURNS && feignsOverdue())) {
            return 0;
        }
        int n = sender.room(wanted);
        if (n < wanted || stalled) {
            noteStall(n > 0, n < wanted);
        }
        return n;
    }

    /** The cursor of the next byte to put. In the writing half only. */
    public long sendPosition() {
        return sender.position();
    }

    /** The send ring; byte {@code cursor} lies at {@code cursor} modulo its capacity, which is a power of two. */
    public ByteBuffer sendMemory() {
        return link.sendRing().memory();
    }

    /**
     * Counts bytes that were put into the ring. In the writing half only.
     *
     * @param n how many, at most what {@link #room} said
     */
    public void append(int n) {
        sender.append(n);
    }

    /**
     * Publishes what was appended, as one. In the writing half only.
     *
     * @throws IOException if this closed itself, by an interrupt
     */
    public void flush() throws IOException {
        if (!lease.isEnded()) {
            sender.flush();
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
     * As {@link #append} and {@link #flush}, of bytes that are sent from where they are. In the writing half only. The memory
     * must stay as it is until {@code done} is called, and must not be freed as long as the process lives.
     *
     * @param memory a direct buffer, the same object for the same memory each time
     * @param offset where in it, from 0 on, the bytes begin
     * @param n how many, at most what {@link #room} said
     * @param owner handed to {@code done}
     * @param done called once when the bytes are no longer needed, sent or not; by any thread, which must neither wait in it nor
     *     use the connection
     * @return false if the bytes have to be copied: the fabric cannot, or not now
     */
    public boolean sendInPlace(ByteBuffer memory, int offset, int n, Object owner, Consumer<Object> done) {
        boolean sent = !lease.isEnded() && sender.sendInPlace(memory, offset, n, owner, done);
        if (sent) {
            inPlace = true;
        }
        return sent;
    }

    /** The caller has nothing left of what it {@linkplain #sendInPlace sent} from where it was. Writer only. */
    public void forgetInPlace() {
        inPlace = false;
    }

    /** Up to which cursor no byte is needed any more where it was written from. In the writing half only. */
    public long sent() {
        return lease.isEnded() ? 0 : link.sent();
    }

    /** Makes {@link Pollable#SENT} mean: all before a cursor has been {@link #sent()}. Writer only. */
    public void awaitSent(long cursor) {
        awaited = cursor;
    }

    /** Whether a write would fail, or its bytes be read by nobody. In the writing half only. */
    public boolean refusesBytes() {
        return outputShut || sender.hasPeerEnded();
    }

    /**
     * Whether what was published last may be behind the end that a close of another thread has told the peer, who then never sees it. If
     * {@link #ending} is not set now, that end comes behind what was published before. In the writing half only.
     */
    public boolean isBehindEnd() {
        return ending && sender.position() - endsAt > 0;
    }

    /** Whether this direction goes by the link; if not, it has {@link #MOVED}. */
    private boolean isOutput() throws IOException {
        if (lease.isEnded()) {
            int unused = movedOrClosed();
            return false;
        }
        if (outputShut) {
            socket.outgoing().refusedShut();
            throw new ClosedChannelException();
        }
        return socket.outgoing().link() == this;
    }

    // ---- shutdown and close: any thread

    /** Ends the stream to the peer after what was written; what waits in a write fails. */
    public void shutdownOutput() {
        if (!outputShut) {
            outputShut = true;
            refresh(); // a writer that waits for space lets go of its half
            lockWrite();
            try {
                if (!lease.isEnded()) {
                    finish();
                }
            } finally {
                unlockWrite();
            }
        }
    }

    /** In the writing half only. */
    private void finish() {
        if (socket.outgoing().link() == this) {
            sender.finish();
        } else {
            socket.endOutput(); // what was sent last has gone by the kernel meanwhile
        }
    }

    /** Tells the peer that urgent bytes are wanted inline. */
    public void wantUrgentInline() {
        say(Link.URGENT_INLINE);
    }

    /** Whether the peer wants urgent bytes inline. */
    public boolean isUrgentInline() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return false;
            }
            long unused = link.published(); // a fabric learns of states when it is looked at
            return (link.peerState() & Link.URGENT_INLINE) != 0;
        }
    }

    /** Whether writes fail because this side said so. */
    public boolean isOutputShut() {
        return outputShut;
    }

    /** Whether this side has closed, or the link has been given back. */
    @Override
    public boolean isClosed() {
        return lease.isEnded();
    }

    /** Whether this side has closed the connection. */
    public boolean isOver() {
        return lease.state() == LinkLease.State.CLOSED;
    }

    /**
     * Closes both directions; never blocks. What was written is the peer's to read.
     *
     * @param reset whether to end with a reset, and why; null for an end in order
     * @param behindEnd whether what this end sends has ended before, by whichever path: a peer hears of the reset as of one behind an end
     */
    void close(String reset, boolean behindEnd) {
        if (!lease.end(LinkLease.State.CLOSED)) {
            return;
        }
        if (reset != null) {
            connection.didReset(reset);
        }
        endsAt = link.publishedHere();
        ending = true;
        int fin = reset == null || behindEnd ? Link.FIN : 0;
        link.signal(Link.CLOSED | fin | (reset != null ? Link.RST : 0));
        sender.tellTap(reset != null);
        letGo();
    }

    private void letGo() {
        Captures.closed(this);
        shares.close(true);
        releaseRead();
        releaseWrite();
        lease.release();
    }

    /** Whether bytes have come that were not read. */
    boolean hasUnread() {
        try (LinkLease.Share share = lease.take()) {
            return share != null
                    && (socket.incoming().link() == this
                            ? receiver.hasUnread()
                            : receiver.availableAhead() > 0); // the client of the handshake has just gone
        }
    }

    private void releaseRead() {
        if (!readLock.isHeldByCurrentThread() && readLock.tryLock()) {
            boolean first = !readReleased;
            readReleased = true;
            readLock.unlock();
            if (first) {
                lease.release();
            }
        }
    }

    private void releaseWrite() {
        if (!writeLock.isHeldByCurrentThread() && writeLock.tryLock()) {
            boolean first = !writeReleased;
            writeReleased = true;
            writeLock.unlock();
            if (first) {
                lease.release();
            }
        }
    }

    /** Gives back a share that was taken by {@link #hold}. */
    public void release() {
        lease.release();
    }

    // ---- for those who look: any thread

    ConnectionState state() {
        if (lease.isEnded()) {
            return ConnectionState.CLOSING;
        }
        boolean half = socket.isInputShut() || outputShut;
        if (!half) {
            try (LinkLease.Share share = lease.take()) {
                half = share != null && ((link.peerState() & Link.ENDED) != 0 || link.peerGone());
            }
        }
        return half ? ConnectionState.HALF_CLOSED : ConnectionState.ESTABLISHED;
    }

    /** How many bytes were written whose room the peer has not given back. */
    long queued() {
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : sender.queued();
        }
    }

    /** Adds what the cursors and the link tell, none of which lies in memory that may be freed. */
    void addTo(Figures figures) {
        long counted = link.publishes();
        // What a direction begins with is nothing of the program's.
        long publishes = counted < 0 ? sender.publishes() : Math.max(0, counted - sender.prefaces());
        figures.add(Figure.BYTES_IN, receiver.received())
                .add(Figure.MESSAGES_IN, receiver.reads())
                .add(Figure.BYTES_OUT, sender.sent())
                .add(Figure.MESSAGES_OUT, sender.publishes())
                .add(Figure.PUBLISHES, publishes)
                .add(Figure.RINGS_OUT, link.rings());
    }

    // ---- waiting: by pollers, each with a share

    /** Has all look who wait for it. */
    void refresh() {
        shares.refresh();
        socket.refresh();
    }

    @Override
    public int look(int interest) {
        return look(interest, false);
    }

    /** As {@link #look(int)}, for a poller of the connection, which is told by the kernel of what that has. */
    int lookForPoller(int interest) {
        return look(interest, true);
    }

    private int look(int interest, boolean forPoller) {
        if (lease.isEnded()) {
            return 0; // its keys are about to be cancelled
        }
        int ready = 0;
        if ((interest & SelectionKey.OP_READ) != 0
                && (receiver.hasUnread()
                        || ((receiver.hasNews() || socket.isInputShut()) && !(forPoller && movesOn())))) {
            ready |= SelectionKey.OP_READ;
        }
        if ((interest & Pollable.END) != 0 && (receiver.ended() || socket.isInputShut())) {
            ready |= Pollable.END;
        }
        if ((interest & SelectionKey.OP_WRITE) != 0 && (sender.ready() || outputShut || isOverdue())) {
            ready |= SelectionKey.OP_WRITE;
        }
        if ((interest & Pollable.SENT) != 0 && link.sent() >= awaited) {
            ready |= Pollable.SENT;
        }
        return ready;
    }

    /**
     * Whether the next thing to read is the kernel's, where there may be nothing yet: a selector is told by the kernel. This
     * follows the peer there in the place of a reader, as soon as the announcement of the switch is out of the way, for which the
     * anchor is watched.
     */
    private boolean movesOn() {
        if (!receiver.hasLeft() || socket.isInputShut()) {
            return false;
        }
        if (!readLock.tryLock()) {
            socket.refresh(); // who is there may have looked before the peer left: look again
            return true;
        }
        try {
            boolean unused = isElsewhere() || socket.incoming().follow(this);
        } finally {
            unlockRead();
        }
        return true;
    }

    @Override
    public void looked(int ops, int looks, boolean hit) {
        counters.looked((ops & SelectionKey.OP_READ) != 0, looks, hit);
    }

    @Override
    public void arm(int interest) {
        int what = 0;
        if ((interest & SelectionKey.OP_READ) != 0) {
            what |= Link.DATA;
        }
        // The end is a signal, which rings for either; of bytes who waits for it does not want to hear.
        if ((interest & (SelectionKey.OP_WRITE | Pollable.END | Pollable.SENT)) != 0) {
            what |= Link.SPACE;
        }
        if (what != 0) {
            link.arm(what);
        }
    }

    @Override
    public SelectableChannel watched() {
        return link.doorbell();
    }

    @Override
    public int watchedOps(int interest) {
        // A doorbell whose other end is gone would be readable for ever.
        return link.peerGone() ? 0 : SelectionKey.OP_READ;
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        // Nothing watched is ready: asked by one who spins without a registration.
        doorbellRang(watchedReady == 0 ? 0 : 1);
        return 0;
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean retained(Registration registration) {
        return shares.add(registration);
    }

    @Override
    public void released(Registration registration) {
        shares.remove(registration);
        if (registration.attachment() instanceof BlockingWaits.Waiter waiter) {
            waiter.released();
        }
    }

    /**
     * Takes the ring of the doorbell, and passes it on to all who may have waited for it, for only one finds it.
     *
     * @param registrations how many registrations know of it already: the caller's own, or none if it waits without
     */
    void doorbellRang(int registrations) {
        boolean goneBefore = link.peerGone();
        boolean rung = link.drainDoorbell();
        if (rung) {
            connection.rang();
            if (!socket.isSettled()) {
                socket.heardBeside(this);
            }
        }
        if (goneBefore != link.peerGone() || (rung && shares.size() + socket.registrations() > registrations)) {
            refresh();
        }
    }
}
