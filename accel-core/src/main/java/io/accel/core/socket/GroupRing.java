// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.Publication;
import io.accel.core.fabric.Subscription;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a publisher on another host has sent to a group: a ring in the heap of this process, which the thread that hears the network
 * writes, and the member sockets of this process read. As a {@link Publication}, whose publisher is that thread.
 */
final class GroupRing implements Publication {
    private static final Log LOG = Log.of(GroupRing.class);
    private static final ByteBuffer RING_BYTE = ByteBuffer.allocateDirect(1);
    private static final int MOST_READ = 64;

    private static final VarHandle INTENDED;
    private static final VarHandle PUBLISHED;
    private static final VarHandle LATEST;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            INTENDED = handle(lookup, "intended");
            PUBLISHED = handle(lookup, "published");
            LATEST = handle(lookup, "latest");
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String name;
    private final GroupFlow flow;
    private final MemoryRegion ring;
    /** Replaced as a whole, under the monitor; read by the publisher without it. */
    private volatile End[] ends = {};

    // The publisher writes these, through the handles, as everybody reads them.

    @SuppressWarnings("unused")
    private long intended;

    @SuppressWarnings("unused")
    private long published;

    @SuppressWarnings("unused")
    private long latest;

    /** Whether nothing follows. Set by the publisher. */
    private volatile boolean over;

    GroupRing(String name, GroupFlow flow, int size) {
        this.name = name;
        this.flow = flow;
        this.ring = new MemoryRegion(ByteBuffer.allocate(size));
    }

    private static VarHandle handle(MethodHandles.Lookup lookup, String name) throws ReflectiveOperationException {
        return lookup.findVarHandle(GroupRing.class, name, long.class).withInvokeExactBehavior();
    }

    GroupFlow flow() {
        return flow;
    }

    /** Adds a reader. Any thread. */
    Subscription subscribe() throws IOException {
        End end = new End(JdkAccess.kernelProvider().openPipe());
        add(end);
        if (over) {
            end.ring();
        }
        return end;
    }

    private synchronized void add(End end) {
        End[] more = Arrays.copyOf(ends, ends.length + 1);
        more[ends.length] = end;
        ends = more;
    }

    private synchronized void remove(End end) {
        List<End> fewer = new ArrayList<>(List.of(ends));
        fewer.remove(end);
        ends = fewer.toArray(End[]::new);
    }

    @Override
    public MemoryRegion ring() {
        return ring;
    }

    @Override
    public void intend(long to) {
        INTENDED.setOpaque(this, to);
        // Before any byte: pairs with the acquire fence of a reader, which looks at the bytes first.
        VarHandle.releaseFence();
    }

    @Override
    public void publish(long from, long to) {
        LATEST.setOpaque(this, from);
        // Release: pairs with the acquire in published() of each reader.
        PUBLISHED.setRelease(this, to);
        VarHandle.fullFence();
        for (End end : ends) {
            if (end.asleep) {
                end.asleep = false;
                end.ring();
            }
        }
    }

    @Override
    public void settle() {}

    @Override
    public int members() {
        return ends.length;
    }

    @Override
    public long rings() {
        return 0;
    }

    @Override
    public void free() {
        over = true;
        for (End end : ends) {
            end.ring();
        }
    }

    private static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "closing a reader's doorbell failed", e);
        }
    }

    /**
     * A reader's end. <b>Sleep and wake</b> is a Dekker handshake: the reader says that it sleeps, a full fence follows, and it looks once
     * more; the publisher stores its cursor, a full fence follows, and it looks whether the reader sleeps.
     */
    final class End implements Subscription {
        private final Pipe doorbell;
        /** Guarded by itself. */
        private final ByteBuffer drained = ByteBuffer.allocateDirect(MOST_READ);
        /** Whether the reader has been told that nothing follows. Guarded by {@link #drained}. */
        private boolean told;
        /** Set by the reader, cleared by the publisher. */
        private volatile boolean asleep;

        private End(Pipe doorbell) throws IOException {
            this.doorbell = doorbell;
            doorbell.source().configureBlocking(false);
            doorbell.sink().configureBlocking(false);
        }

        private void ring() {
            try {
                // 0 written: the pipe is full of rings that the reader has not taken.
                int unused = doorbell.sink().write(RING_BYTE.duplicate());
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "a reader's doorbell is closed, the reader is gone", e);
            }
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
            return (long) PUBLISHED.getAcquire(GroupRing.this);
        }

        @Override
        public long intended() {
            // After the caller's loads: pairs with the release fence in intend() of the publisher.
            VarHandle.acquireFence();
            return (long) INTENDED.getOpaque(GroupRing.this);
        }

        @Override
        public long settled() {
            return published();
        }

        @Override
        public long latest() {
            return (long) LATEST.getOpaque(GroupRing.this);
        }

        @Override
        public void arm(int what) {
            asleep = true;
            VarHandle.fullFence();
        }

        @Override
        public SelectableChannel doorbell() {
            return doorbell.source();
        }

        @Override
        public boolean drainDoorbell() {
            synchronized (drained) {
                boolean news = over && !told;
                told |= news;
                try {
                    return doorbell.source().read(drained.clear()) > 0 || news;
                } catch (IOException e) {
                    LOG.get().log(Level.DEBUG, "a reader's doorbell failed", e);
                    return news;
                }
            }
        }

        @Override
        public boolean peerGone() {
            return over;
        }

        @Override
        public void free() {
            remove(this);
            close(doorbell.source());
            close(doorbell.sink());
        }

        @Override
        public long rings() {
            return 0;
        }
    }
}
