// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.Access;
import io.accel.core.fabric.rdma.verbs.AddressHandle;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.CompletionChannel;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.GroupAddress;
import io.accel.core.fabric.rdma.verbs.MemoryRegion;
import io.accel.core.fabric.rdma.verbs.ProtectionDomain;
import io.accel.core.fabric.rdma.verbs.QueuePair;
import io.accel.core.fabric.rdma.verbs.QueuePairOptions;
import io.accel.core.fabric.rdma.verbs.QueuePairOptions.Service;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.MemoryUse;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * What a sender or a receiver of multicast groups has of a device: an identifier bound to an address, memory in slots, and a queue pair
 * for datagrams. The {@link GroupThread} opens and closes it, and nothing of it is used afterwards.
 */
final class GroupEndpoint {
    private final GroupThread thread;
    private final CmId id;
    private final int slotSize;
    private final Set<InetSocketAddress> groups = new HashSet<>();
    private ProtectionDomain domain;
    private CompletionChannel channel;
    private CompletionQueue queue;
    private ByteBuffer memory;
    private MemoryRegion region;
    private QueuePair pair;
    private AddressHandle destination;
    private int mtu;

    /**
     * Opens it, or nothing.
     *
     * @param on an address of the device
     * @param sends how many requests to send there may be at a time
     * @param receives the same for receiving; if there are any, the queue announces their completion
     * @param slotSize the bytes of a slot
     * @param handler gets the identifier's events
     */
    GroupEndpoint(GroupThread thread, Inet4Address on, int sends, int receives, int slotSize, CmHandler handler)
            throws IOException {
        this.thread = thread;
        this.slotSize = slotSize;
        this.id = thread.createId(handler);
        boolean done = false;
        try {
            open(on, sends, receives);
            done = true;
        } catch (OutOfMemoryError e) {
            throw Failures.toFallback(e);
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private void open(Inet4Address on, int sends, int receives) throws IOException {
        id.bind(new InetSocketAddress(on, 0));
        var context = id.context();
        thread.opened(context);
        try {
            mtu = context.port(id.port()).activeMtu();
            domain = context.allocateProtectionDomain();
            channel = receives > 0 ? context.createCompletionChannel() : null;
            queue = context.createCompletionQueue(sends + receives, channel);
            memory = ByteBuffer.allocateDirect((sends + receives) * slotSize).order(ByteOrder.BIG_ENDIAN);
            region = domain.register(memory, Access.LOCAL_WRITE);
            MemoryUse.registered(memory.capacity());
            pair = id.createQueuePair(
                    domain,
                    new QueuePairOptions(
                            queue, queue, Math.max(1, sends), Math.max(1, receives), 1, 0, Service.DATAGRAMS));
            pair.checkPosting();
        } catch (VerbsException e) {
            throw Failures.isUnsupported(e) ? Endpoint.unusable(context.device(), e) : e;
        }
    }

    /** Begins to join a group. The event has the bits of the group's address as its tag. */
    void join(Inet4Address group) throws VerbsException {
        InetSocketAddress address = new InetSocketAddress(group, 0);
        id.joinMulticast(address, tag(group));
        groups.add(address);
    }

    void leave(Inet4Address group) {
        InetSocketAddress address = new InetSocketAddress(group, 0);
        if (groups.remove(address)) {
            Endpoint.close(() -> id.leaveMulticast(address), "membership in " + group);
        }
    }

    /** Whether an event concerns this one. */
    boolean isOf(CmEvent event) {
        return event.id() == id;
    }

    static long tag(Inet4Address group) {
        return Integer.toUnsignedLong(GroupHeader.bits(group));
    }

    /** Makes the handle by which the queue pair sends to a group that was joined. Once. */
    AddressHandle sendTo(GroupAddress group, int hops) throws VerbsException {
        destination = domain.createAddressHandle(group, hops);
        return destination;
    }

    CompletionChannel channel() {
        return channel;
    }

    CompletionQueue queue() {
        return queue;
    }

    QueuePair pair() {
        return pair;
    }

    /** The slots, one after the other, big-endian. */
    ByteBuffer memory() {
        return memory;
    }

    /** The address of a slot for the device. */
    long slot(int index) {
        return region.address() + (long) index * slotSize;
    }

    int lkey() {
        return region.lkey();
    }

    /** The bytes of the longest datagram, with its header. */
    int mtu() {
        return mtu;
    }

    /** Gives everything back. On the {@link GroupThread}. */
    void close() {
        thread.forget(id);
        for (InetSocketAddress group : groups) {
            Endpoint.close(() -> id.leaveMulticast(group), "membership in " + group);
        }
        groups.clear();
        Endpoint.close(pair, "queue pair"); // before all that its requests name
        Endpoint.close(destination, "address handle");
        Endpoint.close(queue, "completion queue");
        Endpoint.close(channel, "completion channel");
        if (region != null) {
            Endpoint.close(region, "memory region");
            MemoryUse.registered(-memory.capacity());
        }
        Endpoint.close(domain, "protection domain");
        Endpoint.close(id, "identifier");
        thread.letGo();
        if (memory != null) {
            JdkAccess.unmap((MappedByteBuffer) memory);
            memory = null;
        }
    }
}
