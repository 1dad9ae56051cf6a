// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static io.accel.core.fabric.shm.ShmLayout.INT;
import static io.accel.core.fabric.shm.ShmLayout.LONG;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.LinkShare;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.jdk.MemoryFaults;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection whose rings lie in memory that both processes map. The mirror <em>is</em> the peer's ring, so publishing is
 * a release store of the producer cursor.
 *
 * <p><b>Sleep and wake</b> is a Dekker handshake over the sleepers word. The sleeper sets its bit, a full fence follows
 * (the atomic or), and it looks at the cursors once more; the peer stores its cursor, a full fence follows, and it
 * looks at the sleepers word. The thread that takes the word from non-zero to zero rings, so one arming costs at most
 * one system call.
 */
final class ShmLink implements Link {
    private static final Log LOG = Log.of(ShmLink.class);
    private static final ByteBuffer RING_BYTE = ByteBuffer.allocateDirect(1);
    /**
     * The buffer that all links read rings into at the same time: nobody looks at the bytes. It is direct, since each
     * read into a heap buffer takes a copy.
     */
    private static final ByteBuffer RINGS_READ = ByteBuffer.allocateDirect(64);

    /** The smallest page that there is. */
    private static final int PAGE = 4096;

    private final MappedByteBuffer map;
    private final SocketChannel doorbell;
    private final MemoryRegion sendRing;
    private final MemoryRegion receiveRing;
    /** Offset of the control block that this side's sender writes. */
    private final int out;
    /** Offset of the control block that the peer's sender writes. */
    private final int in;

    /** Guarded by itself. */
    private final ByteBuffer drained = RINGS_READ.duplicate();
    /** How often the peer was asked to ring. An arming is counted before the peer can see it. */
    private final AtomicLong armings = new AtomicLong();
    /** How often the peer rang. Guarded by {@link #drained}. */
    private long rung;

    // Each of these is a method that the compiler compiles on its own.
    private final OutOfLine.Call ringing = new Ringing();
    private final OutOfLine.Call reading = new Reading();

    private final AtomicLong rings = new AtomicLong();
    /** Written so that no compiler leaves the reads out. */
    @SuppressWarnings("unused")
    private volatile int touched;
    /** Set once, by the thread that finds the doorbell's other end closed. */
    private volatile boolean gone;

    /**
     * Makes a link over a mapped and checked file. Its memory and its descriptor were {@linkplain MemoryCap#take
     * taken} before; the link gives them back.
     *
     * @param map the whole file
     * @param ringSize the size of either ring
     * @param client whether this side is the client
     * @param doorbell the Unix-domain connection to the peer, which the link owns from now on
     */
    ShmLink(MappedByteBuffer map, int ringSize, boolean client, SocketChannel doorbell) throws IOException {
        this.map = map;
        this.doorbell = doorbell;
        MemoryRegion toServer = new MemoryRegion(map.slice(ShmLayout.RINGS, ringSize));
        MemoryRegion toClient = new MemoryRegion(map.slice(ShmLayout.RINGS + ringSize, ringSize));
        this.sendRing = client ? toServer : toClient;
        this.receiveRing = client ? toClient : toServer;
        this.out = client ? ShmLayout.CLIENT_BLOCK : ShmLayout.SERVER_BLOCK;
        this.in = client ? ShmLayout.SERVER_BLOCK : ShmLayout.CLIENT_BLOCK;
        doorbell.configureBlocking(false);
        MemoryUse.rings(PathName.SHM, map.capacity());
    }

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
        // Release: pairs with the acquire in published() of the peer.
        LONG.setRelease((ByteBuffer) map, out + ShmLayout.PRODUCER, to);
        VarHandle.fullFence();
        wakePeer(DATA);
    }

    @Override
    public void signal(int state) {
        int unused = (int) INT.getAndBitwiseOr((ByteBuffer) map, out + ShmLayout.STATE, state);
        VarHandle.fullFence();
        wakePeer(DATA | SPACE);
    }

    @Override
    public void forget(int state) {
        int unused = (int) INT.getAndBitwiseAnd((ByteBuffer) map, in + ShmLayout.STATE, ~state);
    }

    @Override
    public void decide(int states) {
        int unused = (int) INT.getAndBitwiseOr((ByteBuffer) map, in + ShmLayout.STATE, states);
    }

    @Override
    public long released() {
        return (long) LONG.getAcquire((ByteBuffer) map, out + ShmLayout.CONSUMER);
    }

    @Override
    public long published() {
        return (long) LONG.getAcquire((ByteBuffer) map, in + ShmLayout.PRODUCER);
    }

    @Override
    public long publishedHere() {
        return (long) LONG.getAcquire((ByteBuffer) map, out + ShmLayout.PRODUCER);
    }

    @Override
    public int peerState() {
        return (int) INT.getAcquire((ByteBuffer) map, in + ShmLayout.STATE) & SAID;
    }

    @Override
    public void consumed(long cursor) {
        // Release: the reader's copies come before it; pairs with the acquire in released() of the peer.
        LONG.setRelease((ByteBuffer) map, in + ShmLayout.CONSUMER, cursor);
        VarHandle.fullFence();
        wakePeer(SPACE);
    }

    @Override
    public void noteRead(long cursor) {
        LONG.setOpaque((ByteBuffer) map, in + ShmLayout.READ, cursor);
    }

    /** What a dead process had written to shared memory is all there: its descriptors are closed after its last instruction. */
    @Override
    public boolean hasDiedWithBytesUnread() {
        return (gone || hasDoorbellEnded())
                && (peerState() & (RST | CLOSED)) == 0
                && (long) LONG.getAcquire((ByteBuffer) map, out + ShmLayout.READ) != publishedHere();
    }

    private boolean hasDoorbellEnded() {
        try {
            return JdkAccess.hasEnded(doorbell);
        } catch (IOException e) {
            return true; // it is closed here
        }
    }

    @Override
    public void arm(int what) {
        armings.incrementAndGet();
        // This side's sleepers lie in the block of the direction that it receives; the atomic or is a full fence.
        int unused = (int) INT.getAndBitwiseOr((ByteBuffer) map, in + ShmLayout.SLEEPERS, what);
        VarHandle.fullFence();
    }

    @Override
    public SelectableChannel doorbell() {
        return doorbell;
    }

    /**
     * Reads once, so that a peer which goes on ringing keeps no thread here: a ring that is left makes the descriptor
     * readable again. A peer rings at most once for each arming; a peer that rings more often is not Accel, and its
     * connection is reset.
     */
    @Override
    public boolean drainDoorbell() {
        synchronized (drained) {
            if (gone) {
                return false;
            }
            drained.clear();
            int n;
            try {
                n = OutOfLine.call(reading, 0);
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "doorbell of a shared-memory connection failed, the peer counts as gone", e);
                n = -1;
            }
            if (n < 0) {
                gone = true;
                return true;
            }
            rung += n;
            if (rung > armings.get()) {
                LOG.get()
                        .log(
                                Level.WARNING,
                                "accel: the peer of a shared-memory connection rang its doorbell {0} times where it was asked {1} times;"
                                        + " the connection is reset",
                                rung,
                                armings.get());
                int unused = (int) INT.getAndBitwiseOr((ByteBuffer) map, in + ShmLayout.STATE, RST);
                gone = true;
                return true;
            }
            return n > 0;
        }
    }

    @Override
    public boolean peerGone() {
        return gone;
    }

    @Override
    public boolean findPeerGone() {
        return gone || hasDoorbellEnded();
    }

    @Override
    public long rings() {
        return rings.get();
    }

    @Override
    public boolean isIntact() {
        try {
            MemoryFaults.absorb(); // of other memory
            int sum = 0;
            for (int at = 0; at < map.capacity(); at += PAGE) {
                sum += map.get(at);
            }
            touched = sum;
            MemoryFaults.surface();
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    @Override
    public void hangUp() {
        try {
            doorbell.shutdownOutput();
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the peer of a shared-memory connection has hung up before", e);
        }
    }

    @Override
    public void free() {
        try {
            doorbell.close();
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "closing a doorbell failed", e);
        } finally { // the memory goes in any case, and what it counts as
            MemoryUse.rings(PathName.SHM, -map.capacity());
            MemoryCap.giveBack(map.capacity());
            LinkShare.giveBack();
            JdkAccess.unmap(map);
        }
    }

    private void wakePeer(int what) {
        if (((int) INT.getOpaque((ByteBuffer) map, out + ShmLayout.SLEEPERS) & what) != 0) {
            ring();
        }
    }

    private void ring() {
        try {
            int unused = OutOfLine.call(ringing, 0);
        } catch (IOException e) {
            // The peer is gone; our side of the doorbell reports that, too, and the reader drains the ring first.
            LOG.get().log(Level.DEBUG, "ringing a doorbell failed, the peer is gone", e);
        }
    }

    /** Rings, unless another thread of this process was faster. */
    private final class Ringing implements OutOfLine.Call {
        @Override
        public int call(long unused) throws IOException {
            int asked = (int) INT.getAndSet((ByteBuffer) map, out + ShmLayout.SLEEPERS, 0);
            if (asked == 0) {
                return 0;
            }
            rings.incrementAndGet(); // beside a system call this costs nothing
            boolean isRung = false;
            try {
                // 0 written: the socket is full of rings that the peer has not taken, so it has cause to wake already.
                int n = doorbell.write(RING_BYTE.duplicate());
                isRung = true;
                return n;
            } finally {
                if (!isRung) { // for want of memory, for example: the next word rings
                    askedAgain(asked);
                }
            }
        }

        private void askedAgain(int asked) {
            int unused = (int) INT.getAndBitwiseOr((ByteBuffer) map, out + ShmLayout.SLEEPERS, asked);
        }
    }

    /** Reads the doorbell. */
    private final class Reading implements OutOfLine.Call {
        @Override
        public int call(long unused) throws IOException {
            return doorbell.read(drained);
        }
    }
}
