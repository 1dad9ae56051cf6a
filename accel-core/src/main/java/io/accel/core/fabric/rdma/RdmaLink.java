// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.Ownership;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A connection over a queue pair. Looking at it means polling its completion queue, and the thread that looks polls
 * for all threads of this link, and for the other links of the {@link SharedQueue}: {@link LinkQueues} takes note of the completions and
 * posts the waiting requests. This class decides which thread may ask for that, and when.
 *
 * <p><b>The lock</b> is held for a few calls into the device at most. A thread that publishes waits for it. A thread
 * that only looks does not, for another thread is just looking. Before a sleep that is not enough: {@link #arm} takes
 * the lock, so that it sees every completion from before the queue was armed.
 *
 * <p><b>The end.</b> Once the link is {@linkplain LinkState#DRAINED drained}, the peer is reported gone. After {@link
 * #free} the connection manager's thread delivers the rest, disconnects and gives everything back.
 */
final class RdmaLink implements Link, CmHandler {
    private static final Log LOG = Log.of(RdmaLink.class);

    private static final long ARRIVAL_NANOS = 1_000_000_000L;
    private static final long ARRIVAL_SPIN_NANOS = 100_000L;

    private final CmService service;
    private final Endpoint endpoint;
    private final MemoryRegion sendRing;
    private final MemoryRegion receiveRing;

    private final ReentrantLock lock = new ReentrantLock();
    // All of these are under the lock, unless their own comments say otherwise.
    private final Outbound out;
    private final Inbound in;
    private final LinkQueues queues;
    private final PeerWatch watch;
    private final LinkEnd end;
    /** The news about the device that is yet to be logged; null for none. Under the lock. */
    private String unsaid;

    /** What the link has given back, up to this. */
    private enum Part {
        NONE,
        DEVICE,
        IDENTIFIER,
        IN_PLACE,
        ALL
    }

    /** The service's thread only. */
    private Part givenBack = Part.NONE;

    /** Whether the service looks after it; see {@link CmService#attend}. */
    private final AtomicBoolean attended = new AtomicBoolean();

    private final InetAddress address;
    private final int port;
    private final boolean remote;
    private final long nonce;
    /** Null between datagram sockets. */
    private final RdmaOwnership ownership;

    /**
     * A link.
     *
     * @param ownership what proves the peer; null if nothing does, and the peer is trusted
     */
    RdmaLink(
            CmService service,
            Endpoint endpoint,
            Offer peer,
            int ringSize,
            RdmaConfig config,
            RdmaOwnership ownership) {
        this.service = service;
        this.endpoint = endpoint;
        this.sendRing = RingMemory.ring(endpoint.memory().outbound(), ringSize);
        this.receiveRing = RingMemory.ring(endpoint.memory().inbound(), ringSize);
        this.out = new Outbound(endpoint, peer, ringSize, config);
        this.in = endpoint.arrivals().in();
        this.queues = new LinkQueues(endpoint, peer, out, config, this::needAttention);
        this.watch = new PeerWatch(config.keepaliveNanos(), config.givingUpNanos(), System.nanoTime());
        this.end = new LinkEnd(config.lingerNanos());
        this.address = endpoint.id().localAddress().getAddress();
        this.port = endpoint.id().localAddress().getPort();
        this.remote = !address.equals(endpoint.id().remoteAddress().getAddress());
        this.nonce = peer.nonce();
        this.ownership = ownership;
        if (ownership != null) {
            ownership.connect(lock, queues, out, endpoint.memory().inbound(), endpoint.id());
        }
    }

    private void needAttention() {
        service.attend(this);
    }

    // ---- the program's side

    @Override
    public MemoryRegion sendRing() {
        return sendRing;
    }

    @Override
    public MemoryRegion receiveRing() {
        return receiveRing;
    }

    @Override
    public void publish(long from, long to) {
        lock.lock();
        try {
            out.publish(to);
            queues.flushAndPoll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean canPublishInPlace() {
        return true;
    }

    @Override
    public boolean publishInPlace(
            long from, long to, ByteBuffer memory, int offset, Object owner, Consumer<Object> done) {
        lock.lock();
        try {
            if (!isOpen()) {
                return false;
            }
            var region = endpoint.program(memory);
            if (region == null || !out.publishInPlace(to, region.address() + offset, region.lkey(), owner, done)) {
                return false;
            }
            queues.flushAndPoll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long sent() {
        look();
        return queues.sent();
    }

    @Override
    public void signal(int state) {
        lock.lock();
        try {
            out.signal(state);
            queues.flushAndPoll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void forget(int state) {
        lock.lock();
        try {
            in.forget(state);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitArrival() {
        long start = System.nanoTime();
        while (!isDrained() && !haveStatesArrived()) {
            long waited = System.nanoTime() - start;
            if (waited > ARRIVAL_NANOS) {
                LOG.get().log(Level.DEBUG, "the peer of {0} has not acknowledged an option in time", endpoint.id());
                return;
            }
            if (waited < ARRIVAL_SPIN_NANOS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(ARRIVAL_SPIN_NANOS); // the device may be software that needs this processor
            }
        }
    }

    private boolean haveStatesArrived() {
        lock.lock();
        try {
            queues.poll();
            return !isOpen() || out.haveStatesArrived();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void takeIn() {
        lock.lock();
        try {
            queues.poll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasArrived() {
        lock.lock();
        try {
            queues.poll();
            return out.haveStatesArrived();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isReached() {
        lock.lock();
        try {
            queues.poll();
            boolean isReached = out.isReached();
            if (!isReached && isOpen()) {
                out.ping(); // its answer covers the unsignaled requests
            }
            return isReached;
        } catch (VerbsException | RuntimeException | Error e) {
            queues.fail(e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void consumed(long cursor) {
        lock.lock();
        try {
            if ((in.states() & (CLOSED | RST)) == 0) { // otherwise nobody waits for it any more
                out.consumed(cursor);
                queues.flushAndPoll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long released() {
        look();
        return queues.released();
    }

    @Override
    public long publishedHere() {
        lock.lock();
        try {
            return out.published();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long published() {
        look();
        return ownership == null || ownership.isProved() ? in.published() : 0;
    }

    @Override
    public int peerState() {
        int states = in.states();
        return ownership == null ? states : ownership.shown(states);
    }

    @Override
    public Ownership ownership() {
        return ownership;
    }

    @Override
    public void arm(int what) {
        lock.lock();
        try {
            boolean all = (what & SPACE) != 0 || out.isStalled();
            queues.arm(all ? Wanted.ALL : Wanted.SOLICITED);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void whenBroken(Runnable told) {
        lock.lock();
        try {
            queues.whenBroken(told);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void breakNow() {
        lock.lock();
        try {
            if (isOpen()) {
                queues.failQueuePair();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void decide(int states) {
        lock.lock();
        try {
            in.addStates(states);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean canBreak() {
        return true;
    }

    @Override
    public boolean isRemote() {
        return remote;
    }

    @Override
    public long nonce() {
        return nonce;
    }

    @Override
    public SelectableChannel doorbell() {
        return endpoint.doorbell();
    }

    @Override
    public boolean sharesDoorbell() {
        return true;
    }

    @Override
    public void takeRings() {
        endpoint.place().takeRings();
    }

    @Override
    public void addRinger(Runnable ringer) {
        endpoint.place().addRinger(ringer);
    }

    @Override
    public void removeRinger(Runnable ringer) {
        endpoint.place().removeRinger(ringer);
    }

    @Override
    public boolean drainDoorbell() {
        lock.lock();
        try {
            return queues.drain();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean peerGone() {
        return isDrained();
    }

    @Override
    public long publishes() {
        return out.messages();
    }

    @Override
    public void free() {
        end.begin(System.nanoTime());
        needAttention();
    }

    // ---- the service's side

    @Override
    public void on(CmEvent event) {
        lock.lock();
        try {
            switch (event.type()) {
                case DISCONNECTED -> {
                    end.disconnected();
                    queues.disconnect();
                    needAttention();
                }
                case DEVICE_REMOVAL -> losesDevice("is being removed");
                case ADDR_CHANGE, UNREACHABLE -> askPeer(event.type().name());
                default -> LOG.get().log(Level.DEBUG, "connection manager: {0}", event);
            }
            queues.poll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks the peer for a sign of life, since an address of either end has changed, as where a bond has changed to its other link. Whether the
     * device can still send shows when it sends, and an end that waits for its peer's bytes would send nothing. Only the service's thread.
     */
    void askPeer(String why) {
        lock.lock();
        try {
            queues.poll();
            if (isOpen()) {
                LOG.get().log(Level.DEBUG, "connection {0} asks for a sign of life: {1}", endpoint.id(), why);
                out.ping();
            }
        } catch (VerbsException | RuntimeException | Error e) {
            queues.fail(e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Does the work that the program does not wait for.
     *
     * @return in how many nanoseconds to call again; 0 if there is no need, negative if the link no longer exists
     */
    long attend(long now) {
        if (givenBack == Part.ALL) {
            return -1; // the very call that was the last has asked for this one
        }
        part();
        long pause = queues.state() == LinkState.FREED ? -1 : advance(now); // unless an error came behind that
        part();
        if (queues.state().isPast(LinkState.DRAINED)) { // from then on only this thread changes it
            giveBack(pause < 0);
        }
        return pause;
    }

    /**
     * Gives back what the link has, each part once, and those behind one that has met an error when this is called again. Nobody uses the endpoint
     * any more, and a device that is being removed may take its time, so it is not done under the lock.
     */
    private void giveBack(boolean isFreed) {
        if (givenBack == Part.NONE) {
            service.forget(this);
            endpoint.close();
            givenBack = Part.DEVICE;
        }
        if (givenBack == Part.DEVICE) {
            givenBack = Part.IDENTIFIER; // first: an identifier cannot be destroyed twice
            service.destroy(endpoint.id());
        }
        if (givenBack == Part.IDENTIFIER) {
            releaseInPlace();
            givenBack = Part.IN_PLACE;
        }
        if (isFreed && givenBack == Part.IN_PLACE) {
            givenBack = Part.ALL;
            endpoint.memory().free();
        }
    }

    /** The device says that it has failed. Only the service's thread. */
    void deviceFailed() {
        lock.lock();
        try {
            if (!queues.state().isPast(LinkState.DRAINED)) {
                losesDevice("has failed");
                queues.poll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Records the loss of the device; the program does not wait for a line of the log. */
    private void losesDevice(String how) {
        end.removed(System.nanoTime());
        unsaid = how;
        queues.breakDown();
        needAttention();
    }

    /** Breaks the link. Something other than the link itself has reported that it will carry nothing more. */
    void fail(String why) {
        lock.lock();
        try {
            if (!isOpen()) {
                return;
            }
            queues.breakDown();
            queues.poll();
        } finally {
            lock.unlock();
        }
        LOG.get().log(Level.INFO, "connection {0} is broken: {1}", endpoint.id(), why);
    }

    /** Whether the peer's device has, as far as is known, not acknowledged everything that was sent. */
    boolean isWaiting() {
        lock.lock();
        try {
            queues.poll();
            return isOpen() && !out.hasNothingOutstanding();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells the peer through the connection manager that the link is over, if that is due. Call it outside the lock,
     * for it may take its time.
     */
    private void part() {
        boolean isDue;
        String how;
        lock.lock();
        try {
            isDue = queues.takeParting();
            how = unsaid;
            unsaid = null;
        } finally {
            lock.unlock();
        }
        if (isDue) {
            try {
                endpoint.id().disconnect();
            } catch (VerbsException e) {
                LOG.get().log(Level.DEBUG, "disconnecting failed, the connection is gone already", e);
                cut();
            }
        }
        if (how != null) {
            LOG.get().log(Level.INFO, "the device of connection {0} {1}", endpoint.id(), how);
        }
    }

    private void cut() {
        lock.lock();
        try {
            queues.failQueuePair();
        } finally {
            lock.unlock();
        }
    }

    private void releaseInPlace() {
        lock.lock();
        try {
            out.releaseInPlace();
        } finally {
            lock.unlock();
        }
    }

    private long advance(long now) {
        lock.lock();
        try {
            long before = queues.completions();
            queues.poll();
            boolean isIdle = out.isIdle() || queues.state().isPast(LinkState.DISCONNECTED);
            switch (end.next(now, queues.completions() != before, isIdle)) {
                case NOTHING -> {
                    boolean waits = isOpen() ? out.isStalled() : !isDrained();
                    return waits ? end.pause() : 0;
                }
                case WAIT -> {
                    return end.pause();
                }
                case DISCONNECT -> {
                    queues.disconnect();
                    return end.pause();
                }
                case DETACH -> {
                    detach();
                    return end.pause();
                }
                default -> {
                    detach();
                    queues.freed();
                    return -1;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void detach() {
        if (!queues.state().isPast(LinkState.DRAINED)) {
            if (ownership != null) {
                ownership.end();
            }
            queues.detach();
        }
    }

    /** Checks that the peer is still there, see {@link PeerWatch}. It is to be called every now and then. */
    void checkPeer(long now) {
        lock.lock();
        try {
            queues.poll();
            if (!isOpen()) {
                return;
            }
            switch (watch.next(now, queues.completions(), !out.hasNothingOutstanding())) {
                case ASK -> out.ping(); // its answer also stands for requests before it that are not signaled
                case GIVE_UP -> {
                    queues.breakDown();
                    LOG.get()
                            .log(
                                    Level.INFO,
                                    "connection {0} is broken: no sign of life from the peer for {1} ms",
                                    endpoint.id(),
                                    watch.silence(now) / 1_000_000);
                }
                default -> {}
            }
        } catch (VerbsException | RuntimeException | Error e) {
            queues.fail(e);
        } finally {
            lock.unlock();
        }
    }

    /** How often {@link #checkPeer} is to be called. */
    long checkIntervalNanos() {
        return watch.intervalNanos();
    }

    /** Posts what it can at the end of the process. Returns whether everything published has arrived. */
    boolean finish() {
        lock.lock();
        try {
            queues.poll();
            if (!isOpen() || out.isIdle()) {
                return true;
            }
            if (!out.isStalled()) {
                out.ping(); // its completion stands for the unsignaled requests before it
            }
            return false;
        } catch (VerbsException | RuntimeException | Error e) {
            queues.fail(e);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether anything has come from the peer, while nothing was sent to it. */
    boolean hasHeard() {
        return heard() > 0;
    }

    /** How much has come from the peer, and how many of this end's requests are complete. */
    long heard() {
        lock.lock();
        try {
            queues.poll();
            return queues.completions();
        } finally {
            lock.unlock();
        }
    }

    /** The queue pair can send: what the program wanted to say before, such as that it has closed, goes out. */
    void connected() {
        lock.lock();
        try {
            out.open();
            queues.flushAndPoll();
        } finally {
            lock.unlock();
        }
    }

    /** The connection never came to be. */
    void failNow() {
        lock.lock();
        try {
            end.disconnected();
            queues.failNow();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The device of a connection that never came to be is going. It waits for nobody who may still have the link, such as a selector that is
     * not used.
     */
    void giveBackDevice() {
        lock.lock();
        try {
            end.removed(System.nanoTime());
        } finally {
            lock.unlock();
        }
        needAttention();
    }

    AtomicBoolean attended() {
        return attended;
    }

    /** The address of this end. */
    InetAddress localAddress() {
        return address;
    }

    /** The port number that this end occupies on the device. */
    int port() {
        return port;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    private boolean isOpen() {
        return queues.state() == LinkState.OPEN;
    }

    /** Whether nothing more will come. */
    private boolean isDrained() {
        return queues.state().isPast(LinkState.BROKEN);
    }

    private void look() {
        if (!isDrained() && lock.tryLock()) {
            try {
                queues.glance();
            } finally {
                lock.unlock();
            }
        }
    }
}
