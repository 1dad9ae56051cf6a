// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Privileged;
import io.accel.core.daemon.Warnings;
import io.accel.core.datagram.DatagramReception;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.jdk.CarrierTurn;
import io.accel.core.jdk.MemoryFaults;
import io.accel.core.observe.Drop;
import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.poll.Registration;
import io.accel.core.stream.CorruptLinkException;
import io.accel.profile.Keys;
import io.accel.profile.Role;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A datagram socket that receives from the kernel and from links alike, and sends to each destination over a link if one was found. Until
 * then, and if there is none, datagrams go through the kernel. No datagram waits for a path. The kernel's socket really is bound, so that
 * programs without Accel are heard and answered.
 *
 * <p><b>Threads.</b> The receiving methods have one caller at a time, between {@link #lockRead} and {@link #unlockRead}, and so have the
 * sending methods. The set of links is changed under the monitor, and read without it.
 */
public final class DatagramSocket implements BlockingWaits.Waitable {
    private static final Log LOG = Log.of("io.accel");
    private static final Warnings NO_FINDER = new Warnings(LOG);
    private static final Warnings ERRORS = new Warnings(LOG);
    static final int MOST_IPV4 = 65_507;
    static final int MOST_IPV6 = 65_527;
    /** How long a join waits for a receive under way, which takes microseconds if its thread has a core. */
    private static final long MOST_RECEIVING_NANOS = 1_000_000_000L;

    private final Accelerator accelerator;
    private final DatagramChannel kernel;
    private final int mostPeers;
    private final long idleNanos;
    private final long retryNanos;
    /** Changed under the monitor. */
    private final DatagramLinks links = new DatagramLinks(this::hasNext, this::failed);

    private final DatagramWatchers watchers = new DatagramWatchers(links::wake, this::peerGone, this::failed);
    private final DatagramHalf reading = new DatagramHalf();
    private final DatagramHalf writing = new DatagramHalf();
    /** The turn of virtual threads that receive in blocking mode. In the receiving half only. */
    private final CarrierTurn turn = new CarrierTurn();

    private final DatagramSleeper sleeper;
    private final DatagramRings rings;

    private final DatagramDestinations destinations = new DatagramDestinations(this);
    private final DatagramInbox inbox;
    private final DatagramOutbox outbox;

    /** Null until the program does something about groups. Written under the monitor. */
    private volatile DatagramGroups groups;

    private final KernelAlone alone;
    /** Whether the socket may look for links and be found: it has exchanged enough with a peer. Written under the monitor. */
    private volatile boolean talks;
    /** The address that the program has bound the socket to; null before that. Guarded by this. */
    private InetSocketAddress boundTo;
    /** Whether other sockets may have been given the same port, so that it has to be asked. Written by any thread that sets the option. */
    private volatile boolean mayBeShared;

    /** Null until a path may be found; there is no link before that. */
    private volatile DatagramPaths finder;

    private final List<Fabric.Listening> open = new ArrayList<>(); // guarded by this
    /** Whether peers can find a path to this socket. Written by bind. */
    private volatile boolean listening;
    /** The number of places kept for links that may still come, since a link that one end has the other must have, too. Guarded by this. */
    private int awaited;

    private volatile boolean closed; // written under the monitor
    private volatile InetSocketAddress connected; // written in both halves
    /** Whether other sockets may have the same port. Only the kernel knows which socket gets which datagram then. Written by bind. */
    private volatile boolean shared;
    /**
     * A socket over one of the JDK's channels, which is in non-blocking mode from now on and is closed with this socket.
     *
     * @param accelerator the profile at work
     * @param kernel the JDK's channel
     * @throws IOException if the channel is closed
     */
    public DatagramSocket(Accelerator accelerator, DatagramChannel kernel) throws IOException {
        this(accelerator, kernel, KernelAlone.over(kernel));
        mayBeShared = true; // the program may set options of the channel itself
    }

    /**
     * A socket over one of the JDK's channels, which is closed with this socket, and which does everything by itself until that time is over.
     *
     * @param accelerator the profile at work
     * @param alone that time
     */
    public DatagramSocket(Accelerator accelerator, KernelAlone alone) {
        this(accelerator, alone.kernel(), alone);
    }

    private DatagramSocket(Accelerator accelerator, DatagramChannel kernel, KernelAlone alone) {
        this.accelerator = accelerator;
        this.kernel = kernel;
        this.alone = alone;
        this.talks = accelerator.linksDatagramsAtOnce();
        this.inbox = new DatagramInbox(kernel, links, this::remove, this::heard, this::failed);
        this.outbox = new DatagramOutbox(this, destinations, inbox);
        this.mostPeers = accelerator.profile().get(Keys.DATAGRAM_PEERS_MAX);
        this.idleNanos = accelerator.profile().get(Keys.DATAGRAM_IDLE);
        this.retryNanos = accelerator.profile().get(Keys.DATAGRAM_RETRY);
        this.sleeper = new DatagramSleeper(accelerator, this, reading);
        this.rings = new DatagramRings(kernel, accelerator.profile());
    }

    /** The JDK's channel. */
    public DatagramChannel kernel() {
        return kernel;
    }

    /** The multicast groups of the socket. */
    public DatagramGroups groups() {
        DatagramGroups present = groups;
        return present == null ? makeGroups() : present;
    }

    private synchronized DatagramGroups makeGroups() {
        if (groups == null) {
            groups = new DatagramGroups(this, accelerator, retryNanos);
            if (closed) {
                groups.close();
            }
        }
        return groups;
    }

    /** Takes note that the program has set an option of the kernel's socket. */
    public void optionSet(SocketOption<?> option) {
        if (option == StandardSocketOptions.SO_REUSEADDR || option == StandardSocketOptions.SO_REUSEPORT) {
            mayBeShared = true;
        }
        DatagramGroups present = groups;
        if (present != null) {
            present.optionSet(option);
        }
    }

    /**
     * Takes note that the time of the kernel alone has ended, since the socket has exchanged enough with a peer.
     *
     * @param from the peer, if a datagram has just come from it; null otherwise
     */
    public void aloneNoMore(InetSocketAddress from) {
        if (from != null) {
            inbox.kernelBrought(from);
        }
        boolean unused = talks();
    }

    private void heard(InetSocketAddress from) {
        boolean unused = mayTalk(from);
    }

    /** Counts a datagram to or from a peer. Returns whether the socket may look for links. */
    private boolean mayTalk(InetSocketAddress peer) {
        return talks || (alone.isEnough(peer.getAddress(), peer.getPort()) && talks());
    }

    /** Opens the socket to the fabrics, soon, and lets it look for links. */
    private boolean talks() {
        InetSocketAddress bound;
        synchronized (this) {
            if (talks || closed) {
                return true;
            }
            talks = true;
            bound = boundTo;
        }
        if (bound != null) {
            findLater(() -> listen(bound));
        }
        return true;
    }

    // ---- the address

    /**
     * Opens the socket to the fabrics, after the program has bound it, as soon as it has exchanged enough with a peer. A socket that is bound by
     * its first send is not opened: its peers answer over the link that it found.
     *
     * @param bound the address that the kernel's socket is bound to
     * @throws IOException if the kernel's channel is closed
     */
    public void bound(InetSocketAddress bound) throws IOException {
        boolean now;
        synchronized (this) {
            if (bound.equals(boundTo)) {
                return;
            }
            shared = mayBeShared && isShared();
            boundTo = bound;
            now = talks;
        }
        if (now) {
            listen(bound);
        }
        DatagramGroups present = groups;
        if (present != null) {
            present.bound();
        }
    }

    private synchronized void listen(InetSocketAddress bound) {
        if (closed || mostPeers == 0 || shared || !hasFinder()) {
            return;
        }
        for (Fabric fabric : accelerator.datagramFabricsFor(Role.SERVER, bound)) {
            try {
                open.add(fabric.listen(bound, new DatagramArrivals(this, fabric.name(), bound)));
                accelerator.log().listening(bound, new PathInfo(fabric.name() + " datagrams", null, null));
            } catch (FallbackException e) {
                accelerator.log().listening(bound, new PathInfo("kernel", e.reason(), e.getMessage()));
            }
        }
        listening = !open.isEmpty();
    }

    private boolean isShared() throws IOException {
        return isSet(StandardSocketOptions.SO_REUSEADDR) || isSet(StandardSocketOptions.SO_REUSEPORT);
    }

    private boolean isSet(SocketOption<Boolean> option) throws IOException {
        return kernel.supportedOptions().contains(option) && kernel.getOption(option);
    }

    /**
     * Takes note that the program has connected the kernel's socket, or disconnected it. In both halves. Datagrams that came before a
     * connect are thrown away, as the JDK does. So are datagrams from others that came while it was connected; the kernel has not taken
     * those either.
     *
     * @param remote the peer, or null
     */
    public void connected(InetSocketAddress remote) {
        InetSocketAddress before = connected;
        connected = remote;
        DatagramGroups present = groups;
        if (present != null) {
            present.changed(); // the source's address may be another one
        }
        for (DatagramLink link : links.all()) {
            if (remote != null || (before != null && !before.equals(link.remote()))) {
                discard(link);
            }
        }
    }

    private void discard(DatagramLink link) {
        try {
            while (link.receiver().next() != DatagramReception.NONE) {
                link.receiver().skip();
            }
        } catch (CorruptLinkException e) {
            corrupt(link, e);
        } catch (RuntimeException | InternalError e) {
            failed(link, e);
        }
    }

    InetSocketAddress localFor(InetAddress address) throws IOException {
        InetSocketAddress bound = (InetSocketAddress) Privileged.call(kernel::getLocalAddress);
        if (bound == null) {
            throw new ClosedChannelException();
        }
        return bound.getAddress().isAnyLocalAddress() ? new InetSocketAddress(address, bound.getPort()) : bound;
    }

    // ---- receiving: between lockRead and unlockRead

    /** Enters the receiving half. */
    public void lockRead() {
        reading.lock();
    }

    /** Begins a receive that may wait. A virtual thread that never has to wait gives its carrier to others for a moment now and then. */
    public void takeTurn() {
        if (!links.isEmpty()) {
            turn.next();
        }
    }

    /** Leaves the receiving half. */
    public void unlockRead() {
        reading.unlock();
    }

    /**
     * Takes the next datagram, without waiting. Bytes that have no room are lost.
     *
     * @param dst the buffer to fill
     * @return the sender's address, or null if there is no datagram now
     * @throws IOException as {@link DatagramChannel#receive}
     */
    public InetSocketAddress receive(ByteBuffer dst) throws IOException {
        return inbox.receive(dst);
    }

    /**
     * As {@link #receive(ByteBuffer)}, into several buffers one after the other.
     *
     * @param dsts the buffers
     * @param offset the first
     * @param count how many
     * @return the number of bytes that had room, or -1 if there is no datagram now
     * @throws IOException as {@link DatagramChannel#receive}
     */
    public long receive(ByteBuffer[] dsts, int offset, int count) throws IOException {
        return inbox.receive(dsts, offset, count);
    }

    /** Whether a link has a datagram for this socket. A link that is at its end is given up. */
    private boolean hasNext(DatagramLink link) {
        try {
            boolean over = link.isOver(); // before looking: what was sent before the end is then seen
            if (link.receiver().next() == DatagramReception.NONE) {
                if (over) {
                    end(link);
                }
                return false;
            }
            InetSocketAddress only = connected;
            if (only != null && !only.equals(link.remote())) {
                discard(link);
                return false;
            }
            link.use();
            if (link.publisher() != null) {
                countLost(link);
            }
            return true;
        } catch (CorruptLinkException e) {
            corrupt(link, e);
            return false;
        } catch (RuntimeException | InternalError e) {
            failed(link, e); // the other links are looked at
            return false;
        }
    }

    /** Counts the datagrams that were lost before the one that was found, unless the kernel brings them. */
    private void countLost(DatagramLink link) {
        long lost = link.publisher().takeLost();
        if (lost > 0 && !link.isRaced()) {
            ProcessCounters.dropped(Drop.MULTICAST, lost);
        }
    }

    /** Gives up a link that is at its end; if the kernel may have copies of its datagrams, only when it has none left. */
    private void end(DatagramLink link) {
        if (link.isMirrored()) {
            link.ending();
        } else {
            remove(link);
        }
    }

    /**
     * Waits until there may be a datagram to receive, the socket was closed, or the thread interrupted; may return without cause.
     *
     * @param timeoutNanos how long; negative for no limit
     * @throws IOException if no selector is available
     */
    public void awaitReadable(long timeoutNanos) throws IOException {
        sleeper.await(timeoutNanos);
        reading.runWithin(); // the receiver may go on waiting for long
    }

    // ---- sending: between lockWrite and unlockWrite

    /** Enters the sending half. */
    public void lockWrite() {
        writing.lock();
    }

    /** Leaves the sending half. */
    public void unlockWrite() {
        writing.unlock();
    }

    /**
     * Sends a datagram, or drops it if the receiver has no room.
     *
     * @param src the datagram
     * @param target the resolved destination; the connection's peer if there is a connection
     * @return the number of bytes, or 0 if the kernel has no room now
     * @throws IOException as {@link DatagramChannel#send}
     */
    public int send(ByteBuffer src, InetSocketAddress target) throws IOException {
        return outbox.send(src, target, connected != null);
    }

    /**
     * Sends a datagram that lies in several buffers, and is not empty, over a connected socket.
     *
     * @param srcs the buffers
     * @param offset the first
     * @param count how many
     * @return the number of bytes, or 0 if the kernel has no room now
     * @throws IOException as {@link DatagramChannel#write(ByteBuffer[], int, int)}
     */
    public long write(ByteBuffer[] srcs, int offset, int count) throws IOException {
        return outbox.write(srcs, offset, count, connected);
    }

    /**
     * Looks for a link if it is time to. Called after the kernel's send, which has bound the socket. A socket that can be found by its
     * peers leaves the search to the peer that it answers, since one path serves both; it looks itself only if none was found by then. This
     * spares a server of many clients without Accel most of the searches.
     */
    void findOnce(DatagramPath path) {
        InetAddress address = path.target().getAddress();
        if (address.isMulticastAddress()) {
            if (accelerator.groups() != null) {
                groups().publishOnce(path);
            }
            return;
        }
        if (path.link() != null
                || !mayTalk(path.target())
                || mostPeers == 0
                || shared
                || address.isAnyLocalAddress()
                || !path.beginsSearch(listening && inbox.wasLastFrom(path.target()), retryNanos)) {
            return;
        }
        boolean isReserved = false;
        boolean isBegun = false;
        try {
            isReserved = hasFinder() && reserve();
            isBegun = isReserved && finder.begin(new DatagramSearch(this, path));
        } finally {
            if (!isBegun) {
                if (isReserved) {
                    unreserve();
                }
                path.searched(false, retryNanos);
            }
        }
    }

    /** Takes note that the datagrams to a destination stay with the kernel; {@code why} is null if a rule says so. */
    void remainsKernels(DatagramPath path, FallbackException why) {
        PathInfo kernels = kernels(path, why);
        if (path.remains(kernels) && !closed) {
            ProcessCounters.fellBack(Role.CLIENT, kernels.reason());
            accelerator.log().datagrams(null, path.target(), kernels);
        }
    }

    private PathInfo kernels(DatagramPath path, FallbackException why) {
        FallbackReason reason = why == null ? FallbackReason.RULE : why.reason();
        String detail = why == null ? accelerator.datagramRuleFor(Role.CLIENT, path.target()) : why.getMessage();
        return new PathInfo("kernel", reason, detail);
    }

    // ---- links from publishers to multicast groups: any thread, called by DatagramGroups and its parts

    /** Runs a task on the thread that finds paths, if there is one and the socket is open. */
    void findLater(Runnable task) {
        if (!closed && hasFinder()) {
            finder.later(task);
        }
    }

    /**
     * Runs a task that nothing is received during: now, or before the thread that is receiving receives anything else.
     */
    void betweenReceives(Runnable task) {
        reading.run(task);
        sleeper.wake();
    }

    /** Runs a task that nothing is sent during: now, or before the thread that is sending sends anything else. */
    void betweenSends(Runnable task) {
        writing.run(task);
    }

    /** Takes a link from a publisher, for which a place was kept; false if the socket is closed. Between receives, if it is mirrored. */
    boolean heard(DatagramLink link) {
        if (link.isMirrored()) {
            inbox.mirrored(link); // before it can bring anything
        }
        if (!add(link, null)) {
            inbox.unmirrored(link);
            return false;
        }
        ProcessCounters.gotPath(Role.SERVER, link.record().path());
        accelerator
                .log()
                .datagrams(
                        link.local(),
                        link.remote(),
                        new PathInfo(link.record().path().text(), null, null));
        return true;
    }

    /** Takes note that the socket may hear publishers on other hosts. Waits for a receive that is under way, which may not know it yet. */
    void hearsHosts() {
        if (!inbox.hearsHosts()) {
            return;
        }
        CountDownLatch between = new CountDownLatch(1);
        betweenReceives(between::countDown);
        try {
            if (!between.await(MOST_RECEIVING_NANOS, TimeUnit.NANOSECONDS)) {
                LOG.get().log(Level.DEBUG, "a receive stands still while the socket joins a group");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends a link from a publisher that no membership admits any more. What was published before is still received. */
    void leave(DatagramLink link) {
        if (link.pin()) {
            boolean nothingLeft;
            try {
                link.publisher().leave();
                nothingLeft = !link.receiver().ready();
            } finally {
                link.release();
            }
            if (nothingLeft && !link.isMirrored()) {
                remove(link);
            }
        }
    }

    /** Whether there is a thread that finds paths. If it cannot be started, the kernel carries all datagrams, and nothing else changes. */
    boolean hasFinder() {
        if (finder == null) {
            try {
                finder = DatagramPaths.get(idleNanos);
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                NO_FINDER.warn("datagrams go through the kernel: the thread that finds paths could not be started", e);
                return false;
            }
        }
        return true;
    }

    /** Keeps a place for a link; false if there is none. */
    synchronized boolean reserve() {
        if (closed || links.size() + awaited >= mostPeers) {
            return false;
        }
        awaited++;
        return true;
    }

    synchronized void unreserve() {
        awaited--;
    }

    // ---- links: called by the thread that finds them, and by the fabrics' threads

    List<Fabric> candidates(InetSocketAddress target) {
        return accelerator.datagramFabricsFor(Role.CLIENT, target);
    }

    /** The size of each direction's ring of the next link in bytes. */
    int ringSize() {
        return rings.next(links.size());
    }

    /** The path to the peer of a link. */
    DatagramPath pathBack(DatagramLink link) {
        return destinations.of(link.remote());
    }

    /** Takes a link that a peer has brought, for which a place was kept; {@code path} is null if the peer may not be answered over it. */
    void arrived(DatagramLink link, DatagramPath path) {
        if (add(link, path)) {
            PathName fabric = link.record().path();
            ProcessCounters.gotPath(Role.SERVER, fabric);
            accelerator.log().datagrams(link.local(), link.remote(), new PathInfo(fabric.text(), null, null));
        } else if (path != null) {
            destinations.forget(path);
        }
    }

    /** Takes a link that a search has found. */
    void found(DatagramPath path, Link link, String fabric, InetSocketAddress local) {
        DatagramLink found = null;
        try {
            DatagramLink made = new DatagramLink(link, fabric, local, path.target());
            link.signal(Link.ATTACHED); // last: the peer uses it from now on
            found = made;
        } finally {
            if (found == null) {
                link.free(); // the search ends without, and gives the place back
            }
        }
        boolean added = false;
        try {
            added = add(found, path);
        } catch (RuntimeException | Error e) {
            ERRORS.warn("a link for datagrams was given up, since taking it met an error", e);
        }
        path.searched(added, retryNanos);
        if (added) {
            ProcessCounters.gotPath(Role.CLIENT, PathName.of(fabric));
            accelerator.log().datagrams(local, path.target(), new PathInfo(fabric, null, null));
        }
    }

    /** Takes note that a search has found nothing; {@code why} is null if a rule says kernel. */
    void notFound(DatagramPath path, FallbackException why) {
        unreserve();
        try {
            remainsKernels(path, why);
        } finally {
            path.searched(false, retryNanos);
        }
    }

    /** Adds a link, for which a place was kept, and sends over it to the destination of a path; or ends the link. */
    private boolean add(DatagramLink link, DatagramPath path) {
        boolean done = false;
        try {
            if (!addIfOpen(link, path)) {
                done = true;
                link.end();
                link.release();
                link.release();
                return false;
            }
            done = true;
        } finally {
            if (!done && !remove(link)) {
                tryAll(() -> watchers.unlinked(link), link::release, () -> endAndRelease(link));
            }
        }
        finder.watch(this);
        finder.guard(watchers, link);
        watchers.refresh();
        return true;
    }

    private synchronized boolean addIfOpen(DatagramLink link, DatagramPath path) {
        awaited--;
        if (closed || !watchers.linked(link)) {
            return false;
        }
        link.record().opened(); // a capture that begins finds it now
        Captures.opened(link); // before anything can be sent or received over it
        links.add(link);
        if (path != null) {
            replaceDead(path);
            path.linked(link);
        }
        return true;
    }

    /** Lets go of a link whose peer was killed. Nobody may have noticed that, but a new peer at the same address shows it. */
    private void replaceDead(DatagramPath path) {
        DatagramLink old = path.link();
        if (old != null) {
            boolean rung = watchers.drain(old);
            if (old.isOver()) {
                path.unlink(old);
            }
            if (rung) {
                watchers.refresh();
            }
        }
    }

    /**
     * Gives up a link over which the peer may be sending at this moment. The peer is told first, and its last datagrams are still received.
     */
    private void retire(DatagramLink link, long now) {
        synchronized (this) {
            if (link.path() != null) {
                link.path().unlink(link);
            }
        }
        link.endingSince(now);
        writing.run(() -> {
            if (link.pin()) {
                link.end();
                link.release();
            }
        });
    }

    /** Gives up a link. Any thread. */
    private boolean remove(DatagramLink link) {
        synchronized (this) {
            if (!links.remove(link)) {
                return false;
            }
            DatagramPath path = link.path();
            if (path != null) {
                path.unlink(link);
                // A socket that talked to many clients, one after the other, remembers none of them.
                destinations.forget(path);
            }
        }
        tryAll(
                link::close,
                () -> {
                    if (link.publisher() != null) {
                        inbox.unmirrored(link);
                        groups().ended(link);
                    }
                },
                () -> inbox.forget(link.remote()),
                () -> watchers.unlinked(link),
                () -> reading.run(link::release),
                sleeper::wake, // a receiver that waits has the receiving half's share
                () -> writing.run(() -> endAndRelease(link)));
        return true;
    }

    /** In the sending half, so that nothing is sent after the end. */
    private static void endAndRelease(DatagramLink link) {
        try {
            boolean unused = link.end();
        } finally {
            link.release();
        }
    }

    /** Gives up a link whose peer has broken the protocol. */
    void corrupt(DatagramLink link, CorruptLinkException why) {
        ProcessCounters.didReset(link.record().path());
        LOG.get().log(Level.WARNING, "accel: datagrams from {0}: {1}", link.remote(), why.getMessage());
        remove(link);
    }

    /** Gives up a link that has met an error, such as a fault of its memory. Its peer is reached through the kernel from now on. */
    void failed(DatagramLink link, Throwable e) {
        if (!remove(link)) {
            return; // another thread has met an error of it, too
        }
        ERRORS.warn(
                "accel: datagrams to and from " + link.remote() + " go through the kernel, since their link has failed",
                e);
        ProcessCounters.didReset(link.record().path());
    }

    /** Handles a doorbell that has found a peer to be gone. The datagrams that the peer sent before are still to be received. */
    private void peerGone(DatagramLink link) {
        if (!link.receiver().ready() && !link.isMirrored()) {
            remove(link);
        }
    }

    /** Gives up links that nobody has used for long, or whose peer is gone, but not while they hold datagrams to be received. */
    void sweep() {
        long now = System.nanoTime();
        boolean rung = true; // assumed if the sweep fails in the middle
        try {
            rung = sweepLinks(now);
        } finally {
            if (rung) {
                watchers.refresh(); // the ring was meant for the watchers
            }
        }
        if (links.isEmpty()) {
            finder.forget(this);
            if (!links.isEmpty()) {
                finder.watch(this); // a link came in between
            }
        }
    }

    /** Returns whether a doorbell had rung. */
    private boolean sweepLinks(long now) {
        boolean rung = false;
        for (DatagramLink link : links.all()) {
            if (!link.pin()) {
                continue;
            }
            try {
                rung |= sweepOne(link, now);
                MemoryFaults.surface(); // here, where it is known whose memory it is
            } catch (RuntimeException | InternalError e) {
                failed(link, e);
            } finally {
                link.release();
            }
        }
        return rung;
    }

    /** Returns whether its doorbell had rung. */
    private boolean sweepOne(DatagramLink link, long now) {
        // The pollers of a program that is busy with other things hear of no death.
        boolean rung = watchers.drain(link);
        boolean over = link.isOver(); // before looking: what was sent before the end is then seen
        boolean idle = link.isIdle(now, idleNanos);
        if (link.receiver().ready() || link.isMirrored()) {
            return rung; // a receiver gives up a link that the kernel has copies of
        }
        if (over || link.endedFor(now) >= idleNanos) {
            remove(link);
        } else if (idle) {
            retire(link, now);
        }
        return rung;
    }

    // ---- closing

    /**
     * Closes the kernel's channel, and gives up all links. Datagrams that were not received are lost. When it returns, waiting threads have
     * let go of the kernel's socket, so that its port is free; except a thread that was interrupted. Idempotent.
     */
    public void close() {
        List<Fabric.Listening> toClose;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            toClose = List.copyOf(open);
            open.clear();
        }
        if (!talks && groups == null) {
            closeKernel(); // there never was anything else but perhaps registrations
            alone.awaitLeft();
            watchers.close();
            reading.run(sleeper::close);
            watchers.awaitWaiters();
            return;
        }
        tryAll(
                () -> toClose.forEach(each -> tryAll(each::close)),
                this::closeGroups,
                this::closeKernel,
                alone::awaitLeft,
                watchers::close,
                this::removeAll,
                () -> {
                    if (finder != null) {
                        finder.forget(this);
                    }
                },
                () -> reading.run(sleeper::close),
                watchers::awaitWaiters);
    }

    private void closeGroups() {
        DatagramGroups present = groups;
        if (present != null) {
            present.close();
        }
    }

    private void removeAll() {
        for (DatagramLink link : links.all()) {
            tryAll(() -> remove(link));
        }
    }

    /** Takes the steps of an end. One that fails keeps none of the others from being taken, since nobody takes them a second time. */
    private static void tryAll(Runnable... steps) {
        for (Runnable each : steps) {
            try {
                each.run();
            } catch (RuntimeException | Error e) {
                ERRORS.warn(
                        "a step of the end of a datagram socket, or of a link of one, met an error, and the others are taken",
                        e);
            }
        }
    }

    /**
     * Closes the kernel's channel before the registrations end. The JDK's channel waits for the threads in its methods, and leaves the
     * descriptor open as long as it has keys. But when its last key goes, the descriptor goes at once, even under a sender.
     */
    private void closeKernel() {
        try {
            kernel.close();
        } catch (IOException e) {
            LOG.get().log(Level.WARNING, "closing the kernel's datagram socket failed", e);
        }
    }

    @Override
    public void parked(int ops) {
        if ((ops & SelectionKey.OP_READ) != 0) {
            turn.waited();
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /**
     * As {@link StreamReadiness#endRegistrations}.
     *
     * @param over decides by the attachment whether a registration has ended
     */
    public void endRegistrations(Predicate<Object> over) {
        watchers.end(over);
    }

    /** The number of destinations that this socket remembers. */
    int remembered() {
        return destinations.size();
    }

    /** The number of peers whose datagrams take a faster path than the kernel's now. */
    public int links() {
        return links.size();
    }

    /** The number of links that had datagrams lately, so that each receive looks at them. */
    int busyLinks() {
        return links.busy();
    }

    /**
     * The path that datagrams to a destination take now, and the reason why it is not a faster one.
     *
     * @param target the destination
     */
    public PathInfo path(InetSocketAddress target) {
        return destinations.info(target);
    }

    // ---- for pollers

    @Override
    public SelectableChannel watched() {
        return kernel;
    }

    @Override
    public int watchedOps(int interest) {
        return interest;
    }

    @Override
    public boolean isPolled() {
        return !links.isEmpty();
    }

    @Override
    public boolean isRemote() {
        return links.hasRemote();
    }

    @Override
    public boolean isComplete() {
        return false; // the kernel's datagrams are not in memory
    }

    @Override
    public int look(int interest) {
        // A link never makes a sender wait.
        int ready = outbox.isKernelFull() ? 0 : interest & SelectionKey.OP_WRITE;
        return (interest & SelectionKey.OP_READ) != 0 && links.look() ? ready | SelectionKey.OP_READ : ready;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        if ((interest & SelectionKey.OP_READ) != 0) {
            links.polled();
        }
        if ((watchedReady & SelectionKey.OP_WRITE) != 0) {
            outbox.kernelHasRoom();
        }
        return interest & watchedReady;
    }

    @Override
    public void arm(int interest) {
        if ((interest & SelectionKey.OP_READ) != 0) {
            links.arm();
        }
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean retained(Registration registration) {
        return watchers.add(registration);
    }

    @Override
    public void released(Registration registration) {
        watchers.remove(registration);
        if (registration.attachment() instanceof BlockingWaits.Waiter waiter) {
            waiter.released();
        }
    }
}
