// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.capture.Capture;
import io.accel.core.capture.TcpFlow;
import io.accel.core.observe.ConnectionCounters;
import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.Flight;
import io.accel.core.observe.Listing;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.profile.Role;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** The public record of one socket: its existence, its path, and its counters. */
final class ConnectionRecord implements ObservedConnection {
    private final StreamSocket socket;
    private final Role role;
    private final long id = Connections.nextId();
    private final long openedNanos = System.nanoTime();
    private final Object connectEvent;
    /** Written by the thread that opens the connection, before others see this. */
    private Listing listing;
    /** Whether the path was counted, which happens once. */
    private boolean decided; // under the monitor

    /** The figures of its links; null before the first, and most connections have none. Written under the monitor. */
    private volatile ByLinks links;

    /** The figures of one connection's links. */
    private static final class ByLinks {
        /** The counters of links. */
        final ConnectionCounters counters = new ConnectionCounters();

        /** Written before other threads find this connection accelerated; null when it has no link any more. Written under the monitor. */
        volatile LinkStream stream;
        /** The figures of links that the connection had before; null for none. Under the monitor. */
        Figures former;
        /** The number of bytes sent over former links, without those sent again through the kernel. Under the monitor. */
        long sent;
        /** The number of bytes received over former links. Under the monitor. */
        long received;
        /** The part of all figures that was added to the sum of a path; null for none. Under the monitor. */
        Figures told;
    }

    private ConnectionRecord(StreamSocket socket, Role role, Object connectEvent) {
        this.socket = socket;
        this.role = role;
        this.connectEvent = connectEvent;
    }

    /** The record of a client that begins to connect. */
    static ConnectionRecord connecting(StreamSocket socket) {
        return new ConnectionRecord(socket, Role.CLIENT, Flight.connectBegins()).listed();
    }

    /** The record of a connection that a listener has accepted. */
    static ConnectionRecord accepting(StreamSocket socket) {
        return new ConnectionRecord(socket, Role.SERVER, null).listed();
    }

    private ConnectionRecord listed() {
        listing = Connections.opened(this);
        return this;
    }

    StreamHandover handover() {
        return socket.handover();
    }

    /** The counters of links; there is one now. */
    ConnectionCounters counters() {
        return links().counters;
    }

    private synchronized ByLinks links() {
        if (links == null) {
            links = new ByLinks();
        }
        return links;
    }

    /** Takes note that the connection has a link. */
    void established(LinkStream established) {
        synchronized (this) {
            links().stream = established;
        }
        PathName path = path();
        listing.established();
        if (role == Role.CLIENT && !isDecided()) {
            ProcessCounters.shookHands(path, System.nanoTime() - openedNanos);
        }
        decided(path);
    }

    /** Takes note that the connection stays with the kernel. */
    void fellBack() {
        if (decided(PathName.KERNEL)) {
            FallbackReason reason = socket.path().reason();
            if (reason != null) {
                ProcessCounters.fellBack(role, reason);
            }
        }
    }

    /** Takes note that the connection had a link, and goes on with the kernel. */
    void fellBack(FallbackReason why) {
        ProcessCounters.fellBack(role, why);
    }

    /** Takes note that the link is about to be freed while the connection lives on. The record still has the link's path. */
    void letGo() {
        listing.wentBack();
        synchronized (this) {
            ByLinks had = links();
            LinkStream lost = had.stream;
            had.stream = null;
            had.former = had.former == null ? new Figures() : had.former;
            lost.addTo(had.former);
            had.sent += lost.writer().sentInAll() - lost.broken().replayed();
            had.received += lost.reader().receivedInAll();
        }
    }

    /** The connection's link, as observers know it; null if it has none. */
    private LinkStream stream() {
        ByLinks had = links;
        return had == null ? null : had.stream;
    }

    /** The link that the connection has, perhaps not yet settled; null if it has none. */
    LinkStream attached() {
        return socket.attached();
    }

    /** The flow in a capture that shows the connection from now on, with a link. */
    synchronized TcpFlow flow(Capture capture, InetSocketAddress local, InetSocketAddress remote, LinkStream link) {
        ByLinks had = links();
        long sent = socket.outgoing().given() + had.sent + link.writer().sentInAll();
        long received = socket.incoming().taken() + had.received + link.reader().receivedInAll();
        return new TcpFlow(capture, local, remote, had.sent, had.received, sent, received);
    }

    private synchronized boolean isDecided() {
        return decided;
    }

    private boolean decided(PathName path) {
        synchronized (this) {
            if (decided) {
                return false;
            }
            decided = true;
        }
        ProcessCounters.gotPath(role, path);
        Flight.connected(connectEvent, this);
        return true;
    }

    /** Ends the record: nothing more will be counted. */
    void closed() {
        fellBack(); // does nothing if that or another path was counted before
        listing.closed();
    }

    void wasReset(String cause) {
        if (counters().isFirstReset()) {
            ProcessCounters.wasReset(path());
            Flight.reset(true, cause, this);
        }
    }

    void didReset(String cause) {
        if (counters().isFirstReset()) {
            ProcessCounters.didReset(path());
            Flight.reset(false, cause, this);
        }
    }

    void stallEnded(Object event) {
        Flight.stallEnds(event, this);
    }

    /** Counts a ring of the doorbell. */
    void rang() {
        long storm = counters().rang(System.nanoTime());
        if (storm != 0) {
            Flight.doorbellStorm(ConnectionCounters.STORM_RINGS, storm, this);
        }
    }

    // ---- for observers

    @Override
    public PathName path() {
        return PathName.of(socket.path().path());
    }

    @Override
    public ConnectionState state() {
        LinkStream established = stream();
        return established != null && socket.path().isAccelerated() ? established.state() : socket.kernelState();
    }

    @Override
    public synchronized void addTo(Figures figures) {
        ByLinks had = links();
        figures.add(all().since(had.told));
    }

    @Override
    public synchronized void foldInto(Figures sum) {
        ByLinks had = links();
        Figures untold = all().since(had.told);
        sum.add(untold);
        had.told = had.told == null ? untold : had.told.add(untold);
    }

    /** All figures of links. */
    private synchronized Figures all() {
        Figures all = new Figures();
        ByLinks had = links;
        if (had == null) {
            return all;
        }
        if (had.former != null) {
            all.add(had.former);
        }
        LinkStream established = had.stream;
        if (established != null) {
            established.addTo(all);
        }
        had.counters.addTo(all);
        return all;
    }

    @Override
    public ConnectionSample sample() {
        Figures figures = all();
        // A connection's record tells everything; a path's sum tells only what went over that path.
        figures.add(Figure.BYTES_IN, socket.incoming().taken())
                .add(Figure.MESSAGES_IN, socket.incoming().reads())
                .add(Figure.BYTES_OUT, socket.outgoing().given())
                .add(Figure.MESSAGES_OUT, socket.outgoing().writes());
        PathInfo path = socket.path();
        ByLinks had = links;
        LinkStream established = stream();
        return new ConnectionSample(
                id,
                role == Role.CLIENT ? "client" : "server",
                path.path(),
                path.reason() == null ? "" : path.reason().name(),
                path.reason() == null
                        ? ""
                        : path.detail() == null ? path.reason().sentence() : path.detail(),
                state().text(),
                text(socket.observedLocal()),
                text(socket.observedRemote()),
                System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedNanos),
                established == null ? 0 : established.reader().available(),
                established == null ? 0 : established.writer().queued(),
                had == null ? 0 : had.counters.stalledFor(),
                figures);
    }

    static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress internet)) {
            return address == null ? "" : address.toString();
        }
        String host = internet.isUnresolved()
                ? internet.getHostString()
                : internet.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + internet.getPort();
    }
}
