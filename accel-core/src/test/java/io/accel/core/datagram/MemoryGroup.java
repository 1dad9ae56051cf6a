// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.Publication;
import io.accel.core.fabric.Subscription;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;

/** A publication and its one subscription, in the memory of one thread. What the publisher wrote can be changed. */
final class MemoryGroup implements Publication, Subscription {
    static final int SIZE = 1 << 18;

    final ByteBuffer memory = ByteBuffer.allocateDirect(SIZE);
    long intended;
    long published;
    long latest;
    private final MemoryRegion ring = new MemoryRegion(memory);

    @Override
    public MemoryRegion ring() {
        return ring;
    }

    @Override
    public MemoryRegion receiveRing() {
        return ring;
    }

    @Override
    public void intend(long to) {
        intended = to;
    }

    @Override
    public void publish(long from, long to) {
        latest = from;
        published = to;
    }

    @Override
    public void settle() {}

    @Override
    public int members() {
        return 1;
    }

    @Override
    public GroupFlow flow() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        return new GroupFlow(any, 1, any, true);
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public long intended() {
        return intended;
    }

    @Override
    public long settled() {
        return published;
    }

    @Override
    public long latest() {
        return latest;
    }

    @Override
    public long published() {
        return published;
    }

    @Override
    public void arm(int what) {}

    @Override
    public SelectableChannel doorbell() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean drainDoorbell() {
        return false;
    }

    @Override
    public boolean peerGone() {
        return false;
    }

    @Override
    public long rings() {
        return 0;
    }

    @Override
    public void free() {}
}
