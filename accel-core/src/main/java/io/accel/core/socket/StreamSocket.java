package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.Shortage;
import io.accel.core.observe.ConnectionState;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Registration;
import io.accel.profile.HandoverAfter;
import io.accel.profile.HandoverAfter.Unrest;
import io.accel.profile.Role;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A stream: the kernel's connection, its {@link Anchor}, from connect to close, and perhaps a link to which its bytes move while
 * it lives. The adapter connects, accepts and closes the anchor, and asks it about everything but bytes and readiness; it reads
 * by {@link #incoming()} and writes by {@link #outgoing()}, each of which is the kernel's until it is the link's.
 *
 * <p>The end that connected asks for the link, in the background, when the connection is worth it. Both ends have attached the
 * link before either writes to it.
 */
public final class StreamSocket implements Pollable {
    private static final Log LOG = Log.of(StreamSocket.class);

    /** How long an accept that is to return with a link waits for a client that may ask for none. */
    private static final long LATE_NANOS = 2_000_000_000L;

    private static final long PEER_PAUSE_NANOS = 100_000L;
    /** How often such an accept looks whether the client is still there. */
    private static final long LEFT_MILLIS = 10;

    /** How long a connection that had a link is content with the kernel if it gets no other; it doubles each time. */
    private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;

    private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;
    /** How many reads and writes go by the kernel before a link is asked for again that was given back for others. */
    private static final int OPERATIONS_IN_SHORTAGE = 16;

    /** How long after a first answer that may soon be another. */
    private static final long SOON_NANOS = 50_000_000L;
    /** How often it is asked whether somebody knows this after all. */
    private static final int MOST_ASKED = 3;

    /** How many times as large the rings of the next link are if those of the last were too small. */
    private static final int GROWTH = 4;

    private static final PathInfo YOUNG = new PathInfo("kernel", FallbackReason.TOO_LITTLE, null);

    /** Reads and writes, bytes, and a time, as {@link System#nanoTime}. */
    private record Count(int operations, long bytes, long earliest) {
        /** That of all connections that have only just begun. */
        static final Count FROM_THE_BEGINNING = new Count(0, 0, System.nanoTime());
    }

    /** What a client hears who asks for a link. */
    enum Answer {
        YES,
        /** The last link is about to be given back. */
        NOT_YET,
        /** There is a link, or somebody has asked before, or the connection has closed. */
        NO
    }

    private enum Claim {
        NONE,
        CLAIMED,
        ATTACHED
    }

    private final Accelerator accelerator;
    /** The adapter's. */
    private final Anchor anchor;
    /** The same connection once the adapter has closed its own, or is about to, and this goes on; otherwise null. Written once. */
    private volatile Anchor kept;
    /** How the connection goes on whose link has broken; null if none has. Written under the monitor, but for its use by one thread. */
    private Resumption resumption;

    private final Incoming incoming = new Incoming(this);
    private final Outgoing outgoing = new Outgoing(this);
    private final Shares shares = new Shares();

    /** The link that both ends have, or are about to have; written under the monitor. */
    private volatile LinkStream attached;

    private volatile boolean closed;
    /** Set by any thread, and never taken back. It is not the link's: that may come, or be followed by another, at any moment. */
    private volatile boolean inputShut;

    private volatile boolean urgentInline;
    private volatile PathInfo path = PathInfo.KERNEL;
    /** Whether those who look know of the link. */
    private volatile boolean announced;
    /** Whether traffic is counted, to tell when this is worth a link. Cleared by whoever finds it so. */
    private volatile boolean counting;
    /** What has gone by the kernel before it was counted, and when it may be worth a link at the earliest. */
    private volatile Count countedFrom = Count.FROM_THE_BEGINNING;
    /** Called before a link is given back. Written by the adapter, at most once. */
    private volatile Consumer<LinkStream> beforeLetGo = stream -> {};

    /** Whether the link broke with bytes that only it had, or the kernel's reset is yet to be told. Set once. */
    private volatile boolean cutOff;

    /** Written once, before others can see this connection: null as long as there is none. */
    private volatile ConnectionRecord connection;

    // Under the monitor.
    private Role role = Role.SERVER;
    private List<Fabric> fabrics = List.of();
    private AcceptedStreams.Ends ends;
    /** By which a client in another network namespace finds this; null if none can. */
    private AcceptedStreams.From from;
    /** How often there was an answer that might soon have been another. */
    private int askedInVain;
    /** That which has accepted this; null of a client. */
    private StreamListener listener;
    /** Whether the listener counts this as one that may get a link. */
    private boolean undecided;
    /** Whether this has had a link that was given back. */
    private boolean again;
    /** How long to be content with the kernel the next time. */
    private long pauseNanos = FIRST_PAUSE_NANOS;
    /** Bytes of either ring of the link that is asked for next. */
    private int ringSize;
    /** Bytes of a ring that a link of this may have. */
    private int largestRing;
    /** Bytes of a ring of the link that was given back for a larger one, which is not there yet; otherwise 0. */
    private int grownFrom;
    /** When larger rings may be asked for again, for which there was no room. */
    private long largerAt = Count.FROM_THE_BEGINNING.earliest();
    /** How long to be content with the rings that there are, the next time that there is no room for larger ones. */
    private long largerPauseNanos = FIRST_PAUSE_NANOS;

    /** How many threads wait to hear how it is settled. */
    private int waiting;

    private Claim claim = Claim.NONE;
    /** Whether it is settled whether there will be a link. */
    private boolean settled = true;
    /** Whether the peer cannot say yet, as far as is known. */
    private boolean pending;
    /** Whether the peer is known to have been asked, and has Accel. */
    private boolean heard;
    /** Whether the last client that asked has gone away without the link. */
    private boolean abandoned;
    /** Why there is no link. */
    private FallbackException failure;
    /** Registrations that have a doorbell beside them. */
    private List<Registration> ringing = List.of();

    /**
     * A stream that is not connected.
     *
     * @param accelerator the profile at work
     * @param anchor the kernel's connection, or what will be one; the caller owns it
     */
    public StreamSocket(Accelerator accelerator, Anchor anchor) {
        this.accelerator = accelerator;
        this.anchor = anchor;
    }

    Anchor anchor() {
        Anchor own = kept;
        return own != null ? own : anchor;
    }

    /** What comes from the peer. */
    public Incoming incoming() {
        return incoming;
    }

    /** What goes to the peer. */
    public Outgoing outgoing() {
        return outgoing;
    }

    /** Which way the bytes take. */
    public PathInfo path() {
        return path;
    }

    /** The link, whichever directions go by it; null if there is none. */
    public LinkStream attached() {
        return attached;
    }

    /** How blocking operations on a link wait. */
    public BlockingWaits waits() {
        return accelerator.waits();
    }

    // ---- connecting and accepting

    /**
     * The adapter has connected the anchor. With {@code fallback=fail} this waits until the connection has a link, or the peer
     * has heard of it and waits for its program to accept.
     *
     * @throws ConnectException if it gets none, and {@code fallback=fail}
     */
    public void connected() throws ConnectException {
        InetSocketAddress remote = anchor.remote();
        if (remote == null) {
            return; // closed already
        }
        List<Fabric> candidates = accelerator.fabricsFor(Role.CLIENT, remote);
        HandoverAfter after = accelerator.handoverAfter();
        boolean asks = !candidates.isEmpty() && (after.isAtOnce() || accelerator.isFailing());
        connection = ConnectionRecord.connecting(this);
        for (Fabric each : candidates) {
            if (each.comparesBeginnings()) {
                boolean unused = watchBeginnings(anchor.local());
                break;
            }
        }
        synchronized (this) {
            role = Role.CLIENT;
            fabrics = candidates;
            ringSize = accelerator.firstRing();
            largestRing = accelerator.largestRing();
            settled = candidates.isEmpty();
            counting = !settled && !asks;
            path = candidates.isEmpty()
                    ? new PathInfo("kernel", FallbackReason.RULE, accelerator.ruleFor(Role.CLIENT, remote))
                    : YOUNG;
        }
        if (candidates.isEmpty()) {
            connection.fellBack();
            accelerator.log().connected(anchor.local(), remote, path);
        }
        if (asks) {
            StreamUpgrades.get().request(this);
            if (after.atConnect() || accelerator.isFailing()) {
                awaitUpgrade();
            }
        }
    }

    /**
     * A listener has accepted this.
     *
     * @param why what is said as long as nobody has asked for a link
     * @param findable whether anybody can
     * @param askedLate whether who asks may have had to go on before that was heard here
     * @param by the listener, which counts this as one that may get a link
     */
    void accepted(PathInfo why, boolean findable, boolean askedLate, StreamListener by) {
        synchronized (this) {
            listener = by;
            undecided = true;
            largestRing = accelerator.largestRing();
        }
        path = why;
        connection = ConnectionRecord.accepting(this);
        InetSocketAddress local = anchor.local();
        InetSocketAddress remote = anchor.remote();
        if (!findable || local == null || remote == null) {
            connection.fellBack();
            accelerator.log().accepted(local, remote, path);
            return;
        }
        AcceptedStreams.Ends known = new AcceptedStreams.Ends(local, remote);
        boolean watched = by.comparesBeginnings() && watchBeginnings(local);
        AcceptedStreams.From knownFrom = watched ? new AcceptedStreams.From(by, remote) : null;
        synchronized (this) {
            ends = known;
            from = knownFrom;
            settled = false;
        }
        if (watched) {
            accelerator.acceptedStreams().add(knownFrom, this);
        }
        boolean asked = accelerator.acceptedStreams().add(known, this);
        if (accelerator.handoverAfter().atConnect() && (asked || askedLate)) {
            awaitSettled(asked ? accelerator.probeTimeoutNanos() : LATE_NANOS, false);
            awaitPeer();
        }
    }

    /** From now on, which is before the first byte, what goes by the kernel is seen. Not of loopback, whose peers are all here. */
    private boolean watchBeginnings(InetSocketAddress local) {
        if (local == null || local.getAddress().isLoopbackAddress()) {
            return false;
        }
        outgoing.fingerprint(new StreamFingerprint());
        incoming.fingerprint(new StreamFingerprint());
        return true;
    }

    /** Nobody will ask what has gone by this. */
    private void forgetBeginnings() {
        outgoing.fingerprint(null);
        incoming.fingerprint(null);
    }

    /** What has gone by the kernel; null if nobody has seen it. */
    Beginnings beginnings() {
        StreamFingerprint sent = outgoing.fingerprint();
        StreamFingerprint received = incoming.fingerprint();
        return sent == null || received == null ? null : StreamFingerprint.of(sent, received);
    }

    /** This as it is known to a client in another network namespace; null if it is not to be. */
    Fabric.Acceptor.Known known() {
        Beginnings seen = beginnings();
        AcceptedStreams.Ends known;
        synchronized (this) {
            known = ends;
        }
        return seen == null || known == null ? null : new Fabric.Acceptor.Known(known.local(), seen);
    }

    /** What goes by the kernel from now on is not compared: some of it may go by the link. */
    private void freezeBeginnings() {
        StreamFingerprint sent = outgoing.fingerprint();
        StreamFingerprint received = incoming.fingerprint();
        if (sent != null && received != null) {
            sent.freeze();
            received.freeze();
        }
    }

    /** The peer may have the link a moment later than this end. */
    private void awaitPeer() {
        long end = System.nanoTime() + LATE_NANOS;
        LinkStream stream = attached;
        while (stream != null && !stream.peer().isReady() && !stream.peer().hasEnded() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PEER_PAUSE_NANOS);
            stream = attached;
        }
    }

    /** Whoever has closed the connection asks for nothing any more. */
    private boolean hasPeerLeft() {
        try {
            return anchor.hasEnded();
        } catch (IOException e) {
            return true;
        }
    }

    private void awaitUpgrade() throws ConnectException {
        boolean failing = accelerator.isFailing();
        awaitSettled(accelerator.probeTimeoutNanos(), !failing);
        if (!failing || attached != null) {
            return;
        }
        FallbackException why;
        synchronized (this) {
            if (heard && !settled) {
                return; // the peer has Accel, and its program has not accepted yet, which may be this thread's to do
            }
            why = failure;
        }
        throw new ConnectException("not accelerated, and fallback=fail: "
                + (why == null
                        ? FallbackReason.TIMEOUT + ": the peer did not accept in time"
                        : why.reason() + ": " + why.getMessage()));
    }

    private synchronized void awaitSettled(long nanos, boolean orPending) {
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        while (!settled
                && failure == null
                && !closed
                && !abandoned
                && !(orPending && pending)
                && !(role == Role.CLIENT && heard)) {
            long millis = (end - System.nanoTime() + 999_999) / 1_000_000;
            if (millis <= 0 || (role == Role.SERVER && hasPeerLeft())) {
                break;
            }
            waiting++;
            try {
                wait(role == Role.SERVER ? Math.min(millis, LEFT_MILLIS) : millis);
            } catch (InterruptedException e) {
                interrupted = true;
                break;
            } finally {
                waiting--;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the upgrade: the thread that looks for links, and those of the fabrics

    List<Fabric> fabrics() {
        synchronized (this) {
            return fabrics;
        }
    }

    /** Bytes of either ring of the link to ask for. */
    synchronized int ringSize() {
        return ringSize;
    }

    /** Bytes have gone one way or the other by the kernel. */
    void noteTraffic() {
        if (!counting) {
            return;
        }
        Count from = countedFrom;
        int done = operations() - from.operations(); // negative until there were those that are to go by first
        if (done >= 0
                && accelerator.handoverAfter().isReached(done, bytes() - from.bytes())
                && System.nanoTime() - from.earliest() >= 0) {
            counting = false; // two threads may both come here; the second request finds nothing to do
            StreamUpgrades.get().request(this);
        }
    }

    private int operations() {
        return incoming.reads() + outgoing.writes();
    }

    private long bytes() {
        return incoming.taken() + outgoing.given();
    }

    /** Counts anew, to ask for another link. */
    private void countFrom(long earliest) {
        countFrom(earliest, 0);
    }

    /** Counts anew, when there have been so many operations more. */
    private void countFrom(long earliest, int operationsMore) {
        countedFrom = new Count(operations() + operationsMore, bytes(), earliest);
        counting = true;
    }

    synchronized void upgradePending(boolean now, boolean known) {
        pending |= now;
        heard |= known;
        notifyAll();
    }

    /**
     * No fabric has a link.
     *
     * @param passing whether one may have it in a moment: it is asked again when there is traffic
     */
    void notUpgraded(FallbackException why, boolean passing) {
        boolean lacksRoom = why != null && passing && why.reason().isWantOfRoom();
        if (why == null || closed || hasNoLargerOne(why, lacksRoom)) {
            return;
        }
        synchronized (this) {
            if (attached != null) {
                return;
            }
            path = new PathInfo("kernel", why.reason(), why.getMessage());
            if (again) {
                countFrom(System.nanoTime() + pauseNanos);
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
                return; // the fall-back was counted, and said, when the link was given back
            }
            failure = why;
            heard |= why.reason() == FallbackReason.NOT_YET;
            notifyAll();
            if (passing && !lacksRoom && (why.reason() == FallbackReason.NOT_YET || askedInVain + 1 < MOST_ASKED)) {
                boolean isFirst = askedInVain++ == 0;
                countFrom(System.nanoTime() + (isFirst ? SOON_NANOS : pauseNanos));
                pauseNanos = isFirst ? pauseNanos : Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
                return;
            }
            if (lacksRoom) {
                again = true; // there is room when others have closed, or given their links back
                countFrom(System.nanoTime() + pauseNanos);
            } else {
                settled = true;
                forgetBeginnings();
            }
        }
        connection.fellBack();
        accelerator.log().connected(anchor.local(), anchor.remote(), path);
    }

    /** Asks for a link as large as the last, which there was room for, if it was a larger one that was not to be had. */
    private boolean hasNoLargerOne(FallbackException why, boolean lacksRoom) {
        synchronized (this) {
            if (grownFrom == 0) {
                return false;
            }
            path = new PathInfo("kernel", why.reason(), why.getMessage());
            ringSize = grownFrom;
            grownFrom = 0;
            if (lacksRoom) { // which there is when others have closed, or given their links back
                largerAt = System.nanoTime() + largerPauseNanos;
                largerPauseNanos = Math.min(2 * largerPauseNanos, LONGEST_PAUSE_NANOS);
            } else {
                largestRing = ringSize;
            }
        }
        tellOfKernel(why.reason());
        StreamUpgrades.get().request(this);
        return true;
    }

    /** A client asks for the link of this connection. */
    synchronized Answer claim() {
        if (closed || claim == Claim.CLAIMED) {
            return Answer.NO;
        }
        if (claim == Claim.ATTACHED) {
            LinkStream last = attached;
            return last != null
                            && (last.retirement().hasSaidRetired()
                                    || last.broken().hasResumed())
                    ? Answer.NOT_YET
                    : Answer.NO;
        }
        claim = Claim.CLAIMED;
        abandoned = false;
        return Answer.YES;
    }

    /** A client that asked went away before it was offered the link, perhaps before it had {@linkplain #claim claimed} it. */
    synchronized void unclaim() {
        if (claim == Claim.CLAIMED) {
            claim = Claim.NONE;
        }
        if (claim == Claim.NONE) {
            abandoned = true;
            notifyAll();
        }
    }

    /**
     * Takes a link: from now on bytes may come by it; they go by it when the peer has it, too.
     *
     * @return false if this has closed, or has a link; the given one stays the caller's
     */
    boolean attach(Link link, String fabric) {
        LinkStream stream;
        List<Registration> present;
        freezeBeginnings(); // before the peer can switch
        synchronized (this) {
            if (closed || attached != null) {
                return false;
            }
            stream = new LinkStream(
                    link, accelerator.lowWater(), accelerator.handoverAfter().unrest(), this, connection);
            shares.establish(stream.lease());
            Captures.opened(stream); // before anything can go by it
            claim = Claim.ATTACHED;
            path = new PathInfo(fabric, null, null);
            attached = stream;
            if (grownFrom > 0) {
                grownFrom = 0;
                largerPauseNanos = FIRST_PAUSE_NANOS;
            }
            if (role == Role.CLIENT && stream.ringSize() < ringSize) {
                largestRing = stream.ringSize(); // the peer has no larger ones
            }
            present = shares.all();
        }
        Captures.opened(stream); // by one that has begun since, and may have looked too early
        link.whenBroken(() -> StreamUpgrades.get().broken(this));
        for (Registration registration : present) {
            ringBeside(registration);
        }
        if (urgentInline) {
            stream.peer().say(Link.URGENT_INLINE);
        }
        if (role == Role.CLIENT) {
            stream.peer().say(Link.ATTACHED);
            upgradeSettled();
        }
        return true;
    }

    /**
     * The client went away and never had the link, which is let go of, unless it is in use.
     *
     * @return false if this has not got it
     */
    boolean detach(Link link) {
        LinkStream stream;
        synchronized (this) {
            stream = attached;
            if (stream == null || stream.link() != link || hasBytesInLink()) {
                return stream != null && stream.link() == link;
            }
            attached = null;
            claim = Claim.NONE;
            abandoned = true;
            notifyAll();
            path = new PathInfo("kernel", FallbackReason.BAD_HANDSHAKE, "the client went away during the handshake");
            ringing = List.of();
            shares.letGo(stream.lease());
        }
        refresh();
        stream.close(null, false); // after that: pollers that nobody is in take notice of both now
        return true;
    }

    /**
     * The link's doorbell has rung before the peer had the link.
     *
     * @return whether the peer has it now, or never will
     */
    boolean isUpgradeSettled() {
        LinkStream stream = attached;
        if (stream == null) {
            return true;
        }
        if (!stream.isDecidedByPeer()) {
            return false;
        }
        if (stream.peer().isReady()) {
            upgradeSettled();
        } else {
            boolean unused = detach(stream.link());
        }
        return true;
    }

    /** Whoever waits for the link has taken its doorbell's ring, which may have been meant for {@link #isUpgradeSettled}. */
    void heardBeside(LinkStream stream) {
        if (stream == attached && stream.peer().isReady()) {
            upgradeSettled();
        }
    }

    /** Both ends have the link. */
    void upgradeSettled() {
        LinkStream stream;
        synchronized (this) {
            stream = attached;
            if (settled || stream == null) {
                return;
            }
            settled = true;
            pauseNanos = FIRST_PAUSE_NANOS;
            notifyAll();
        }
        connection.established(stream);
        decided();
        logPath();
        refresh();
        announced = true;
        StreamUpgrades.get().linked(stream);
    }

    private void logPath() {
        if (again) {
            accelerator.log().moved(anchor.local(), anchor.remote(), path);
        } else if (role == Role.CLIENT) {
            accelerator.log().connected(anchor.local(), anchor.remote(), path);
        } else {
            accelerator.log().accepted(anchor.local(), anchor.remote(), path);
        }
    }

    /** Whether it is settled, and known to those who look, whether this has a link. */
    boolean isSettled() {
        return announced;
    }

    /** Whether the peer has the link, too, so that this end may send by it. */
    boolean mayUse(LinkStream stream) {
        return role == Role.CLIENT || incoming.link() != null || stream.peer().isReady();
    }

    /**
     * The link has broken. A connection of which nothing goes by it goes on; any other has ended, which who waits for the kernel's
     * half of it hears by the end of that.
     */
    void cutOff() {
        cutOff(true);
    }

    private void cutOff(boolean told) {
        if (!closed && hasBytesInLink()) {
            cutOffAnchor(told && outgoing.isUnfollowed());
        }
    }

    private void cutOffAnchor(boolean writersToo) {
        cutOff = true;
        try {
            anchor.shutdownInput();
            if (writersToo) {
                anchor.shutdownOutput(); // whoever writes to the kernel since then is told as well
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "whoever read from it has met its end already", e);
        }
    }

    /**
     * The peer has said by the link what cannot be: where its bytes stand nobody knows any more. It is told, and so are those who go on
     * reading here, who would wait for the kernel otherwise.
     */
    void condemn(LinkStream stream) {
        stream.peer().say(Link.RST);
        cutOffAnchor(false);
    }

    /**
     * The link has broken.
     *
     * @param now the time, as {@link System#nanoTime}
     * @return how the connection goes on by the kernel; null if it does not, or had nothing by the link
     */
    Resumption linkBroke(long now) {
        LinkStream stream = attached;
        if (stream != null
                && !stream.retirement().hasSaidRetired()
                && stream.broken().isUndecided()) {
            synchronized (this) {
                if (!closed) {
                    resumption = new Resumption(this, stream, now);
                    return resumption;
                }
            }
        }
        cutOff();
        return null;
    }

    /** That of a link that has broken, perhaps before the program closed. {@link LingeringClose}'s thread. */
    synchronized Resumption resumptionAfterClose() {
        if (resumption == null) {
            resumption = new Resumption(this, attached, System.nanoTime());
        }
        return resumption;
    }

    /** Whether the program has closed, and what it has sent is still to come to the peer, or was. */
    boolean isLingering() {
        return kept != null;
    }

    /**
     * The link has broken, and bytes are lost with it.
     *
     * @param why in words
     * @param told whether the peer has been told, and will not take the end of the kernel's connection for an orderly one
     */
    void lost(String why, boolean told) {
        LOG.get().log(Level.INFO, "accel: the connection to {0} is reset with its link: {1}", anchor().remote(), why);
        LinkStream stream = attached;
        if (stream != null) {
            stream.broken().decide(Link.RST);
        }
        cutOff(told);
    }

    /** The link has broken, and the connection goes on without it. */
    void resumed() {
        synchronized (this) {
            path = new PathInfo("kernel", FallbackReason.LINK_LOST, null);
        }
        if (!closed) {
            tellOfKernel(FallbackReason.LINK_LOST);
        }
        LinkStream stream = attached;
        if (stream != null) {
            stream.broken().resumed(); // and is let go of when the program has read what came by it
        }
        refresh();
    }

    private void tellOfKernel(FallbackReason why) {
        connection.fellBack(why);
        accelerator.log().moved(anchor.local(), anchor.remote(), path);
    }

    /** Ends what is sent by the kernel, as the program wants it. */
    void endOutput() {
        endAnchor(false);
    }

    // ---- giving the link back

    /** Whether a listener has accepted this. */
    boolean isAccepted() {
        return listener != null;
    }

    /** Whether this may give a link back that is idle, and as far as this end knows get another when there is traffic. */
    boolean mayGiveBack() {
        return !accelerator.isFailing()
                && unrest() != Unrest.BREAKS
                && !outgoing.isFixed()
                && (listener == null || listener.isOpen());
    }

    /** Whether another link may have larger rings than this one; the end that accepted can only wish for that. */
    synchronized boolean mayHaveLarger(LinkStream stream) {
        return stream.ringSize() < largestRing && System.nanoTime() - largerAt >= 0;
    }

    /** How long a link is idle until it is given back; for tests that have it done at random that does not count. */
    long idleNanos() {
        return accelerator.handoverIdleNanos();
    }

    /** What is done to this at random, for tests. */
    Unrest unrest() {
        return accelerator.handoverAfter().unrest();
    }

    /**
     * Has somebody called who may have something of his own in a link's memory while he reads or writes nothing.
     *
     * @param told called by Accel's thread before the link is given back; it must not wait, and {@linkplain LinkStream#hold holds}
     *     the link if it needs it for longer
     */
    public void beforeLetGo(Consumer<LinkStream> told) {
        beforeLetGo = told;
    }

    /**
     * Neither direction goes by the link any more: gives it back. The connection may get another.
     *
     * @param stream the link
     * @param why it is on the kernel's path now
     */
    void letGo(LinkStream stream, FallbackReason why) {
        boolean isNew;
        boolean grows = why == FallbackReason.GROWING;
        beforeLetGo.accept(stream);
        incoming.forgetRecord();
        synchronized (this) {
            if (closed) {
                return; // which has let go of it
            }
            connection.letGo();
            isNew = path.isAccelerated();
            path = new PathInfo("kernel", why, null);
            attached = null;
            resumption = null;
            announced = false;
            settled = false;
            again = true;
            claim = Claim.NONE;
            ringing = List.of();
            undecided = listener != null && listener.oneMoreToMove();
            shares.letGo(stream.lease());
            if (grows && listener == null) {
                grownFrom = stream.ringSize();
                ringSize = Math.min(GROWTH * grownFrom, largestRing);
            }
        }
        refresh();
        stream.retire(); // after that: pollers that nobody is in take notice of both now
        if (isNew && !grows) {
            tellOfKernel(why);
        }
        if (listener != null) {
            boolean unused = accelerator.acceptedStreams().mayAgain(ends);
        } else if (grows) {
            StreamUpgrades.get().request(this);
        } else {
            long now = System.nanoTime();
            boolean forOthers = Shortage.isOn(now);
            boolean waits = why == FallbackReason.LINK_LOST && unrest() == Unrest.NONE;
            countFrom(now + (forOthers || waits ? FIRST_PAUSE_NANOS : 0), forOthers ? OPERATIONS_IN_SHORTAGE : 0);
        }
    }

    /** Whether bytes of either direction may be lost with the link. */
    private boolean hasBytesInLink() {
        return incoming.link() != null || outgoing.link() != null || outgoing.isUnfollowed();
    }

    /** The kernel has reported a reset, of which the program is yet to be told. */
    void keepReset() {
        cutOff = true;
        LinkStream stream = attached;
        if (stream != null) {
            stream.reader().peerReset().isOwedToWriter();
        }
    }

    /** Whether the end of the kernel's bytes is no end of the stream: the link broke, and with it the connection, or it was reset. */
    boolean isCutOff() {
        return cutOff;
    }

    /**
     * Says whether urgent bytes are wanted inline, which a peer that sends by the link has to know.
     *
     * @param wanted as {@code SO_OOBINLINE}
     */
    public void wantUrgentInline(boolean wanted) {
        urgentInline = wanted;
        LinkStream stream = attached;
        if (wanted && stream != null) {
            stream.peer().say(Link.URGENT_INLINE);
        }
    }

    // ---- registrations

    private void ringBeside(Registration registration) {
        LinkStream stream = attached;
        synchronized (this) {
            if (stream == null || stream != attached || !shares.has(registration) || ringing.contains(registration)) {
                return; // or the link has been given back meanwhile, and is no more
            }
            ringing = ringing.isEmpty() ? new ArrayList<>(1) : ringing;
            ringing.add(registration);
        }
        try {
            Registration doorbell = registration.alongside(new LinkDoorbell(stream));
            if (!shares.has(registration)) {
                doorbell.close(); // which went while this came
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "closed while its doorbell was hung up", e);
        }
    }

    private void decided() {
        boolean isCounted;
        synchronized (this) {
            isCounted = undecided;
            undecided = false;
        }
        if (isCounted) {
            listener.oneLessToMove();
        }
    }

    /** Makes every poller look. */
    void refresh() {
        shares.refresh();
    }

    int registrations() {
        return shares.size();
    }

    /**
     * Ends the registrations that a test picks out, as far as their kernel channel is concerned at once.
     *
     * @param over tells by the attachment
     */
    public void endRegistrations(Predicate<Object> over) {
        shares.end(over);
    }

    // ---- shutting down and closing

    /**
     * The program has shut down the anchor's input: reads by a link return the end from now on, and what waits in one returns it at
     * once. A link that comes meanwhile finds it said: the flag is set before {@link #attached} is read here, and {@link #attach}
     * writes that before anybody looks at the link.
     */
    public void shutdownInput() {
        inputShut = true;
        LinkStream stream = attached;
        if (stream != null) {
            stream.refresh();
        }
    }

    /** Whether reads return the end because this side said so. Any thread. */
    public boolean isInputShut() {
        return inputShut;
    }

    /**
     * Closes the link, and prepares the anchor, which is the caller's to close, so that the peer sees one end. Never blocks. Where
     * the peer may lack some of what was sent, the kernel's connection lives on after the caller's close, until that has come
     * ({@link LingeringClose}).
     *
     * @param abort whether to reset, as with {@code SO_LINGER} 0; asked where the kernel does not see to that by itself
     * @param orderly whether to end in order, unless it is to be a reset, although bytes are unread, which otherwise makes it one
     */
    public void close(BooleanSupplier abort, boolean orderly) {
        LinkStream stream;
        AcceptedStreams.Ends known;
        AcceptedStreams.From knownFrom;
        boolean unsaid;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            stream = attached;
            known = ends;
            knownFrom = from;
            unsaid = connection != null && stream == null && !settled && !again;
            if (waiting > 0) {
                notifyAll();
            }
        }
        decided();
        if (unsaid && accelerator.log().saysAll()) {
            logPath();
        }
        if (known != null) {
            accelerator.acceptedStreams().remove(known);
            if (knownFrom != null) {
                accelerator.acceptedStreams().remove(knownFrom, this);
            }
        } else if (role == Role.CLIENT) {
            StreamUpgrades.get().closed(this);
        }
        if (stream == null) {
            if (orderly && !anchor.closesInOrder() && !abort.getAsBoolean()) {
                endAnchor(false);
            }
            shares.close(false);
            if (connection != null) {
                connection.closed();
            }
            return;
        }
        boolean aborts = abort.getAsBoolean();
        boolean unread = !orderly && (incoming.hasUnread() || stream.reader().hasUnread());
        String reset = aborts ? "closed with SO_LINGER 0" : unread ? "closed with bytes unread" : null;
        boolean byLink = outgoing.link() != null;
        // A peer whose end of a broken link has not noticed must not take this for the end of what was sent.
        boolean inUse = hasBytesInLink();
        boolean lingers = reset == null && byLink && stream.broken().mayPeerLackAny() && keep(stream);
        boolean resets = reset != null
                || (inUse
                        && !lingers
                        && (stream.peer().hasReset() || stream.broken().isResuming()));
        if (byLink && !resets && !lingers) {
            sayFarewell(stream);
        }
        stream.close(reset, reset != null && !byLink && anchor.isOutputShut());
        if (lingers) {
            StreamUpgrades.get()
                    .linger(new LingeringClose(this, stream, kept, accelerator.lingerNanos(), System.nanoTime()));
            shares.close(true);
            return;
        }
        if (resets || (orderly && !byLink)) {
            endAnchor(resets); // otherwise the kernel ends it: with a reset if what it has was not read
        }
        incoming.drain();
        shares.close(inUse);
    }

    /**
     * Keeps the link and the kernel's connection for after the program's close; from now on that of the kernel's is a reset, until all
     * is with the peer or the kernel.
     *
     * @return false if that cannot be: all ends with the program's close
     */
    private boolean keep(LinkStream stream) {
        if (!stream.hold()) {
            return false;
        }
        Anchor own = null;
        try {
            own = anchor.keep();
            if (own != null) {
                own.resetOnClose();
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "what the link loses from now on is lost", e);
            closeQuietly(own);
            own = null;
        }
        if (own == null) {
            stream.release();
            return false;
        }
        Resumption under;
        synchronized (this) {
            under = resumption;
        }
        if (under == null) {
            kept = own;
        } else {
            synchronized (under) {
                kept = own;
            }
        }
        return true;
    }

    private static void closeQuietly(Anchor own) {
        if (own != null) {
            try {
                own.close();
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "closing a second descriptor of a connection failed", e);
            }
        }
    }

    /** Tells the peer up to where this end has sent by the link: it may break while the last of that, or the end, is on its way. */
    void sayFarewell(LinkStream stream) {
        ByteBuffer farewell = stream.broken().farewell();
        try {
            if (farewell != null && !outgoing.say(farewell)) {
                LOG.get().log(Level.DEBUG, "{0} will not know what was sent if the link breaks now", anchor.remote());
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the peer has closed, and reads no more", e);
        }
    }

    private void endAnchor(boolean reset) {
        if (!anchor.isConnected()) {
            return;
        }
        try {
            if (reset) {
                anchor.resetOnClose();
            } else {
                anchor.shutdownOutput();
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "ending a connection before its close failed; the peer has ended it before", e);
        }
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    // ---- for those who look

    /** What has become of a connection that is not accelerated. */
    ConnectionState kernelState() {
        if (closed) {
            return ConnectionState.CLOSING;
        }
        return anchor.isConnected() ? ConnectionState.ESTABLISHED : ConnectionState.CONNECTING;
    }

    SocketAddress observedLocal() {
        return anchor.local();
    }

    SocketAddress observedRemote() {
        return anchor.remote();
    }

    // ---- for pollers

    @Override
    public SelectableChannel watched() {
        return anchor.watched();
    }

    @Override
    public int watchedOps(int interest) {
        int ops = 0;
        if (incoming.link() == null) {
            ops = interest & SelectionKey.OP_READ;
            ops |= (interest & END) != 0 ? SelectionKey.OP_READ : 0;
        } else if (incoming.isAnnouncementDue()) {
            ops = SelectionKey.OP_READ;
        }
        if (outgoing.link() == null) {
            ops |= interest & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT);
        }
        return ops;
    }

    @Override
    public boolean isKernels() {
        return attached == null && !shares.hasFormer();
    }

    @Override
    public boolean isPolled() {
        return incoming.link() != null || outgoing.link() != null || incoming.hasAside();
    }

    @Override
    public int look(int interest) {
        LinkStream in = incoming.link();
        LinkStream out = outgoing.link();
        if (in == null) {
            return lookAtOutgoing(out, interest);
        }
        return in.lookForPoller(out != null ? interest : interest & BY_READING);
    }

    private int lookAtOutgoing(LinkStream out, int interest) {
        int ready = incoming.hasAside() ? interest & SelectionKey.OP_READ : 0;
        return out != null ? ready | out.look(interest & BY_WRITING) : ready;
    }

    private static final int BY_READING = SelectionKey.OP_READ | END;
    private static final int BY_WRITING = SelectionKey.OP_WRITE | SENT;

    @Override
    public int kernelReady(int interest, int watchedReady) {
        boolean readable = (watchedReady & SelectionKey.OP_READ) != 0;
        int ready = 0;
        if (incoming.link() == null) {
            ready = readable && incoming.isReadable() ? interest & BY_READING : 0;
        } else if (readable) {
            incoming.drainReady();
        }
        if (outgoing.link() == null) {
            ready |= interest & watchedReady & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT);
        }
        return ready;
    }

    @Override
    public void arm(int interest) {
        LinkStream in = incoming.link();
        LinkStream out = outgoing.link();
        int what = (in != null ? interest & BY_READING : 0) | (out != null ? interest & BY_WRITING : 0);
        if (what != 0) {
            (in != null ? in : out).arm(what);
        }
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean retained(Registration registration) {
        if (!shares.add(registration)) {
            return false;
        }
        if (attached != null) {
            ringBeside(registration);
        }
        return true;
    }

    @Override
    public void refreshed(Registration registration) {
        shares.passed(registration);
    }

    @Override
    public void released(Registration registration) {
        LinkStream stream = attached;
        synchronized (this) {
            if (!ringing.isEmpty()) {
                ringing.remove(registration);
            }
        }
        if (stream != null) {
            stream.stopRinging(registration);
        }
        shares.remove(registration);
        if (registration.attachment() instanceof BlockingWaits.Waiter waiter) {
            waiter.released();
        }
    }
}
