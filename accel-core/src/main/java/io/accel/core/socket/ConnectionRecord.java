package io.accel.core.socket;

import io.accel.core.capture.Capture;
import io.accel.core.capture.TcpFlow;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.observe.ConnectionCounters;
import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.Flight;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.profile.Role;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** What the world is told of one socket: that it is there, which path it took, what was counted of it. */
final class ConnectionRecord implements ObservedConnection {
    private final StreamSocket socket;
    private final Role role;
    private final long id = Connections.nextId();
    private final long openedMillis = System.currentTimeMillis();
    private final long openedNanos = System.nanoTime();
    private final Object connectEvent;
    /** Whether its path was counted, which it is once. */
    private boolean decided; // under the monitor

    /** What is counted of links; null before the first. Written under the monitor. */
    private volatile ConnectionCounters counters;

    /** Written before this is found by others as accelerated; null when it has no link any more. Written under the monitor. */
    private volatile LinkStream stream;
    /** What was counted by links that it had; null for nothing. Under the monitor. */
    private Figures former;
    /** Bytes that have gone by links that it had, without those that were sent again through the kernel. Under the monitor. */
    private long sentByLinks;
    /** Bytes that have come by those. Under the monitor. */
    private long receivedByLinks;
    /** What of all was added to the sum of a path; null for nothing. Under the monitor. */
    private Figures told;

    private ConnectionRecord(StreamSocket socket, Role role, Object connectEvent) {
        this.socket = socket;
        this.role = role;
        this.connectEvent = connectEvent;
    }

    /** A client begins to connect. */
    static ConnectionRecord connecting(StreamSocket socket) {
        ConnectionRecord connection = new ConnectionRecord(socket, Role.CLIENT, Flight.connectBegins());
        Connections.opened(connection);
        return connection;
    }

    /** A listener has a connection. */
    static ConnectionRecord accepting(StreamSocket socket) {
        ConnectionRecord connection = new ConnectionRecord(socket, Role.SERVER, null);
        Connections.opened(connection);
        return connection;
    }

    /** What is counted of links, of which there is one now. */
    synchronized ConnectionCounters counters() {
        if (counters == null) {
            counters = new ConnectionCounters();
        }
        return counters;
    }

    /** It has a link. */
    void established(LinkStream established) {
        synchronized (this) {
            stream = established;
        }
        PathName path = path();
        Connections.established(this);
        if (role == Role.CLIENT && !isDecided()) {
            ProcessCounters.shookHands(path, System.nanoTime() - openedNanos);
        }
        decided(path);
    }

    /** It stays with the kernel. */
    void fellBack() {
        if (decided(PathName.KERNEL)) {
            FallbackReason reason = socket.path().reason();
            if (reason != null) {
                ProcessCounters.fellBack(role, reason);
            }
        }
    }

    /** It had a link, and goes on with the kernel. */
    void fellBack(FallbackReason why) {
        ProcessCounters.fellBack(role, why);
    }

    /** Its link is to be freed while it lives on; it has the link's path still. */
    void letGo() {
        Connections.wentBack(this);
        synchronized (this) {
            LinkStream lost = stream;
            stream = null;
            former = former == null ? new Figures() : former;
            lost.addTo(former);
            sentByLinks += lost.writer().sentInAll() - lost.broken().replayed();
            receivedByLinks += lost.reader().receivedInAll();
        }
    }

    /** The link that it has, perhaps not yet settled; null if it has none. */
    LinkStream attached() {
        return socket.attached();
    }

    /** What a capture makes of the connection from now on, with a link. */
    synchronized TcpFlow flow(Capture capture, InetSocketAddress local, InetSocketAddress remote, LinkStream link) {
        long sent = socket.outgoing().given() + sentByLinks + link.writer().sentInAll();
        long received =
                socket.incoming().taken() + receivedByLinks + link.reader().receivedInAll();
        return new TcpFlow(capture, local, remote, sentByLinks, receivedByLinks, sent, received);
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

    /** Nothing more will be counted of it. */
    void closed() {
        fellBack(); // unless that or another path was counted before
        Connections.closed(this);
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

    /** The doorbell has rung. */
    void rang() {
        long storm = counters().rang(System.nanoTime());
        if (storm != 0) {
            Flight.doorbellStorm(ConnectionCounters.STORM_RINGS, storm, this);
        }
    }

    // ---- for those who look

    /** Each equals itself alone, and the number is there already, where the JVM's would have to be made. */
    @Override
    public int hashCode() {
        return Long.hashCode(id);
    }

    @Override
    public PathName path() {
        return PathName.of(socket.path().path());
    }

    @Override
    public ConnectionState state() {
        LinkStream established = stream;
        return established != null && socket.path().isAccelerated() ? established.state() : socket.kernelState();
    }

    @Override
    public synchronized void addTo(Figures figures) {
        figures.add(all().since(told));
    }

    @Override
    public synchronized void foldInto(Figures sum) {
        Figures untold = all().since(told);
        sum.add(untold);
        told = told == null ? untold : told.add(untold);
    }

    /** All that was counted by links. */
    private synchronized Figures all() {
        Figures all = new Figures();
        if (former != null) {
            all.add(former);
        }
        LinkStream established = stream;
        if (established != null) {
            established.addTo(all);
        }
        if (counters != null) {
            counters.addTo(all);
        }
        return all;
    }

    @Override
    public ConnectionSample sample() {
        Figures figures = all();
        // Of one connection all is told; what is told of a path is what went by it.
        figures.add(Figure.BYTES_IN, socket.incoming().taken())
                .add(Figure.MESSAGES_IN, socket.incoming().reads())
                .add(Figure.BYTES_OUT, socket.outgoing().given())
                .add(Figure.MESSAGES_OUT, socket.outgoing().writes());
        PathInfo path = socket.path();
        LinkStream established = stream;
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
                openedMillis,
                established == null ? 0 : established.reader().available(),
                established == null ? 0 : established.writer().queued(),
                counters == null ? 0 : counters.stalledFor(),
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
