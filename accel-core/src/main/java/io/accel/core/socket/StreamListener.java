// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.daemon.DeferredStart;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import io.accel.profile.Role;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The companion of a kernel's listener: it lets clients find the connections that were accepted, and gives them links. Thread-safe. */
public final class StreamListener {
    /** Apart, since in most processes nobody asks. */
    private static final class Unasked {
        static final PathInfo PATH = new PathInfo(
                "kernel",
                FallbackReason.PEER_NOT_ACCELERATED,
                "the client has not asked for a faster path; if it runs Accel, its own log and metrics say why");

        private Unasked() {}
    }

    private final Accelerator accelerator;
    // Guarded by this.
    private final List<Opened> open = new ArrayList<>();
    /** The number of open connections that were accepted and have no link. */
    private int movable;

    /** A fabric, and the place where its clients can ask. */
    private record Opened(Fabric fabric, Fabric.Listening listening) {}

    private volatile boolean closed;
    private volatile boolean accelerated;
    /** Whether a client may ask for a link some time after the connection was accepted, and had no way to wait for that. */
    private volatile boolean askedLate;
    /** Whether a fabric wants to compare the first bytes of a connection. */
    private volatile boolean compares;
    /** The path, with the reason, of connections while no fabric serves this listener; null if there is no reason. */
    private volatile PathInfo unopened;

    /**
     * A listener that is not bound.
     *
     * @param accelerator the profile at work
     */
    public StreamListener(Accelerator accelerator) {
        this.accelerator = accelerator;
    }

    /** The name of the file of a listener of Unix-domain streams; null for others. Written before anything is accepted. */
    private volatile InetSocketAddress file;
    /** When this was bound. */
    private volatile long boundAt;

    /** Whether its connections may get a link. */
    public boolean isAccelerated() {
        return accelerated;
    }

    /**
     * Opens the listener to the fabrics, after the kernel's was bound.
     *
     * @param bound the address it was bound to
     * @throws IOException if no fabric will serve and {@code fallback=fail}
     */
    public void bound(InetSocketAddress bound) throws IOException {
        open(bound, bound);
    }

    /**
     * As {@link #bound}, for a listener of Unix-domain streams.
     *
     * @param bound its address
     * @throws IOException as there
     */
    public void boundToFile(SocketAddress bound) throws IOException {
        file = UnixName.ofFile(bound);
        boundAt = System.nanoTime();
        open(file, bound);
    }

    InetSocketAddress file() {
        return file;
    }

    /**
     * Opens the listener to the fabrics, or has it opened when the process is not young any more. Clients that ask before that ask again.
     *
     * @param bound its address, or the name of its file; null if the file cannot be looked at
     * @param shown its address as the program has it
     */
    private void open(InetSocketAddress bound, SocketAddress shown) throws IOException {
        if (!accelerator.mayMove(Role.SERVER, shown)) {
            String rule = accelerator.ruleFor(Role.SERVER, shown);
            unopened = new PathInfo("kernel", FallbackReason.RULE, rule);
            accelerator.log().listening(shown, unopened);
            return;
        }
        if (accelerator.waitsForYouth(false)) {
            compares = accelerator.comparesBeginnings(Role.SERVER, shown);
            accelerated = true; // those who are accepted meanwhile are found later
            if (DeferredStart.defer(new Opening(bound, shown))) {
                return;
            }
        }
        new Places().open(bound, shown);
    }

    /** Opens the listener a moment after it was bound. */
    private final class Opening implements Runnable {
        private final InetSocketAddress bound;
        private final SocketAddress shown;

        Opening(InetSocketAddress bound, SocketAddress shown) {
            this.bound = bound;
            this.shown = shown;
        }

        @Override
        public void run() {
            try {
                new Places().open(bound, shown);
            } catch (IOException e) {
                throw new IllegalStateException(e); // only where a fall-back is a failure, and then nothing is deferred
            }
        }
    }

    /** The places where clients ask. Apart, since those of a listener in a young process are opened later, and what this needs is loaded then. */
    private final class Places {
        void open(InetSocketAddress bound, SocketAddress shown) throws IOException {
            FallbackException failure = null;
            boolean served = false;
            for (Fabric fabric : accelerator.fabricsFor(Role.SERVER, shown)) {
                if (!isWanted(fabric)) {
                    continue;
                }
                try {
                    if (bound == null) {
                        throw new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, UnixName.NO_FILE);
                    }
                    Fabric.Listening listening = fabric.listen(bound, new Arrivals(fabric.name(), bound));
                    if (!add(new Opened(fabric, listening))) {
                        listening.close();
                        continue;
                    }
                    if (listening.waitsFor() != null) {
                        throw listening.waitsFor();
                    }
                    served = true;
                    accelerator.log().listening(shown, new PathInfo(fabric.name(), null, null));
                } catch (FallbackException e) {
                    failure = e;
                    PathInfo why = new PathInfo("kernel", e.reason(), e.getMessage());
                    // A missing device says less than the failure of a fabric that is there.
                    unopened = unopened == null || e.reason() != FallbackReason.NO_DEVICE ? why : unopened;
                    accelerator.log().listening(shown, why);
                }
            }
            accelerated = hasOpened();
            if (accelerator.isFailing() && !served && failure != null) {
                throw new IOException("listener not accelerated, and fallback=fail: " + failure.reason() + ": "
                        + failure.getMessage());
            }
        }
    }

    /** Whether clients of a fabric may still ask for links: not if the program has closed this, and no connection waits for one. */
    private synchronized boolean isWanted(Fabric fabric) {
        return !closed || (movable > 0 && fabric.mayOutliveListener());
    }

    private synchronized boolean add(Opened opened) {
        askedLate |= !opened.fabric().saysPending();
        compares |= opened.fabric().comparesBeginnings();
        return isWanted(opened.fabric()) && open.add(opened);
    }

    private synchronized boolean hasOpened() {
        return !open.isEmpty();
    }

    /**
     * Takes a connection that was accepted. If that meets an error, such as a want of memory, the connection is reset and closed: no program
     * has it, and its peer must not wait for one.
     *
     * @param anchor the kernel's connection
     * @return the stream that stands for it, to be closed with it
     */
    public StreamSocket accepted(Anchor anchor) {
        StreamSocket socket = null;
        boolean taken = false;
        try {
            socket = new StreamSocket(accelerator, anchor);
            anchor.accepted(socket);
            socket.accepted(this);
            taken = true;
            return socket;
        } finally {
            if (!taken) {
                drop(socket, anchor);
            }
        }
    }

    /**
     * As {@link #accepted}, for an adapter that can do without a socket at first.
     *
     * @param anchor the kernel's connection
     * @return the stream that stands for it, to be closed with it
     */
    public PlainStream acceptedPlain(Anchor anchor) {
        PlainStream stream = null;
        try {
            stream = new PlainStream(accelerator, anchor, this);
            return stream;
        } finally {
            if (stream == null) {
                drop((StreamSocket) null, anchor);
            }
        }
    }

    /**
     * The path to report of a connection as long as nobody has asked for a link.
     *
     * @param findable whether any client can
     */
    PathInfo unasked(boolean findable) {
        if (findable) {
            return Unasked.PATH;
        }
        PathInfo why = unopened;
        return why == null ? PathInfo.KERNEL : why;
    }

    /** Whether a client may have asked, and had to go on before this end heard of it. */
    boolean isAskedLate() {
        return askedLate;
    }

    /** Apart, so that nothing is made before there is an error. */
    private static final class Errors {
        static final Warnings SEEN = new Warnings(Log.of(StreamListener.class));

        private Errors() {}

        static void notClosed(Throwable e) {
            SEEN.warn("closing a connection that could not be accepted met an error", e);
        }
    }

    /**
     * Resets and closes a connection that was accepted and that no program gets, because of an error on the way there. Throws nothing.
     *
     * @param socket the stream that was {@linkplain #accepted made} for it; null if there is none
     * @param kernel the kernel's connection
     */
    public static void drop(StreamSocket socket, Closeable kernel) {
        try {
            try {
                if (socket != null) {
                    drop(socket, socket.adaptersAnchor());
                }
            } finally {
                kernel.close();
            }
        } catch (IOException | RuntimeException | Error e) {
            Errors.notClosed(e);
        }
    }

    /**
     * As {@link #drop(StreamSocket, Closeable)}.
     *
     * @param stream the stream; null if there is none
     * @param kernel as there
     */
    public static void drop(PlainStream stream, Closeable kernel) {
        try {
            drop(stream == null ? null : stream.socket(), kernel);
        } catch (RuntimeException | Error e) {
            drop((StreamSocket) null, kernel);
            Errors.notClosed(e);
        }
    }

    private static void drop(StreamSocket socket, Anchor anchor) {
        try {
            try {
                anchor.resetOnClose();
            } finally {
                try {
                    if (socket != null) {
                        socket.close(true, false);
                    }
                } finally {
                    anchor.close();
                    anchor.closed(true);
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            Errors.notClosed(e);
        }
    }

    /** Whether a client that asks for a link may want to compare the first bytes of the connection. */
    boolean comparesBeginnings() {
        return compares;
    }

    /** Whether a client can ask for a link of a connection that was accepted from this. */
    boolean isOpen() {
        return hasOpened();
    }

    /** Takes note that a connection was accepted, which may get a link. */
    synchronized void oneMoreUndecided() {
        movable++;
    }

    /** Takes note that a connection has given its link back. Returns whether it may get another. */
    synchronized boolean oneMoreToMove() {
        boolean may = !open.isEmpty();
        movable += may ? 1 : 0;
        return may;
    }

    /** Takes note that a connection has a link, or has closed. */
    void oneLessToMove() {
        List<Opened> toClose;
        synchronized (this) {
            movable--;
            if (!closed) {
                return;
            }
            toClose = takeUnwanted();
        }
        closeAll(toClose);
    }

    /**
     * Ends the fabrics' part; to be called before the kernel's listener is closed. Accepted connections may still move if that is in
     * nobody's way.
     */
    public void close() {
        List<Opened> toClose;
        synchronized (this) {
            closed = true;
            toClose = takeUnwanted();
        }
        closeAll(toClose);
    }

    /** A loop: streams and lambdas would have to be loaded and linked first, and short programs close their listeners, too. */
    private synchronized List<Opened> takeUnwanted() {
        List<Opened> taken = new ArrayList<>();
        for (Opened each : open) {
            if (!isWanted(each.fabric())) {
                taken.add(each);
            }
        }
        open.removeAll(taken);
        return taken;
    }

    private static void closeAll(List<Opened> toClose) {
        for (Opened opened : toClose) {
            opened.listening().close();
        }
    }

    /** The place where one fabric's clients ask. */
    private final class Arrivals implements Fabric.Acceptor {
        private final String fabric;
        private final InetSocketAddress bound;
        private final Map<Link, StreamSocket> offered = new ConcurrentHashMap<>();

        Arrivals(String fabric, InetSocketAddress bound) {
            this.fabric = fabric;
            this.bound = bound;
        }

        private AcceptedStreams.Ends ends(InetSocketAddress local, InetSocketAddress remote) {
            return new AcceptedStreams.Ends(new InetSocketAddress(local.getAddress(), bound.getPort()), remote);
        }

        @Override
        public Known known(InetSocketAddress local, InetSocketAddress remote) {
            AcceptedStreams all = accelerator.acceptedStreams();
            StreamSocket socket = all.find(ends(local, remote));
            if (socket == null) {
                socket = all.find(new AcceptedStreams.From(StreamListener.this, remote));
            }
            return socket == null ? null : socket.handover().known();
        }

        @Override
        public Lineup lineup(InetSocketAddress local, InetSocketAddress remote) {
            AcceptedStreams.Ends ends = ends(local, remote);
            if (file == null || accelerator.acceptedStreams().find(ends) != null) {
                return null;
            }
            UnixStreams.Lineup all = UnixStreams.ofProcess().lineup();
            return (connectedAt, received, sent) -> name(ends, all, connectedAt, received, sent);
        }

        private void name(AcceptedStreams.Ends ends, UnixStreams.Lineup all, long connectedAt, long received, long sent)
                throws FallbackException {
            if (!ends.local().equals(bound) || connectedAt - boundAt < 0) {
                throw new FallbackException(
                        FallbackReason.PEER_NOT_ACCELERATED, "the client connected before this was listening");
            }
            StreamSocket found = all.find(received, sent);
            if (!found.handover().name(ends, accelerator)) {
                throw new FallbackException(
                        FallbackReason.PEER_NOT_ACCELERATED, "the connection has closed, or its profile is another");
            }
        }

        @Override
        public boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again)
                throws FallbackException {
            AcceptedStreams all = accelerator.acceptedStreams();
            AcceptedStreams.Ends ends = ends(local, remote);
            StreamSocket socket = all.find(ends);
            if (socket == null) {
                if (closed) {
                    throw full();
                }
                awaitTurn(ends, again);
                socket = all.find(ends);
                if (socket == null || !all.forget(ends)) {
                    return false; // not accepted; or just accepted, and the accepting thread has run again
                }
            }
            if (!socket.handover().isServed()) {
                throw new FallbackException(
                        FallbackReason.NOT_YET, "the peer's process is young, and has no processor to spare", true);
            }
            StreamUpgrades.get().start();
            StreamHandover.Answer answer = socket.handover().claim();
            if (answer == StreamHandover.Answer.NOT_YET) {
                awaitTurn(ends, again);
                answer = socket.handover().claim();
                if (answer == StreamHandover.Answer.NOT_YET) {
                    return false; // the thread that frees the last link runs again
                }
                if (!all.forget(ends) && answer == StreamHandover.Answer.YES) {
                    socket.handover().unclaim(); // the thread that has just done so has run again
                    return false;
                }
            }
            if (answer == StreamHandover.Answer.NO) {
                throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the connection has a link, or has closed");
            }
            return true;
        }

        private void awaitTurn(AcceptedStreams.Ends ends, Runnable again) throws FallbackException {
            if (!accelerator.acceptedStreams().await(ends, again)) {
                throw full();
            }
        }

        private FallbackException full() {
            ProcessCounters.dropped(Drop.BACKLOG);
            return new FallbackException(FallbackReason.BACKLOG_FULL, null);
        }

        @Override
        public Object waiter(InetSocketAddress local, InetSocketAddress remote) {
            StreamSocket socket = accelerator.acceptedStreams().find(ends(local, remote));
            return socket == null ? null : socket.readiness().waiter();
        }

        @Override
        public void unreserve(InetSocketAddress local, InetSocketAddress remote) {
            AcceptedStreams all = accelerator.acceptedStreams();
            AcceptedStreams.Ends ends = ends(local, remote);
            if (!all.forget(ends)) {
                StreamSocket socket = all.find(ends);
                if (socket != null) {
                    socket.handover().unclaim();
                }
            }
        }

        @Override
        public boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote) {
            StreamSocket socket = accelerator.acceptedStreams().find(ends(local, remote));
            if (socket == null) {
                return false;
            }
            // No client asks any more for a connection that closed, or whose client a poller heard first.
            offered.values().removeIf(each -> each.handover().isSettled() || each.isClosed());
            try {
                if (!socket.handover().attach(link, fabric)) {
                    return false;
                }
            } catch (RuntimeException | Error e) {
                if (!socket.handover().detach(link)) {
                    link.free();
                    socket.handover().unclaim(); // so that nobody waits for it
                }
                throw e;
            }
            offered.put(link, socket);
            return true;
        }

        @Override
        public boolean isSettled(Link link) {
            StreamSocket socket = offered.get(link);
            if (socket != null && !socket.handover().settlesByRing()) {
                return false;
            }
            offered.remove(link);
            return true;
        }

        @Override
        public void confirmed(Link link) {
            StreamSocket socket = offered.remove(link);
            if (socket != null) {
                socket.handover().settled();
            }
        }

        @Override
        public void withdrawn(Link link) {
            StreamSocket socket = offered.remove(link);
            if (socket != null) {
                boolean unused = socket.handover().detach(link);
            }
        }
    }
}
