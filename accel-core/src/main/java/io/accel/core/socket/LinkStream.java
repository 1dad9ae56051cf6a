// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.capture.Capture;
import io.accel.core.capture.TcpFlow;
import io.accel.core.fabric.Link;
import io.accel.core.jdk.MemoryFaults;
import io.accel.core.observe.ConnectionCounters;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Figures;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Registration;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import io.accel.profile.HandoverAfter.Unrest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * A connection's link in use: its parts, its end, and the events that pollers wait for. Bytes go through its {@linkplain #reader() reading}
 * and its {@linkplain #writer() writing} half. Each half carries its direction only while {@link Incoming} or {@link Outgoing} says so.
 *
 * <p>Any thread may call this, except where the halves say otherwise. The methods of {@link Pollable} touch the link's memory, so their
 * caller is in a half, or holds a share in the {@link LinkLease}, as registrations do.
 */
public final class LinkStream extends CapturedLink implements BlockingWaits.Waitable {
    /** The direction goes on through the kernel: nothing was read or written, and the caller starts over. */
    public static final int MOVED = StreamReceiver.MOVED;

    private final Link link;
    private final StreamSocket socket;
    private final ConnectionRecord connection;
    private final ConnectionCounters counters;
    private final int ringSize;

    private final LinkLease lease;
    private final LinkPeer peer;
    private final LinkBreak broken;
    private final LinkReader reader;
    private final LinkWriter writer;
    private final LinkRetirement retirement = new LinkRetirement(this);
    private final LinkFailure failure = new LinkFailure(this);
    /** The registrations that wait for the link alone. */
    private final Shares shares = new Shares();
    /** The number by which {@link AnchorWatch} knows the anchor; negative if it does not. In its monitor. */
    private int watchedAs = -1;

    LinkStream(Link link, int lowWater, Unrest unrest, StreamSocket socket, ConnectionRecord connection) {
        this.link = link;
        this.socket = socket;
        this.connection = connection;
        this.counters = connection.counters();
        this.ringSize = link.sendRing().size();
        this.lease = new LinkLease(link, connection);
        this.peer = new LinkPeer(link, lease);
        this.broken = new LinkBreak(this);
        StreamReceiver receiver = new StreamReceiver(link, socket.kind().endings());
        this.reader = new LinkReader(this, connection, receiver);
        this.writer = new LinkWriter(this, connection, new StreamSender(link, lowWater, receiver), unrest);
        shares.establish(lease);
    }

    // ---- its parts

    /** The half that reads from the link. */
    public LinkReader reader() {
        return reader;
    }

    /** The half that writes to the link. */
    public LinkWriter writer() {
        return writer;
    }

    Link link() {
        return link;
    }

    /** The number of the program's bytes that have gone over the link in either direction. A hint. */
    long carried() {
        return writer.sentInAll() + reader.receivedInAll();
    }

    LinkLease lease() {
        return lease;
    }

    LinkPeer peer() {
        return peer;
    }

    LinkBreak broken() {
        return broken;
    }

    LinkRetirement retirement() {
        return retirement;
    }

    /** Ends the connection when the link meets an error. */
    LinkFailure failure() {
        return failure;
    }

    StreamSocket socket() {
        return socket;
    }

    /** In the monitor of {@link AnchorWatch}. */
    int watchedAs() {
        return watchedAs;
    }

    /** In the monitor of {@link AnchorWatch}. */
    void watchedAs(int number) {
        watchedAs = number;
    }

    /** The size of each direction's ring in bytes. */
    int ringSize() {
        return ringSize;
    }

    /** Whether the peer wants urgent bytes inline. */
    public boolean isUrgentInline() {
        return peer.isUrgentInline();
    }

    // ---- the end

    /** Whether this side has closed, or the link has been given back. */
    @Override
    public boolean isClosed() {
        return lease.isEnded();
    }

    /** Whether this side has closed the connection. */
    public boolean isOver() {
        return lease.state() == LinkLease.State.CLOSED || (lease.hasFailed() && socket.isClosed());
    }

    /**
     * Closes both directions; never blocks. The peer can still read the bytes that were written.
     *
     * @param reset whether to end with a reset, and why; null for an end in order
     * @param behindEnd whether this end has ended its output before, on either path: the peer then takes the reset as one that follows an
     *     end
     */
    void close(String reset, boolean behindEnd) {
        if (!lease.end(LinkLease.State.CLOSED)) {
            return;
        }
        try {
            if (reset != null) {
                connection.didReset(reset);
            }
            writer.endsHere();
            int fin = reset == null || behindEnd ? Link.FIN : 0;
            link.signal(Link.CLOSED | fin | (reset != null ? Link.RST : 0));
            writer.tellTap(reset != null);
            leave();
        } catch (RuntimeException | Error e) {
            failure.metInClose(e); // which gives the closer's share back
            return;
        }
        lease.release();
    }

    /** Resets the peer of a connection that was closed, and drops the bytes that were not sent. */
    void giveUp(String why) {
        connection.didReset(why);
        peer.say(Link.RST);
    }

    /**
     * Lets go of the link, which neither end uses any more. The peer is not told, since it lets go as well. A thread that comes to read or
     * write here finds that the direction has {@link #MOVED}.
     */
    void retire() {
        if (!lease.end(LinkLease.State.RETIRED)) {
            return;
        }
        try {
            leave();
        } catch (RuntimeException | Error e) {
            failure.metInClose(e);
            return;
        }
        lease.release();
    }

    private void leave() {
        Captures.closed(this);
        endWaits();
        reader.giveBack();
        writer.giveBack();
    }

    /** Ends the registrations that wait for the link alone. */
    void endWaits() {
        shares.close(true);
    }

    /** Counts a reset from this end. */
    void countReset(String why) {
        connection.didReset(why);
    }

    /**
     * Keeps the link's memory from being freed until {@link #release}, for a caller that has bytes in it while it is in neither half.
     *
     * @return false if it is freed already
     */
    public boolean hold() {
        return lease.hold();
    }

    /** Gives back a share that {@link #hold} took. */
    public void release() {
        lease.release();
    }

    // ---- for observers

    ConnectionState state() {
        if (lease.isEnded()) {
            return ConnectionState.CLOSING;
        }
        boolean half = socket.isInputShut() || writer.isShut();
        if (!half) {
            try (LinkLease.Share share = lease.take()) {
                half = share != null && ((link.peerState() & Link.ENDED) != 0 || link.peerGone());
            }
        }
        return half ? ConnectionState.HALF_CLOSED : ConnectionState.ESTABLISHED;
    }

    /** Adds the counts, none of which lies in memory that may be freed. */
    void addTo(Figures figures) {
        reader.addTo(figures);
        writer.addTo(figures);
    }

    // ---- captures: Captures, under its monitor

    /** Lets captures see it. Here, since a class that itself hands this over has to load this one and all that it extends. */
    void show() {
        Captures.opened(this);
    }

    /** The addresses that packets get: those of the connection, or the {@linkplain UnixName names} that stand for them. */
    @Override
    Ends ends() {
        InetSocketAddress local = socket.adaptersAnchor().local();
        InetSocketAddress remote = socket.adaptersAnchor().remote();
        return local == null || remote == null ? null : new Ends(true, local, remote);
    }

    @Override
    void tap(Capture capture, Ends ends) {
        TcpFlow flow = connection.flow(capture, ends.local(), ends.remote(), this);
        writer.tap(flow.outgoing());
        reader.tap(flow.incoming());
    }

    @Override
    void untap() {
        writer.tap(null);
        reader.tap(null);
    }

    // ---- waiting: by pollers, each with a share, and by threads in a half

    /** Makes every waiter for the link, or for its connection, look again. */
    void refresh() {
        shares.refresh();
        socket.readiness().refresh();
    }

    @Override
    public int look(int interest) {
        return look(interest, false);
    }

    /** As {@link #look(int)}, for a poller of the connection. The kernel itself tells that poller of the bytes in the kernel. */
    int lookForPoller(int interest) {
        return look(interest, true);
    }

    private int look(int interest, boolean forPoller) {
        return lease.isEnded() ? lookAtEnd(interest) : reader.look(interest, forPoller) | writer.look(interest);
    }

    private int lookAtEnd(int interest) {
        if (!lease.hasFailed()) {
            return 0; // the keys are about to be cancelled
        }
        failure.absorb();
        return interest; // each operation tells why
    }

    @Override
    public void looked(int ops, int looks, boolean hit) {
        counters.looked((ops & SelectionKey.OP_READ) != 0, looks, hit);
    }

    @Override
    public void parked(int ops) {
        if ((ops & SelectionKey.OP_READ) != 0) {
            reader.turn().waited();
        }
    }

    @Override
    public void arm(int interest) {
        int what = 0;
        if ((interest & SelectionKey.OP_READ) != 0) {
            what |= Link.DATA;
        }
        // The end is a signal, which rings for either interest. A waiter for the end does not want to hear of bytes.
        if ((interest & (SelectionKey.OP_WRITE | Pollable.END | Pollable.SENT)) != 0) {
            what |= Link.SPACE;
        }
        if (what != 0 && !lease.hasFailed()) {
            link.arm(what);
        }
    }

    @Override
    public SelectableChannel watched() {
        return link.doorbell();
    }

    @Override
    public boolean isWatchedShared() {
        return link.sharesDoorbell();
    }

    @Override
    public void takeRings() {
        link.takeRings();
    }

    @Override
    public void addRinger(Runnable ringer) {
        link.addRinger(ringer);
    }

    @Override
    public void removeRinger(Runnable ringer) {
        link.removeRinger(ringer);
    }

    @Override
    public int watchedOps(int interest) {
        // A doorbell whose other end is gone would be readable for ever.
        return lease.hasFailed() || link.peerGone() ? 0 : SelectionKey.OP_READ;
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public boolean isRemote() {
        return !lease.hasFailed() && link.isRemote();
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        if (lease.hasFailed()) {
            return interest;
        }
        // If nothing watched is ready, the caller is a thread that spins without a registration.
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
        shares.release(registration);
    }

    /**
     * Ends the connection if an error that an operation of the program has met is one of the link: a fault of its memory, or any error after
     * which nobody knows which bytes have come. Any other is the program's, as it is at a channel of the JDK: nothing was read or written.
     *
     * @param torn whether bytes were read or written, or this end's state is unknown to the peer
     * @throws IOException if the connection has ended
     */
    void failIfLinks(Throwable e, boolean torn) throws IOException {
        if (torn || (MemoryFaults.isFault(e) && !isIntact())) {
            failure.met(e);
        }
        if (lease.hasFailed()) {
            throw failure.exception();
        }
    }

    @Override
    public boolean failed(Throwable e) {
        failure.met(e);
        return true;
    }

    @Override
    public boolean isIntact() {
        try (LinkLease.Share share = lease.take()) {
            return share == null || link.isIntact();
        }
    }

    /** Ends the registration of the doorbell that accompanies a registration of the socket. */
    void stopRinging(Registration beside) {
        shares.end(attachment -> attachment == beside);
    }

    /**
     * Takes the ring of the doorbell, and passes it on to all threads that may have waited for it, since only one of them finds it.
     *
     * @param registrations how many registrations know of the ring already: the caller's own, or none if the caller waits without one
     */
    void doorbellRang(int registrations) {
        boolean goneBefore = link.peerGone();
        boolean rung = link.drainDoorbell();
        if (rung) {
            connection.rang();
        }
        // This comes first: nobody else tells the others, and the calls below may enter the program's logging.
        if (goneBefore != link.peerGone()
                || (rung && shares.size() + socket.readiness().registrations() > registrations)) {
            refresh();
        }
        if (rung && !socket.handover().isSettled()) {
            socket.handover().heardBeside(this);
        }
        if (rung && (link.peerState() & Link.RETIRING) != 0 && !retirement.hasBegun()) {
            StreamUpgrades.get().asked(retirement);
        }
    }

    /** Takes a ring that may announce the peer's answer. Returns whether the peer has the link, or never will. */
    boolean isDecidedByPeer() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return true;
            }
            doorbellRang(0);
            if (peer.isReady() || link.peerGone()) {
                return true;
            }
            link.arm(Link.DATA); // that ring announced something else
            return peer.isReady() || link.peerGone();
        }
    }

    /** For logs and tests: who has the link. */
    @Override
    public String toString() {
        return "link " + lease + ", " + reader + ", " + writer + ", waiting " + shares.size();
    }
}
