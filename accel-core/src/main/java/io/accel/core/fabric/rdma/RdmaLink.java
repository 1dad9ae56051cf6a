package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.Verbs;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException;
import io.accel.core.fabric.rdma.verbs.WcFlags;
import io.accel.core.fabric.rdma.verbs.WcOpcode;
import io.accel.core.fabric.rdma.verbs.WcStatus;
import io.accel.core.fabric.rdma.verbs.WorkCompletions;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A connection over a queue pair. Looking at it means polling its completion queue, which whoever looks does for all: what
 * has come is entered in {@link Inbound}, what has completed makes room in {@link Outbound}.
 *
 * <p><b>The lock</b> is held for a few calls into the device at most. Who publishes waits for it; who only looks does not,
 * for then another thread is just looking. Before sleeping that would not do: {@link #arm} takes the lock, so that it sees
 * whatever completed before the queue was armed.
 *
 * <p><b>The end.</b> A queue pair in error completes every request that was posted, in order, so after the last receive has
 * come back all data has been seen, and only then is the peer reported gone. After {@link #free} the connection
 * manager's thread delivers what is left, disconnects and gives everything back.
 */
final class RdmaLink implements Link, CmHandler {
    private static final Log LOG = Log.of(RdmaLink.class);

    private static final long ARRIVAL_NANOS = 1_000_000_000L;
    private static final long ARRIVAL_SPIN_NANOS = 100_000L;

    private static final long LONGEST_CHECK_NANOS = 10_000_000_000L;

    private static final int NOT_ARMED = 0;
    private static final int ARMED_FOR_DATA = 1;
    private static final int ARMED_FOR_ALL = 2;

    private final CmService service;
    private final Endpoint endpoint;
    private final RdmaConfig config;
    private final CompletionQueue queue;
    private final WorkCompletions batch;
    private final MemoryRegion sendRing;
    private final MemoryRegion receiveRing;
    private final ControlCell peerCell;
    private final Outbound out;
    private final Inbound in = new Inbound();
    /** Where the peer's words are; null if they come as immediate data. */
    private final ReceivedWords words;

    private final ReentrantLock lock = new ReentrantLock();
    /** Up to where the mirror may be overwritten. Written under the lock. */
    private volatile long released;
    /** Up to where the device is done with what was published. Written under the lock. */
    private volatile long sent;
    /** Set once, under the lock. */
    private volatile boolean gone;
    /** Whether the service looks after it; see {@link CmService#attend}. */
    private final AtomicBoolean attended = new AtomicBoolean();

    // Under the lock.
    private final int depth;
    private int toRepost;
    private long receivesTotal;
    private int armed = NOT_ARMED;
    private boolean disconnected;
    /** Whether the connection manager is yet to be told of that; see {@link #part}. */
    private boolean partingDue;
    /** What has become of the device and is yet to be logged; null for nothing. */
    private String unsaid;

    private boolean broken;
    private boolean detached;
    /** To be told that it is broken; null if nobody is, or has been. */
    private Runnable whenBroken;
    /** Completions seen, to tell progress by. */
    private long completions;

    private long completionsAtLastCheck;
    /** When a completion was last seen to have come. */
    private long activeAt = System.nanoTime();
    /** Whether the peer was asked for a sign of life, and when. */
    private boolean asked;

    private long askedAt;

    private final LinkEnd end;
    /** Whether the memory was given back. Only the service's thread. */
    private boolean freed;

    private final InetAddress address;
    private final int port;
    private final long nonce;

    RdmaLink(CmService service, Endpoint endpoint, Offer peer, int ringSize, RdmaConfig config) {
        this.service = service;
        this.endpoint = endpoint;
        this.config = config;
        this.queue = endpoint.queue();
        this.batch = new WorkCompletions(config.rxBatch());
        this.sendRing = RingMemory.ring(endpoint.memory().outbound(), ringSize);
        this.receiveRing = RingMemory.ring(endpoint.memory().inbound(), ringSize);
        this.peerCell = new ControlCell(endpoint.memory().inbound(), peer.receives());
        this.out = new Outbound(endpoint, peer, ringSize, config);
        this.depth = endpoint.depth();
        this.words = endpoint.words();
        this.receivesTotal = depth;
        this.end = new LinkEnd(config.lingerNanos());
        this.address = endpoint.id().localAddress().getAddress();
        this.port = endpoint.id().localAddress().getPort();
        this.nonce = peer.nonce();
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
            flushAndPoll();
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
            if (broken || disconnected || detached) {
                return false;
            }
            var region = endpoint.program(memory);
            if (region == null || !out.publishInPlace(to, region.address() + offset, region.lkey(), owner, done)) {
                return false;
            }
            flushAndPoll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long sent() {
        look();
        return sent;
    }

    @Override
    public void signal(int state) {
        lock.lock();
        try {
            out.signal(state);
            flushAndPoll();
        } finally {
            lock.unlock();
        }
        if ((state & (URGENT_INLINE | SWITCHED)) != 0) {
            awaitArrival();
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

    /**
     * An option that changes what becomes of the peer's next byte should be with the peer when it is set, and so should word of
     * a switch before the peer hears of it by another way; so this waits until the peer's device has acknowledged it, which
     * takes a round trip, unless the peer is all but dead.
     */
    private void awaitArrival() {
        long start = System.nanoTime();
        while (!gone && !haveStatesArrived()) {
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
            poll();
            return broken || disconnected || detached || out.haveStatesArrived();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void takeIn() {
        lock.lock();
        try {
            poll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasArrived() {
        lock.lock();
        try {
            poll();
            return out.haveStatesArrived();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isReached() {
        lock.lock();
        try {
            poll();
            boolean isReached = out.hasNothingOutstanding();
            if (!isReached && !broken && !disconnected && !detached) {
                out.ping(); // its answer stands for what is not signaled
            }
            return isReached;
        } catch (VerbsException e) {
            fail(e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void consumed(long cursor) {
        lock.lock();
        try {
            if ((in.states() & (CLOSED | RST)) == 0) { // else nobody waits for it any more
                out.consumed(cursor);
                flushAndPoll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long released() {
        look();
        return released;
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
        return in.published();
    }

    @Override
    public int peerState() {
        return in.states();
    }

    @Override
    public void arm(int what) {
        lock.lock();
        try {
            if (!detached) {
                requestNotify((what & SPACE) != 0 || out.isStalled() ? ARMED_FOR_ALL : ARMED_FOR_DATA);
                poll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void whenBroken(Runnable told) {
        lock.lock();
        try {
            whenBroken = told;
            if (broken) {
                tellBroken();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void breakNow() {
        lock.lock();
        try {
            if (!broken && !disconnected && !detached) {
                failQueuePair();
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
    public long nonce() {
        return nonce;
    }

    @Override
    public SelectableChannel doorbell() {
        return endpoint.doorbell();
    }

    @Override
    public boolean drainDoorbell() {
        lock.lock();
        try {
            boolean rung = false;
            if (!detached) {
                while (endpoint.channel().nextEvent() != null) {
                    rung = true;
                    armed = NOT_ARMED;
                }
                queue.acknowledgeEvents();
                poll();
            }
            return rung;
        } catch (VerbsException e) {
            fail(e);
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean peerGone() {
        return gone;
    }

    @Override
    public long publishes() {
        return out.messages();
    }

    @Override
    public void free() {
        Endpoint.close(endpoint.doorbell(), "doorbell");
        end.begin(System.nanoTime());
        service.attend(this);
    }

    // ---- the service's side

    @Override
    public void on(CmEvent event) {
        lock.lock();
        try {
            switch (event.type()) {
                case DISCONNECTED -> {
                    end.disconnected();
                    disconnect();
                    service.attend(this);
                }
                case DEVICE_REMOVAL -> losesDevice("is being removed");
                default -> LOG.get().log(Level.DEBUG, "connection manager: {0}", event);
            }
            poll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Goes on with what the program does not wait for.
     *
     * @return in how many nanoseconds to call again; 0 if there is no need, negative if the link is no more
     */
    long attend(long now) {
        if (freed) {
            return -1; // asked for by the very call that was the last
        }
        boolean wasDetached = detached; // which only this thread makes it
        part();
        long pause = advance(now);
        part();
        if (detached && !wasDetached) {
            // Nobody uses it any more, and a device that is being removed may take its time.
            endpoint.close();
            releaseInPlace();
        }
        if (pause < 0) {
            freed = true;
            endpoint.memory().free();
        }
        return pause;
    }

    /** The device says that it has failed. Only the service's thread. */
    void deviceFailed() {
        lock.lock();
        try {
            if (!detached) {
                losesDevice("has failed");
                poll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whoever takes the connection on waits for the last receive, so the queue pair is first; and nobody waits for a line of the log. */
    private void losesDevice(String how) {
        end.removed(System.nanoTime());
        unsaid = how;
        failQueuePair();
        addBroken();
        service.attend(this);
    }

    /** As with a device that is lost the queue pair is first. */
    private void breakDown() {
        broken = true;
        failQueuePair();
        addBroken();
    }

    /** Breaks the link, of which something other than itself has said that it will carry nothing more. */
    void fail(String why) {
        lock.lock();
        try {
            if (broken || disconnected || detached) {
                return;
            }
            breakDown();
            poll();
        } finally {
            lock.unlock();
        }
        LOG.get().log(Level.INFO, "connection {0} is broken: {1}", endpoint.id(), why);
    }

    /** Whether the peer's device has not acknowledged all that was sent, as far as is known. */
    boolean isWaiting() {
        lock.lock();
        try {
            poll();
            return !broken && !disconnected && !detached && !out.hasNothingOutstanding();
        } finally {
            lock.unlock();
        }
    }

    /** Tells the peer by the connection manager that it is over, if that is due: outside the lock, for it may take its time. */
    private void part() {
        boolean isDue;
        String how;
        lock.lock();
        try {
            isDue = partingDue && !detached;
            partingDue = false;
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
            if (!detached) {
                failQueuePair();
            }
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
            long before = completions;
            poll();
            switch (end.next(now, completions != before, out.isIdle() || gone || broken || detached)) {
                case NOTHING -> {
                    boolean waits = disconnected || (out.isStalled() && !broken);
                    return waits && !gone && !detached ? end.pause() : 0;
                }
                case WAIT -> {
                    return end.pause();
                }
                case DISCONNECT -> {
                    disconnect();
                    return end.pause();
                }
                case DETACH -> {
                    detach();
                    return end.pause();
                }
                default -> {
                    detach();
                    return -1;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks a peer for a sign of life that was silent for long, or from which completions are due, and gives up on it when there
     * is none for as long as a device may take. To be called every now and then.
     */
    void checkPeer(long now) {
        lock.lock();
        try {
            poll();
            if (broken || disconnected || detached) {
                return;
            }
            if (completions != completionsAtLastCheck) {
                completionsAtLastCheck = completions;
                activeAt = now;
                asked = false;
            } else if (asked) {
                giveUpAfter(now - askedAt);
            } else if (!out.hasNothingOutstanding() || isKeepaliveDue(now)) {
                // The answer to a ping also stands for requests before it that are not signaled.
                out.ping();
                asked = true;
                askedAt = now;
            }
        } catch (VerbsException e) {
            fail(e);
        } finally {
            lock.unlock();
        }
    }

    private boolean isKeepaliveDue(long now) {
        return config.keepaliveNanos() > 0 && now - activeAt >= config.keepaliveNanos();
    }

    private void giveUpAfter(long silence) {
        if (silence > config.givingUpNanos()) {
            breakDown();
            LOG.get()
                    .log(
                            Level.INFO,
                            "connection {0} is broken: no sign of life from the peer for {1} ms",
                            endpoint.id(),
                            silence / 1_000_000);
        }
    }

    /** How often {@link #checkPeer} is to be called. */
    long checkIntervalNanos() {
        long keepalive = config.keepaliveNanos();
        return keepalive > 0 ? Math.min(keepalive, LONGEST_CHECK_NANOS) : LONGEST_CHECK_NANOS;
    }

    /** For the end of the process: posts what it can. Returns whether all that was published has arrived. */
    boolean finish() {
        lock.lock();
        try {
            poll();
            if (broken || disconnected || detached || gone || out.isIdle()) {
                return true;
            }
            if (!out.isStalled()) {
                out.ping(); // its completion stands for the unsignaled requests before it
            }
            return false;
        } catch (VerbsException e) {
            fail(e);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether anything has come from the peer, while nothing was sent to it. */
    boolean hasHeard() {
        lock.lock();
        try {
            poll();
            return completions > 0;
        } finally {
            lock.unlock();
        }
    }

    /** The queue pair can send: what the program has wanted to say before, such as that it has closed, goes out. */
    void connected() {
        lock.lock();
        try {
            out.open();
            flushAndPoll();
        } finally {
            lock.unlock();
        }
    }

    /** It never came to be. */
    void failNow() {
        lock.lock();
        try {
            broken = true;
            end.disconnected();
            if (!detached) {
                failQueuePair();
            }
        } finally {
            lock.unlock();
        }
    }

    AtomicBoolean attended() {
        return attended;
    }

    /** The address of this end. */
    InetAddress localAddress() {
        return address;
    }

    /** The port number that it occupies on the device. */
    int port() {
        return port;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    // ---- under the lock

    private void flushAndPoll() {
        if (detached) {
            return;
        }
        try {
            if (!broken) {
                out.flush();
            }
        } catch (VerbsException e) {
            fail(e);
        }
        poll();
        if (out.isStalled() && !broken) {
            service.attend(this);
        }
    }

    private void look() {
        if (!gone && lock.tryLock()) {
            try {
                poll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Takes what has completed, gives receives back, and posts what waited for it. */
    private void poll() {
        if (detached || gone) {
            return;
        }
        try {
            int count;
            do {
                count = queue.pollInto(batch);
                for (int i = 0; i < count; i++) {
                    dispatch(i);
                }
                completions += count;
            } while (count == batch.capacity());
            if (broken || disconnected) {
                if (toRepost == depth) {
                    addBroken(); // unless the peer has said why
                    gone = true; // the last receive has come back: nothing more will
                }
                return;
            }
            repost();
            readPeerCell();
            if (out.isStalled()) {
                out.flush();
            }
        } catch (VerbsException e) {
            fail(e);
        }
        updateReleased();
    }

    private void dispatch(int i) {
        long id = batch.workRequestId(i);
        int status = batch.status(i);
        if (id == Endpoint.RECEIVE) {
            toRepost++;
        }
        if (status != WcStatus.SUCCESS) {
            failed(status, id);
        } else if (id != Endpoint.RECEIVE) {
            out.complete(id);
        } else {
            String wrong = received(i);
            if (wrong != null) {
                LOG.get().log(Level.WARNING, "the peer of {0} sent {1}: the connection is reset", endpoint.id(), wrong);
                tellBroken();
            }
        }
    }

    /** Takes the word of a completed receive. Returns what is wrong with it, or null. */
    private String received(int i) {
        int opcode = batch.opcode(i);
        if (words != null) {
            int word = words.take();
            return opcode == WcOpcode.RECV && batch.byteLength(i) == Integer.BYTES
                    ? in.take(word)
                    : in.nonsense("a message that is no word");
        }
        return opcode == WcOpcode.RECV_RDMA_WITH_IMM && (batch.flags(i) & WcFlags.WITH_IMM) != 0
                ? in.take(batch.immediate(i))
                : in.nonsense("a message that is no write");
    }

    private void repost() throws VerbsException {
        if (toRepost >= Math.min(config.rxBatch(), depth / 8)) {
            endpoint.postReceives(toRepost);
            receivesTotal += toRepost;
            toRepost = 0;
            if (receivesTotal - out.receivesTold() >= depth / 4 && (in.states() & (CLOSED | RST)) == 0) {
                out.receivesPosted(receivesTotal);
            }
        }
    }

    private void readPeerCell() {
        long before = peerCell.consumed();
        if (!peerCell.read()) {
            return;
        }
        long consumed = peerCell.consumed();
        if (consumed < before || consumed > out.published() || !out.grant(peerCell.posted())) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "the peer of {0} says that it has read up to {1} of {2} bytes and posted {3} receives, which cannot be:"
                                    + " the connection is reset",
                            endpoint.id(),
                            consumed,
                            out.published(),
                            peerCell.posted());
            String unused = in.nonsense("credits");
            in.addStates(RST);
            tellBroken();
        }
    }

    private void updateReleased() {
        // An acknowledgement by the peer never stands for a local completion: the device may yet send that range again.
        long completed = out.completed();
        if (completed > sent) {
            sent = completed;
        }
        long now = Math.min(peerCell.consumed(), completed);
        if (now > released) {
            released = now;
        }
    }

    private void failed(int status, long id) {
        if (!broken && !disconnected) {
            broken = true;
            addBroken();
            LOG.get()
                    .log(
                            status == WcStatus.WR_FLUSH_ERR ? Level.DEBUG : Level.INFO,
                            "connection {0} is broken: {1} ({2})",
                            endpoint.id(),
                            text(status),
                            id == Endpoint.RECEIVE ? "receiving" : "sending");
        }
    }

    private void fail(VerbsException e) {
        if (!broken) {
            breakDown();
            LOG.get().log(Level.WARNING, "connection " + endpoint.id() + " is broken", e);
        }
    }

    /**
     * A peer that has closed, or given the link back, waits for nothing, and what fails then are our own credits. Any other is
     * told by the connection manager that the link is over, as far as the manager reaches it, and so need not find out by its
     * own means.
     */
    private void addBroken() {
        if ((in.states() & (RST | CLOSED | RETIRED | BROKEN)) == 0) {
            in.addStates(BROKEN);
            tellBroken();
            disconnect();
            service.attend(this);
        }
    }

    private void tellBroken() {
        Runnable told = whenBroken;
        whenBroken = null;
        if (told != null) {
            told.run();
        }
    }

    private void disconnect() {
        if (!disconnected && !detached) {
            disconnected = true;
            partingDue = true;
        }
    }

    private void failQueuePair() {
        try {
            endpoint.queuePair().fail();
        } catch (VerbsException e) {
            LOG.get().log(Level.DEBUG, "ending a queue pair failed", e);
            gone = true;
        }
    }

    private void detach() {
        if (!detached) {
            poll();
            detached = true;
            gone = true;
            service.forget(this);
        }
    }

    private void requestNotify(int wanted) {
        if (wanted > armed && !gone) {
            try {
                queue.requestNotify(wanted == ARMED_FOR_DATA);
                armed = wanted;
            } catch (VerbsException e) {
                fail(e);
            }
        }
    }

    private static String text(int status) {
        try {
            return Verbs.statusText(status);
        } catch (VerbsUnavailableException e) {
            return "status " + status;
        }
    }
}
