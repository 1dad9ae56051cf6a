// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.handover.LinkTrial;
import io.accel.profile.HandoverAfter;
import io.accel.profile.HandoverAfter.Unrest;
import io.accel.profile.Role;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings a connection to a link, and gives the link back: it decides which end asks, keeps what is known of the answer, and reports the
 * path. The end that connected asks, in the background, when the connection is worth it ({@link TrafficCount}). The end that accepted is
 * asked.
 *
 * <p>Any thread. Fields that change together change in this monitor, in which nobody waits. That includes the program's close: {@link
 * StreamSocket#close} enters this monitor to say that the connection is closed, so that no link comes afterwards.
 */
final class StreamHandover {
    /**
     * How long an accept that should return with a link waits for a client that may never ask for one, or that may have died since it
     * asked. All other connections of a program with one thread wait meanwhile.
     */
    private static final long LATE_NANOS = 2_000_000_000L;

    private static final long PEER_PAUSE_NANOS = 100_000L;

    private static final PathInfo YOUNG = new PathInfo("kernel", FallbackReason.TOO_LITTLE, null);

    /** The answer to a client that asks for a link. */
    enum Answer {
        YES,
        /** The last link is about to be given back. */
        NOT_YET,
        /** There is a link, or another client has asked before, or the connection has closed. */
        NO
    }

    private enum Claim {
        NONE,
        CLAIMED,
        ATTACHED
    }

    private final StreamSocket socket;
    private final Accelerator accelerator;
    /** The anchor as the adapter passed it. */
    private final Anchor anchor;

    // Most connections end before anybody asks for a link. State that only a link needs is made at the first request.

    /** Counts bytes; null if this end does not ask. Written once, by the connecting thread, before others see this connection. */
    private volatile TrafficCount traffic;
    /** The first bytes as seen here; null if nobody compares them. Written once, as {@link #traffic}, or by the accepting thread. */
    private volatile StreamBeginnings beginnings;

    /** The link that both ends have, or are about to have. Written in the monitor; any thread reads it. */
    private volatile LinkStream attached;
    /** Null means the kernel's path, before there is a connection. Written in the monitor; any thread reads it. */
    private volatile PathInfo path;
    /** Whether observers know of the link. Set when it is settled, cleared in the monitor when the link is given back. */
    private volatile boolean told;
    /** Written once, before others can see this connection: null as long as there is no connection. */
    private volatile ConnectionRecord connection;
    /** The listener that has accepted this connection; null for a client. Written once, before others can see this connection. */
    private StreamListener listener;

    // All that follows is guarded by this.

    /** Null before {@link #answer} was called. */
    private HandoverAnswer answer;
    /** Null before {@link #rings} was called. */
    private RingSizes rings;
    /** Whether this end or the peer may ask for a link. */
    private boolean mayMove;

    /** The addresses by which a client finds this connection; null if no client can. */
    private AcceptedStreams.Ends ends;
    /** Whether the listener counts this connection among those that may get a link. */
    private boolean undecided;
    /** Whether this connection has had a link that was given back. */
    private boolean again;
    /** Whether it was reported that no link is to be had. */
    private boolean saidKernel;

    private Claim claim = Claim.NONE;

    /** The pace over a link that was slower than the kernel, in bytes a second; 0 if none was. {@link StreamSearches}' thread. */
    private double slowerPace;

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

    /** Counts bytes that have gone through the kernel in either direction, while there is no link. In the half of that direction. */
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
        anchor.connected();
        SocketAddress shown = anchor.shownRemote();
        if (shown == null) {
            return; // closed already
        }
        InetSocketAddress remote = shown instanceof InetSocketAddress internet ? internet : anchor.remote();
        boolean allowed = accelerator.mayMove(Role.CLIENT, shown);
        boolean may = allowed && remote != null;
        HandoverAfter after = accelerator.handoverAfter();
        boolean asks = may && (accelerator.isFailing() || (socket.kind().isNamed() && after.isAtOnce()));
        connection = ConnectionRecord.connecting(socket);
        if (may && accelerator.comparesBeginnings(Role.CLIENT, shown)) {
            beginnings = StreamBeginnings.watch(socket, remote); // the address of this end is a system call
        }
        synchronized (this) {
            mayMove = may;
            if (may) {
                traffic = new TrafficCount(socket, asks);
                path = YOUNG;
            } else {
                path = allowed
                        ? new PathInfo("kernel", FallbackReason.PEER_NOT_ACCELERATED, UnixName.NO_FILE)
                        : byRule(shown);
            }
        }
        if (!may) {
            staysWithKernel(shown, !allowed);
        }
        if (asks) {
            StreamSearches.get().request(socket);
            if (after.atConnect() || accelerator.isFailing()) {
                awaitLink();
            }
        }
    }

    /** As {@link StreamSocket#foreign}. */
    void foreign() throws ConnectException {
        SocketAddress shown = anchor.shownRemote();
        if (shown == null) {
            return; // closed already
        }
        boolean isByRule = !accelerator.mayMove(Role.CLIENT, shown);
        connection = ConnectionRecord.connecting(socket);
        synchronized (this) {
            path = isByRule ? byRule(shown) : new PathInfo("kernel", FallbackReason.FOREIGN_CHANNEL, null);
        }
        staysWithKernel(shown, isByRule);
    }

    private PathInfo byRule(SocketAddress remote) {
        return new PathInfo("kernel", FallbackReason.RULE, accelerator.ruleFor(Role.CLIENT, remote));
    }

    /** Reports a connection that no link will come to, and refuses it if that is a failure. */
    private void staysWithKernel(SocketAddress remote, boolean isByRule) throws ConnectException {
        connection.fellBack();
        if (!isByRule && accelerator.isFailing()) {
            throw refused(path);
        }
        accelerator.log().connected(anchor.shownLocal(), remote, path);
    }

    /** Says which listener has accepted the connection; before {@link #accepted}. */
    void acceptedBy(StreamListener by) {
        listener = by;
    }

    /** Takes note that the {@linkplain #acceptedBy listener} has accepted the connection, and counts it among those that may get a link. */
    void accepted() {
        StreamListener by = listener;
        boolean findable = by.isAccelerated();
        PathInfo why = by.unasked(findable);
        InetSocketAddress local = anchor.local();
        InetSocketAddress remote = anchor.remote();
        boolean isNamed = socket.kind().isNamed();
        boolean isFindable = findable && local != null && (remote != null || !isNamed);
        boolean isKnown = isFindable && isNamed;
        if (isFindable && by.comparesBeginnings()) {
            beginnings = StreamBeginnings.watch(socket, local);
        }
        synchronized (this) {
            by.oneMoreUndecided();
            undecided = true;
            path = why;
            mayMove = isFindable;
        }
        connection = ConnectionRecord.accepting(socket);
        if (!isFindable) {
            connection.fellBack();
            accelerator.log().accepted(anchor.shownLocal(), anchor.shownRemote(), why);
            return;
        }
        AcceptedStreams all = accelerator.acceptedStreams();
        if (!isKnown || !all.isAsked()) {
            return; // a client is found for it later
        }
        boolean asked = enter(all);
        if (accelerator.handoverAfter().atConnect() && (asked || by.isAskedLate())) {
            answer().await(LATE_NANOS, false);
            awaitPeer();
        }
    }

    /**
     * Lets clients find this connection by its addresses, if a listener has accepted it, and it may have a link. Any thread.
     *
     * @param all the connections of one profile
     * @return whether a client waited for it
     */
    boolean enter(AcceptedStreams all) {
        AcceptedStreams.Ends known;
        synchronized (this) {
            if (all != accelerator.acceptedStreams()
                    || ends != null
                    || !isAccepted()
                    || !mayMove
                    || socket.isClosed()) {
                return false;
            }
            InetSocketAddress local = anchor.local();
            InetSocketAddress remote = anchor.remote();
            if (!socket.kind().isNamed() || local == null || remote == null) {
                return false;
            }
            known = new AcceptedStreams.Ends(local, remote);
            ends = known; // a close that comes from now on removes it
            if (beginnings != null) {
                all.add(new AcceptedStreams.From(listener, remote), socket);
            }
            all.put(known, socket);
        }
        return all.mayAgain(known);
    }

    /**
     * Waits for the peer, which may have the link a moment later than this end. An error of the link ends the connection, of which its
     * operations tell. One that says nothing about the link ends the wait: this end comes to the link later.
     */
    @SuppressWarnings("removal") // a thread that the program stops ends as it would without Accel
    private void awaitPeer() {
        long end = System.nanoTime() + LATE_NANOS;
        LinkStream stream = attached;
        try {
            while (stream != null
                    && !stream.peer().isReady()
                    && !stream.peer().hasEnded()
                    && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(PEER_PAUSE_NANOS);
                stream = attached;
            }
        } catch (RuntimeException | Error e) {
            if (e instanceof ThreadDeath) {
                throw e;
            }
            if (stream != null && !stream.isStray(e)) {
                stream.failure().met(e);
            }
        }
    }

    private void awaitLink() throws ConnectException {
        boolean failing = accelerator.isFailing();
        answer().await(accelerator.probeTimeoutNanos(), !failing);
        if (!failing || attached != null) {
            return;
        }
        if (answer().isWithPeer()) {
            return; // its program must accept first, and this thread may be the one to do so
        }
        FallbackException why = answer().failure();
        PathInfo refused = why == null
                ? new PathInfo("kernel", FallbackReason.TIMEOUT, "the peer did not accept in time")
                : new PathInfo("kernel", why.reason(), why.getMessage());
        throw refused(refused);
    }

    /** Logs that {@code fallback=fail} refuses this connection. Returns the exception for the program. */
    private ConnectException refused(PathInfo why) {
        accelerator.log().refused(anchor.shownLocal(), anchor.shownRemote(), why);
        return new ConnectException("not accelerated, and fallback=fail: " + why.reason() + ": " + why.detail());
    }

    // ---- a client's search: StreamSearches' thread

    /** The fabrics to ask in turn; none if the connection has closed. */
    List<Fabric> fabrics() {
        SocketAddress remote = anchor.shownRemote();
        return remote == null ? List.of() : accelerator.fabricsFor(Role.CLIENT, remote);
    }

    /** Whether the program waits for the link before its first byte. */
    boolean isAtOnce() {
        return accelerator.handoverAfter().atConnect() || accelerator.isFailing();
    }

    /** The first bytes that have gone through the kernel; null if nobody has seen them. */
    Beginnings beginnings() {
        StreamBeginnings seen = beginnings;
        return seen == null ? null : seen.soFar();
    }

    /**
     * Takes note that no fabric has a link.
     *
     * @param passing whether a fabric may have one in a moment; it is asked again when there is traffic
     */
    void notFound(FallbackException why, boolean passing) {
        boolean lacksRoom = why != null && passing && why.reason().isWantOfRoom();
        if (why == null || socket.isClosed() || hasNoLargerOne(why, lacksRoom)) {
            return;
        }
        boolean isSaid;
        synchronized (this) {
            if (attached != null) {
                if (attached.lease().hasFailed()) {
                    answer().failed(why); // a thread that waits for the link waits for nothing
                }
                return;
            }
            path = new PathInfo("kernel", why.reason(), why.getMessage());
            if (again) {
                traffic.restartAfterPause();
                traffic.lengthenPause();
                return; // the fall-back was counted and logged when the link was given back
            }
            answer().failed(why);
            if (passing && why.reason() == FallbackReason.NOT_YET) {
                traffic.restartAfterNotYet();
                return;
            }
            if (passing && !lacksRoom && traffic.mayAskAgain()) {
                traffic.restartAfterVainAnswer();
                return;
            }
            isSaid = saidKernel;
            saidKernel = true;
            if (lacksRoom) {
                again = true; // there is room when others have closed, or given their links back
                traffic.restartAfterPause();
            } else if (passing
                    || fails()
                    || why.reason() != FallbackReason.PEER_NOT_ACCELERATED
                    || !traffic.restartForYoungPeer()) {
                boolean unused = answer().settle();
                if (beginnings != null) {
                    beginnings.forget();
                }
            }
        }
        connection.fellBack();
        if (!fails() && !isSaid) {
            accelerator.log().connected(anchor.shownLocal(), anchor.shownRemote(), path);
        }
    }

    /** Whether this is a client's connection that fails if it gets no link, and so never becomes a connection through the kernel. */
    private boolean fails() {
        return accelerator.isFailing() && !isAccepted();
    }

    /** Asks for a link as large as the last one, for which there was room, if only a larger one was refused. */
    private boolean hasNoLargerOne(FallbackException why, boolean lacksRoom) {
        synchronized (this) {
            if (!rings().isRefused(lacksRoom)) {
                return false;
            }
            path = new PathInfo("kernel", why.reason(), why.getMessage());
        }
        tellOfKernel(why.reason());
        StreamSearches.get().request(socket);
        return true;
    }

    // ---- a client asks this end: the fabrics' threads

    /**
     * Gives this connection the names by which its client asks.
     *
     * @param given the names
     * @param by the accelerator of the listener that the client has asked
     * @return false if that listener can give this connection no link
     */
    boolean name(AcceptedStreams.Ends given, Accelerator by) {
        if (by != accelerator) {
            return false;
        }
        synchronized (this) {
            if (ends != null || !mayMove || socket.isClosed() || !anchor.name(given.remote())) {
                return false;
            }
            ends = given; // a close that comes from now on removes it
            boolean unused = accelerator.acceptedStreams().add(given, socket);
        }
        return true;
    }

    /** This connection as a client in another network namespace knows it; null if it must not be known there. */
    Fabric.Acceptor.Known known() {
        Beginnings seen = beginnings();
        AcceptedStreams.Ends known;
        synchronized (this) {
            known = ends;
        }
        return seen == null || known == null ? null : new Fabric.Acceptor.Known(known.local(), seen);
    }

    /** Whether this end can afford the link that a client asks for. A program that waits for it wants it at any price. */
    boolean isServed() {
        return !accelerator.handoverAfter().isPriced()
                || accelerator.isFailing()
                || again
                || accelerator.upgrades().serves();
    }

    /** Answers a client that asks for the link of this connection. */
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

    /**
     * Takes note that a client that asked went away before it was offered the link, perhaps before it had {@linkplain #claim claimed} it.
     */
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
     * Takes a link: from now on bytes may come over it. This end sends over it when the peer has it, too.
     *
     * @return false if the connection has closed, or has a link; the given one stays the caller's
     */
    boolean attach(Link link, String fabric) {
        StreamBeginnings seen = beginnings;
        if (seen != null) {
            seen.freeze(); // before the peer can switch
        }
        LinkStream stream = null;
        try {
            synchronized (this) {
                if (socket.isClosed() || attached != null) {
                    return false;
                }
                socket.prepareForLink();
                socket.incoming().expect(link.ownership());
                LinkStream made = new LinkStream(
                        link,
                        accelerator.lowWater(),
                        accelerator.handoverAfter().unrest(),
                        socket,
                        connection);
                socket.readiness().establish(made);
                made.show(); // before anything can go by it
                boolean unused =
                        made.hold(); // others may end the connection from now on, and this thread uses the link
                stream = made;
                claim = Claim.ATTACHED;
                path = new PathInfo(fabric, null, null);
                attached = made;
                rings().granted(made.ringSize(), !isAccepted());
                AnchorWatch.get().add(made); // a close that comes from now on removes it
            }
            announce(stream, link);
            return true;
        } finally {
            if (stream != null) {
                stream.release();
            }
        }
    }

    /** Tells everybody of a new link. */
    private void announce(LinkStream stream, Link link) {
        stream.show(); // for a capture that has begun since, and may have looked too early
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
    }

    /**
     * Lets go of a link that the client never had, because it went away; not if the link is in use, or a close lets go of it.
     *
     * @return false if this connection does not have that link
     */
    boolean detach(Link link) {
        LinkStream stream;
        synchronized (this) {
            stream = attached;
            if (stream == null
                    || stream.link() != link
                    || socket.hasBytesInLink()
                    || socket.isClosed()
                    || stream.lease().hasFailed()) { // which ends the connection
                return stream != null && stream.link() == link;
            }
            attached = null;
            AnchorWatch.get().remove(stream);
            claim = Claim.NONE;
            answer().abandoned();
            path = new PathInfo("kernel", FallbackReason.BAD_HANDSHAKE, "the client went away during the handshake");
            socket.readiness().letGo(stream);
        }
        socket.readiness().refresh();
        stream.close(null, false); // after the refresh: pollers that no thread is in take notice of both now
        return true;
    }

    /**
     * Handles a ring of the link's doorbell before the peer had the link.
     *
     * @return whether the peer has it now, or never will
     */
    boolean settlesByRing() {
        LinkStream stream = attached;
        if (stream == null) {
            return true;
        }
        try {
            if (!stream.isDecidedByPeer()) {
                return false;
            }
        } catch (RuntimeException | Error e) {
            if (stream.isStray(e)) {
                throw e; // it is heard again
            }
            // The thread that hears this link hears all others, and would meet the error again and again.
            stream.failure().met(e);
            return true;
        }
        if (stream.peer().isReady()) {
            settled();
        } else {
            boolean unused = detach(stream.link());
        }
        return true;
    }

    /** Handles a ring of the link's doorbell that a waiting thread has taken, and that may have been meant for {@link #settlesByRing}. */
    void heardBeside(LinkStream stream) {
        if (stream == attached && stream.peer().isReady()) {
            settled();
        }
    }

    /** Completes the handover: both ends have the link. */
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
        try {
            connection.established(stream);
            logPath();
        } finally { // an error ends this, and not what depends on it: the listener's count, the way back
            decided();
            told = true;
            StreamUpgrades.get().linked(stream);
            socket.readiness().refresh();
        }
    }

    /** Whether the question of a link is settled, and observers know the result. */
    boolean isSettled() {
        return told;
    }

    /** Whether the peer has the link, too, so that this end may send over it. */
    boolean mayUse(LinkStream stream) {
        return !isAccepted()
                || socket.incoming().link() != null
                || stream.peer().isReady();
    }

    /** Tells the listener that it need not wait for this connection any more. */
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
            moved = again || saidKernel;
        }
        if (moved) {
            accelerator.log().moved(anchor.shownLocal(), anchor.shownRemote(), path);
        } else if (!isAccepted()) {
            accelerator.log().connected(anchor.shownLocal(), anchor.shownRemote(), path);
        } else {
            accelerator.log().accepted(anchor.shownLocal(), anchor.shownRemote(), path);
        }
    }

    private void tellOfKernel(FallbackReason why) {
        connection.fellBack(why);
        accelerator.log().moved(anchor.shownLocal(), anchor.shownRemote(), path);
    }

    // ---- the link goes

    /** Whether a listener has accepted this connection. */
    boolean isAccepted() {
        return listener != null;
    }

    /** Whether this connection may give an idle link back, and, as far as this end knows, get another when there is traffic. */
    boolean mayGiveBack() {
        return !accelerator.isFailing()
                && socket.unrest() != Unrest.BREAKS
                && !socket.outgoing().isFixed()
                && (!isAccepted() || listener.isOpen());
    }

    /** Takes note that the link has broken, and that the connection goes on without it. */
    void resumed() {
        synchronized (this) {
            path = new PathInfo("kernel", FallbackReason.LINK_LOST, null);
        }
        if (!socket.isClosed()) {
            tellOfKernel(FallbackReason.LINK_LOST);
        }
    }

    /** Takes note that the connection's TCP connection has failed, and that its directions go back to the kernel, which tells of that. */
    void abandoned() {
        synchronized (this) {
            if (!path.isAccelerated()) {
                return;
            }
            path = new PathInfo("kernel", FallbackReason.CONNECTION_ENDED, null);
        }
        if (!socket.isClosed()) {
            tellOfKernel(FallbackReason.CONNECTION_ENDED);
        }
    }

    /**
     * Gives back the link, since neither direction goes over it any more. The connection may get another.
     *
     * @param stream the link
     * @param why the reason why the connection is on the kernel's path now
     */
    void letGo(LinkStream stream, FallbackReason why) {
        boolean isNew;
        boolean grows = why == FallbackReason.GROWING;
        synchronized (this) {
            if (socket.isClosed()) {
                return; // the close has let go of it
            }
            connection.letGo();
            isNew = path.isAccelerated();
            path = new PathInfo("kernel", why, null);
            attached = null;
            AnchorWatch.get().remove(stream);
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
        stream.retire(); // after the refresh: pollers that no thread is in take notice of both now
        if (isNew && !grows) {
            tellOfKernel(why);
        }
        if (isAccepted()) {
            boolean unused = accelerator.acceptedStreams().mayAgain(ends);
        } else if (grows) {
            StreamSearches.get().request(socket);
        } else if (why == FallbackReason.NOT_FASTER) {
            traffic.restartAfterSlower();
        } else {
            traffic.restartAfterLink(why);
        }
    }

    // ---- a link that is slower: StreamSearches' thread

    /** Takes note that the link is slower than the kernel. */
    void foundSlower(double pace) {
        slowerPace = pace;
    }

    /** Takes note that the link is not slower. */
    void foundNotSlower() {
        slowerPace = 0;
        traffic.resetSlower();
    }

    /**
     * Whether the connection stays with the kernel for now, since its last link was slower.
     *
     * @param kernel its pace through the kernel now, in bytes a second
     */
    boolean isContent(double kernel) {
        if (slowerPace == 0 || !LinkTrial.isKernelFaster(kernel, slowerPace)) {
            return false;
        }
        traffic.restartAfterSlower();
        return true;
    }

    // ---- the end

    /**
     * Wakes the threads that wait for an answer: the program closes the connection, and has said so in this monitor.
     *
     * @return whether nothing was logged of the connection so far
     */
    private synchronized boolean wakeForClose() {
        if (answer != null) {
            answer.wake(); // a thread that comes to wait after this finds the connection closed
        }
        boolean isOpen = answer == null ? mayMove : !answer.isSettled();
        return isOpen && connection != null && attached == null && !again && !saidKernel;
    }

    /** Takes note that the connection has closed, so that nobody waits or looks for it any more. */
    void closed() {
        boolean unsaid = wakeForClose();
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
        } else if (connection != null && !isAccepted() && traffic != null && traffic.hasAsked()) {
            StreamSearches.get().closed(socket);
        }
    }

    /** Ends the record of a connection that has no link: nothing more will be counted. */
    void countNoMore() {
        if (connection != null) {
            connection.closed();
        }
    }
}
