// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static io.accel.core.fabric.shm.ShmLayout.INT;
import static io.accel.core.fabric.shm.ShmLayout.LONG;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.LinkShare;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.Subscription;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A member's end of a {@link ShmPublication}. It may be read at once. Its doorbell works from the publisher's welcome on, which brings the
 * member's number; the welcome itself wakes whoever waits.
 */
final class ShmSubscription implements Subscription {
    private static final Log LOG = Log.of(ShmSubscription.class);
    private static final int MOST_READ = 64;
    private static final int UNKNOWN = -1;
    private static final int MOST_PORT = 65_535;

    private final String name;
    private final MappedByteBuffer map;
    private final SocketChannel doorbell;
    private final GroupFlow flow;
    private final MemoryRegion ring;

    /** Guarded by itself. */
    private final ByteBuffer drained = ByteBuffer.allocateDirect(MOST_READ).order(ByteOrder.nativeOrder());
    /** How often the publisher was asked to ring. An arming is counted before the publisher can see it. */
    private final AtomicLong armings = new AtomicLong();
    /** How often it rang. Guarded by {@link #drained}. */
    private long rung;
    /** Whether the welcome was read. Guarded by {@link #drained}. */
    private boolean welcomed;
    /** This member's number among the publication's, {@link #UNKNOWN} before the welcome. Written once, under {@link #drained}. */
    private volatile int number = UNKNOWN;
    /** Set once, by the thread that finds the doorbell's other end closed. */
    private volatile boolean gone;

    /**
     * Takes a mapped file and a connection to its publisher, which it owns from now on unless this throws.
     *
     * @param group the group that it must be for
     * @throws FallbackException if the file is not such a publication's
     */
    ShmSubscription(String name, MappedByteBuffer map, SocketChannel doorbell, InetSocketAddress group)
            throws FallbackException {
        this.name = name;
        this.map = map;
        this.doorbell = doorbell;
        int ringSize = GroupLayout.ringSize(map);
        if (ringSize == 0) {
            throw new FallbackException(FallbackReason.BAD_HANDSHAKE, name + " has no publication's file");
        }
        this.flow = readFlow();
        if (!flow.group().equals(group) || flow.source().getPort() == 0) {
            throw new FallbackException(FallbackReason.BAD_HANDSHAKE, name + " claims to be from " + flow);
        }
        this.ring = new MemoryRegion(map.slice(GroupLayout.RING, ringSize));
    }

    private GroupFlow readFlow() throws FallbackException {
        byte[] address = new byte[Integer.BYTES];
        try {
            map.get(GroupLayout.GROUP_AT, address);
            InetAddress group = InetAddress.getByAddress(address);
            map.get(GroupLayout.SOURCE_AT, address);
            InetAddress source = InetAddress.getByAddress(address);
            return new GroupFlow(
                    new InetSocketAddress(group, port(GroupLayout.GROUP_PORT_AT)),
                    (int) INT.get((ByteBuffer) map, GroupLayout.INTERFACE_AT),
                    new InetSocketAddress(source, port(GroupLayout.SOURCE_PORT_AT)),
                    ((int) INT.get((ByteBuffer) map, GroupLayout.FLAGS_AT) & GroupLayout.KERNEL_TOO) != 0);
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    private int port(int at) throws FallbackException {
        int port = (int) INT.get((ByteBuffer) map, at);
        if (port < 0 || port > MOST_PORT) {
            throw new FallbackException(FallbackReason.BAD_HANDSHAKE, name + " claims port " + port);
        }
        return port;
    }

    @Override
    public GroupFlow flow() {
        return flow;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public MemoryRegion receiveRing() {
        return ring;
    }

    @Override
    public long published() {
        return (long) LONG.getAcquire((ByteBuffer) map, GroupLayout.PUBLISHED);
    }

    @Override
    public long intended() {
        // After the caller's loads: pairs with the release fence in intend() of the publisher.
        VarHandle.acquireFence();
        return (long) LONG.getOpaque((ByteBuffer) map, GroupLayout.INTENDED);
    }

    @Override
    public long settled() {
        long settled = (long) LONG.getAcquire((ByteBuffer) map, GroupLayout.SETTLED);
        long published = published();
        return intended() == settled ? published : -1;
    }

    @Override
    public long latest() {
        return (long) LONG.getOpaque((ByteBuffer) map, GroupLayout.LATEST);
    }

    // ---- waiting

    @Override
    public void arm(int what) {
        int own = number;
        if (own == UNKNOWN) {
            return; // the welcome rings
        }
        armings.incrementAndGet();
        long bit = 1L << own; // the shift takes the lowest six bits
        int word = GroupLayout.SLEEPERS + own / Long.SIZE * Long.BYTES;
        long unused = (long) LONG.getAndBitwiseOr((ByteBuffer) map, word, bit);
        VarHandle.fullFence();
    }

    @Override
    public SelectableChannel doorbell() {
        return doorbell;
    }

    @Override
    public boolean drainDoorbell() {
        synchronized (drained) {
            if (gone) {
                return false;
            }
            int n = read();
            if (n < 0 || rung > armings.get()) {
                gone = true;
                return true;
            }
            return n > 0;
        }
    }

    /** Reads once. Returns how many bytes there were, or -1 if the publisher is gone, or is not Accel's. */
    private int read() {
        try {
            drained.clear();
            if (!welcomed) {
                drained.limit(GroupLayout.WELCOME);
            }
            int n = doorbell.read(drained);
            if (n > 0 && !welcomed) {
                int own = drained.getInt(Integer.BYTES);
                if (n < GroupLayout.WELCOME
                        || drained.getInt(0) != (GroupLayout.WELCOME_MARK | GroupLayout.VERSION)
                        || own < 0
                        || own >= GroupLayout.MOST_MEMBERS) {
                    LOG.get().log(Level.WARNING, "accel: the publisher {0} does not speak as Accel does", name);
                    return -1;
                }
                welcomed = true;
                number = own;
            } else if (n > 0) {
                rung += n;
            }
            return n;
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "doorbell of a publication failed, the publisher counts as gone", e);
            return -1;
        }
    }

    @Override
    public boolean peerGone() {
        return gone;
    }

    @Override
    public void free() {
        try {
            doorbell.close();
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "closing a doorbell failed", e);
        }
        LinkShare.giveBack();
        JdkAccess.unmap(map);
    }
}
