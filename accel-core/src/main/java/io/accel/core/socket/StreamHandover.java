package io.accel.core.socket;

import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.profile.HandoverAfter;
import io.accel.profile.HandoverAfter.Unrest;
import io.accel.profile.Role;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * How a connection comes to a link, and gives it back: who asks for it, what is known of the answer, and which path is told. The end
 * that connected asks, in the background, when the connection is worth it ({@link TrafficCount}). The end that accepted is asked.
 *
 * <p>Any thread. What changes together changes in this monitor, in which nobody waits. The program's close is part of
 * that: {@link StreamSocket#close} enters this monitor to say that the connection is closed, so that no link comes afterwards.
 */
final class StreamHandover {
    /** How long an accept that is to return with a link waits for a client that may ask for none. */
    private static final long LATE_NANOS = 2_000_000_000L;

    private static final long PEER_PAUSE_NANOS = 100_000L;

    private static final PathInfo YOUNG = new PathInfo("kernel", FallbackReason.TOO_LITTLE, null);

    /** What a client hears that asks for a link. */
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

    private final StreamSocket socket;
    private final Accelerator accelerator;
    /** The adapter's. */
    private final Anchor anchor;

    // Most connections end before anybody asks for a link. State that only a link needs is made when somebody asks.

    /** Counts bytes; null if this end does not ask. Written once, by the connecting thread, before others see this connection. */
    private volatile TrafficCount traffic;
    /** The first bytes as seen here; null if nobody compares them. Written once, as {@link #traffic}, or by the accepting thread. */
    private volatile StreamBeginnings beginnings;

    /** The link that both ends have, or are about to have. Written in the monitor; any thread reads it. */
    private volatile LinkStream attached;
    /** Null for the kernel's, before there is a connection. Written in the monitor; any thread reads it. */
    private volatile PathInfo path;
    /** Whether those who look know of the link. Set when it is settled, cleared in the monitor when the link is given back. */
    private volatile boolean told;
    /** Written once, before others can see this connection: null as long as there is none. */
    private volatile ConnectionRecord connection;
    /** The listener that has accepted this; null of a client. Written once, before others can see this connection. */
    private StreamListener listener;

    // All that follows is guarded by this.

    /** Null before {@link #answer} was called. */
    private HandoverAnswer answer;
    /** Null before {@link #rings} was called. */
    private RingSizes rings;
    /** Whether this end or the peer may ask for a link. */
    private boolean mayMove;

    /** By which a client finds this; null if none can. */
    private AcceptedStreams.Ends ends;
    /** Whether the listener counts this as one that may get a link. */
    private boolean undecided;
    /** Whether this has had a link that was given back. */
    private boolean again;

    private Claim claim = Claim.NONE;

    StreamHandover(StreamSocket socket, Accelerator accelerator, Anchor anchor) {
        this.socket = socket;
        this.accelerator = accelerator;
        this.anchor = anchor;
    }

    LinkStream attached() {
        return attached;
    }

    PathInfo path() {
        PathInfo known = path;
        return known == null ? PathInfo.KERNEL : known;
    }

    /** Bytes have gone one way or the other through the kernel, while there is no link. In the half of that way. */
    void noteTraffic() {
        TrafficCount counted = traffic;
        if (counted != null) {
            counted.note();
        }
    }

    synchronized RingSizes rings() {
        if (rings == null) {
            rings = new RingSizes(isAccepted() ? 0 : accelerator.firstRing(), accelerator.largestRing());
        }
        return rings;
    }

    synchronized HandoverAnswer answer() {
        if (answer == null) {
            answer = new HandoverAnswer(socket, anchor, !isAccepted(), !mayMove);
        }
        return answer;
    }

    // ---- connecting and accepting

    /** As {@link StreamSocket#connected}. */
    void connected() throws ConnectException {
        InetSocketAddress remote = anchor.remote();
        if (remote == null) {
            return; // closed already
        }
        List<Fabric> candidates = accelerator.fabricsFor(Role.CLIENT, remote);
        HandoverAfter after = accelerator.handoverAfter();
        boolean asks = !candidates.isEmpty() && (after.isAtOnce() || accelerator.isFailing());
        connection = ConnectionRecord.connecting(socket);
        for (Fabric each : candidates) {
            if (each.comparesBeginnings()) {
                beginnings = StreamBeginnings.watch(socket, anchor.local());
                break;
            }
        }
        synchronized (this) {
            mayMove = !candidates.isEmpty();
            if (mayMove) {
                traffic = new TrafficCount(socket, asks);
            }
            path = candidates.isEmpty()
                    ? new PathInfo("kernel", FallbackReason.RULE, accelerator.ruleFor(Role.CLIENT, remote))
                    : YOUNG;
        }
        if (candidates.isEmpty()) {
            connection.fellBack();
            accelerator.log().connected(anchor.local(), remote, path);
        }
        if (asks) {
            StreamUpgrades.get().request(socket);
            if (after.atConnect() || accelerator.isFailing()) {
                awaitLink();
            }
        }
    }

    /**
     * A listener has accepted the connection.
     *
     * @param why what is said as long as nobody has asked for a link
     * @param findable whether anybody can
     * @param askedLate whether a client that asks may have had to go on before that was heard here
     * @param by the listener, which counts this as one that may get a link
     */
    void accepted(PathInfo why, boolean findable, boolean askedLate, StreamListener by) {
        InetSocketAddress local = anchor.local();
        InetSocketAddress remote = anchor.remote();
        boolean isKnown = findable && local != null && remote != null;
        if (isKnown && by.comparesBeginnings()) {
            beginnings = StreamBeginnings.watch(socket, local);
        }
        AcceptedStreams.Ends known = isKnown ? new AcceptedStreams.Ends(local, remote) : null;
        synchronized (this) {
            listener = by;
            undecided = true;
            path = why;
            mayMove = isKnown;
            ends = known;
        }
        connection = ConnectionRecord.accepting(socket);
        if (!isKnown) {
            connection.fellBack();
            accelerator.log().accepted(local, remote, why);
            return;
        }
        if (beginnings != null) {
            accelerator.acceptedStreams().add(new AcceptedStreams.From(by, remote), socket);
        }
        boolean asked = accelerator.acceptedStreams().add(known, socket);
        if (accelerator.handoverAfter().atConnect() && (asked || askedLate)) {
            answer().await(asked ? accelerator.probeTimeoutNanos() : LATE_NANOS, false);
            awaitPeer();
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

    private void awaitLink() throws ConnectException {
        boolean failing = accelerator.isFailing();
        answer().await(accelerator.probeTimeoutNanos(), !failing);
        if (!failing || attached != null) {
            return;
        }
        if (answer().isWithPeer()) {
            return; // its program is to accept first, which may be this thread's to do
        }
        FallbackException why = answer().failure();
        PathInfo refused = why == null
                ? new PathInfo("kernel", FallbackReason.TIMEOUT, "the peer did not accept in time")
                : new PathInfo("kernel", why.reason(), why.getMessage());
        accelerator.log().refused(anchor.local(), anchor.remote(), refused);
        throw new ConnectException("not accelerated, and fallback=fail: " + refused.reason() + ": " + refused.detail());
    }

    // ---- a client's search: StreamUpgrades' thread

    /** Those to ask in turn; none if it has closed. */
    List<Fabric> fabrics() {
        InetSocketAddress remote = anchor.remote();
        return remote == null ? List.of() : accelerator.fabricsFor(Role.CLIENT, remote);
    }

    /** What has gone through the kernel; null if nobody has seen it. */
    Beginnings beginnings() {
        StreamBeginnings seen = beginnings;
        return seen == null ? null : seen.soFar();
    }

    /**
     * No fabric has a link.
     *
     * @param passing whether one may have it in a moment: it is asked again when there is traffic
     */
    void notFound(FallbackException why, boolean passing) {
        boolean lacksRoom = why != null && passing && why.reason().isWantOfRoom();
        if (why == null || socket.isClosed() || hasNoLargerOne(why, lacksRoom)) {
            return;
        }
        synchronized (this) {
            if (attached != null) {
                return;
            }
            path = new PathInfo("kernel", why.reason(), why.getMessage());
            if (again) {
                traffic.restartAfterPause();
                traffic.lengthenPause();
                return; // the fall-back was counted, and said, when the link was given back
            }
            answer().failed(why);
            if (passing && !lacksRoom && (why.reason() == FallbackReason.NOT_YET || traffic.mayAskAgain())) {
                traffic.restartAfterVainAnswer();
                return;
            }
            if (lacksRoom) {
                again = true; // there is room when others have closed, or given their links back
                traffic.restartAfterPause();
            } else {
                boolean unused = answer().settle();
                if (beginnings != null) {
                    beginnings.forget();
                }
            }
        }
        connection.fellBack();
        if (!fails()) {
            accelerator.log().connected(anchor.local(), anchor.remote(), path);
        }
    }

    /** Whether this is a client's connection that fails where it gets no link, and so is no connection through the kernel. */
    private boolean fails() {
        return accelerator.isFailing() && !isAccepted();
    }

    /** Asks for a link as large as the last, which there was room for, if it was a larger one that was not to be had. */
    private boolean hasNoLargerOne(FallbackException why, boolean lacksRoom) {
        synchronized (this) {
            if (!rings().isRefused(lacksRoom)) {
                return false;
            }
            path = new PathInfo("kernel", why.reason(), why.getMessage());
        }
        tellOfKernel(why.reason());
        StreamUpgrades.get().request(socket);
        return true;
    }

    // ---- a client asks this end: the fabrics' threads

    /** This connection as it is known to a client in another network namespace; null if it is not to be. */
    Fabric.Acceptor.Known known() {
        Beginnings seen = beginnings();
        AcceptedStreams.Ends known;
        synchronized (this) {
            known = ends;
        }
        return seen == null || known == null ? null : new Fabric.Acceptor.Known(known.local(), seen);
    }

    /** A client asks for the link of this connection. */
    synchronized Answer claim() {
        if (socket.isClosed() || claim == Claim.CLAIMED) {
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
        answer().claimed();
        return Answer.YES;
    }

    /** A client that asked went away before it was offered the link, perhaps before it had {@linkplain #claim claimed} it. */
    synchronized void unclaim() {
        if (claim == Claim.CLAIMED) {
            claim = Claim.NONE;
        }
        if (claim == Claim.NONE) {
            answer().abandoned();
        }
    }

    // ---- the link comes

    /**
     * Takes a link: from now on bytes may come by it; they go by it when the peer has it, too.
     *
     * @return false if the connection has closed, or has a link; the given one stays the caller's
     */
    boolean attach(Link link, String fabric) {
        LinkStream stream;
        StreamBeginnings seen = beginnings;
        if (seen != null) {
            seen.freeze(); // before the peer can switch
        }
        synchronized (this) {
            if (socket.isClosed() || attached != null) {
                return false;
            }
            socket.prepareForLink();
            stream = new LinkStream(
                    link, accelerator.lowWater(), accelerator.handoverAfter().unrest(), socket, connection);
            socket.readiness().establish(stream);
            Captures.opened(stream); // before anything can go by it
            claim = Claim.ATTACHED;
            path = new PathInfo(fabric, null, null);
            attached = stream;
            rings().granted(stream.ringSize(), !isAccepted());
        }
        Captures.opened(stream); // by one that has begun since, and may have looked too early
        if (link.canBreak()) {
            Resumption.prepare();
        }
        link.whenBroken(() -> StreamUpgrades.get().broken(socket));
        socket.readiness().ringBesideAll();
        if (socket.wantsUrgentInline()) {
            stream.peer().say(Link.URGENT_INLINE);
        }
        socket.tellIfDeaf();
        if (!isAccepted()) {
            stream.peer().say(Link.ATTACHED);
            settled();
        }
        return true;
    }

    /**
     * The client went away and never had the link, which is let go of, unless it is in use, or a close does so.
     *
     * @return false if this has not got it
     */
    boolean detach(Link link) {
        LinkStream stream;
        synchronized (this) {
            stream = attached;
            if (stream == null || stream.link() != link || socket.hasBytesInLink() || socket.isClosed()) {
                return stream != null && stream.link() == link;
            }
            attached = null;
            claim = Claim.NONE;
            answer().abandoned();
            path = new PathInfo("kernel", FallbackReason.BAD_HANDSHAKE, "the client went away during the handshake");
            socket.readiness().letGo(stream);
        }
        socket.readiness().refresh();
        stream.close(null, false); // after that: pollers that nobody is in take notice of both now
        return true;
    }

    /**
     * The link's doorbell has rung before the peer had the link.
     *
     * @return whether the peer has it now, or never will
     */
    boolean settlesByRing() {
        LinkStream stream = attached;
        if (stream == null) {
            return true;
        }
        if (!stream.isDecidedByPeer()) {
            return false;
        }
        if (stream.peer().isReady()) {
            settled();
        } else {
            boolean unused = detach(stream.link());
        }
        return true;
    }

    /** A thread that waits for the link has taken its doorbell's ring, which may have been meant for {@link #settlesByRing}. */
    void heardBeside(LinkStream stream) {
        if (stream == attached && stream.peer().isReady()) {
            settled();
        }
    }

    /** Both ends have the link. */
    void settled() {
        LinkStream stream;
        synchronized (this) {
            stream = attached;
            if (stream == null || !answer().settle()) {
                return;
            }
            if (traffic != null) {
                traffic.resetPause();
            }
        }
        connection.established(stream);
        decided();
        logPath();
        socket.readiness().refresh();
        told = true;
        StreamUpgrades.get().linked(stream);
    }

    /** Whether it is settled, and known to those who look, whether this has a link. */
    boolean isSettled() {
        return told;
    }

    /** Whether the peer has the link, too, so that this end may send by it. */
    boolean mayUse(LinkStream stream) {
        return !isAccepted()
                || socket.incoming().link() != null
                || stream.peer().isReady();
    }

    /** The listener need not wait for this connection any more. */
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

    private void logPath() {
        boolean moved;
        synchronized (this) {
            moved = again;
        }
        if (moved) {
            accelerator.log().moved(anchor.local(), anchor.remote(), path);
        } else if (!isAccepted()) {
            accelerator.log().connected(anchor.local(), anchor.remote(), path);
        } else {
            accelerator.log().accepted(anchor.local(), anchor.remote(), path);
        }
    }

    private void tellOfKernel(FallbackReason why) {
        connection.fellBack(why);
        accelerator.log().moved(anchor.local(), anchor.remote(), path);
    }

    // ---- the link goes

    /** Whether a listener has accepted this connection. */
    boolean isAccepted() {
        return listener != null;
    }

    /** Whether this may give a link back that is idle, and as far as this end knows get another when there is traffic. */
    boolean mayGiveBack() {
        return !accelerator.isFailing()
                && socket.unrest() != Unrest.BREAKS
                && !socket.outgoing().isFixed()
                && (!isAccepted() || listener.isOpen());
    }

    /** The link has broken, and the connection goes on without it. */
    void resumed() {
        synchronized (this) {
            path = new PathInfo("kernel", FallbackReason.LINK_LOST, null);
        }
        if (!socket.isClosed()) {
            tellOfKernel(FallbackReason.LINK_LOST);
        }
    }

    /**
     * Neither direction goes over the link any more: gives it back. The connection may get another.
     *
     * @param stream the link
     * @param why the connection is on the kernel's path now
     */
    void letGo(LinkStream stream, FallbackReason why) {
        boolean isNew;
        boolean grows = why == FallbackReason.GROWING;
        synchronized (this) {
            if (socket.isClosed()) {
                return; // which has let go of it
            }
            connection.letGo();
            isNew = path.isAccelerated();
            path = new PathInfo("kernel", why, null);
            attached = null;
            socket.loss().forget();
            told = false;
            answer().beginAgain();
            again = true;
            claim = Claim.NONE;
            undecided = isAccepted() && listener.oneMoreToMove();
            socket.readiness().letGo(stream);
            if (grows && !isAccepted()) {
                rings().grow(stream.ringSize());
            }
        }
        socket.readiness().refresh();
        stream.retire(); // after that: pollers that nobody is in take notice of both now
        if (isNew && !grows) {
            tellOfKernel(why);
        }
        if (isAccepted()) {
            boolean unused = accelerator.acceptedStreams().mayAgain(ends);
        } else if (grows) {
            StreamUpgrades.get().request(socket);
        } else {
            traffic.restartAfterLink(why);
        }
    }

    // ---- the end

    /**
     * The program closes the connection, which has just said so in this monitor: whoever waits for an answer waits no more.
     *
     * @return whether nothing was said of it so far
     */
    synchronized boolean wakeForClose() {
        if (answer != null) {
            answer.wake(); // who comes to wait after this finds the connection closed
        }
        boolean isOpen = answer == null ? mayMove : !answer.isSettled();
        return isOpen && connection != null && attached == null && !again;
    }

    /**
     * The connection has closed: nobody looks for it any more.
     *
     * @param unsaid as {@link #wakeForClose} said
     */
    void closed(boolean unsaid) {
        decided();
        if (unsaid && accelerator.log().saysAll() && !fails()) {
            logPath();
        }
        AcceptedStreams.Ends known;
        synchronized (this) {
            known = ends;
        }
        if (known != null) {
            accelerator.acceptedStreams().remove(known);
            if (beginnings != null) {
                accelerator.acceptedStreams().remove(new AcceptedStreams.From(listener, known.remote()), socket);
            }
        } else if (connection != null && !isAccepted()) {
            StreamUpgrades.get().closed(socket);
        }
    }

    /** Nothing more will be counted of a connection that has no link. */
    void countNoMore() {
        if (connection != null) {
            connection.closed();
        }
    }
}
