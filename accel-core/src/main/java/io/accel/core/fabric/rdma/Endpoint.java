// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.Access;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.Device;
import io.accel.core.fabric.rdma.verbs.MemoryRegion;
import io.accel.core.fabric.rdma.verbs.ProtectionDomain;
import io.accel.core.fabric.rdma.verbs.QueuePair;
import io.accel.core.fabric.rdma.verbs.QueuePairOptions;
import io.accel.core.fabric.rdma.verbs.ReceiveRequests;
import io.accel.core.fabric.rdma.verbs.Verbs;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.MemoryUse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;

/**
 * All resources that a connection has of the device, from its protection domain to its queue pair, opened in one go
 * and closed in the order that the device asks for. Each connection has a domain of its own, so that no other
 * connection's key opens its memory; the completion queue it shares with others. One thread at a time.
 */
final class Endpoint {
    private static final Log LOG = Log.of(Endpoint.class);

    private final CmId id;
    private final RingMemory memory;
    private final int depth;

    private Context context;
    private int port;
    private ProtectionDomain domain;
    private Arrivals arrivals;
    private SharedQueues.Share share;
    private MemoryRegion inbound;
    private MemoryRegion outbound;
    private final ProgramMemory program = new ProgramMemory();
    private long registered;
    /** Whether the place in the completion queue was given back. */
    private boolean left;

    private QueuePair queuePair;
    private ReceiveRequests receives;
    private int nextReceive;
    private ReceivedWords words;

    private Endpoint(CmId id, RingMemory memory, int depth) {
        this.id = id;
        this.memory = memory;
        this.depth = depth;
    }

    /**
     * Opens a connection's part of the device that its identifier is bound to. The caller owns the identifier until
     * this returns; then the endpoint owns it.
     *
     * @param waiter stands for the thread that waits for the connection; null if it is not known
     * @throws FallbackException if the device, the system's limits, or the JVM's do not allow it; nothing is left
     * open then
     */
    static Endpoint open(CmId id, RdmaConfig config, int ringSize, Object waiter) throws FallbackException {
        RingMemory memory;
        try {
            memory = new RingMemory(ringSize);
        } catch (OutOfMemoryError e) {
            throw new FallbackException(
                    FallbackReason.NO_RESOURCES,
                    "no memory for rings of " + ringSize + " bytes (-XX:MaxDirectMemorySize): " + e.getMessage());
        }
        Endpoint endpoint = new Endpoint(id, memory, config.queueDepth(ringSize));
        try {
            endpoint.open(config, waiter);
            return endpoint;
        } catch (IOException | OutOfMemoryError e) {
            endpoint.close();
            memory.free();
            throw Failures.toFallback(e);
        } catch (RuntimeException | Error e) {
            endpoint.close();
            memory.free();
            throw e;
        }
    }

    private void open(RdmaConfig config, Object waiter) throws IOException {
        context = id.context();
        port = id.port();
        boolean bySend = notifiesBySend(context.device(), config);
        domain = context.allocateProtectionDomain();
        inbound = domain.register(memory.inbound(), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        outbound = domain.register(memory.outbound(), 0);
        registered = (long) memory.inbound().capacity() + memory.outbound().capacity();
        MemoryUse.registered(registered);
        words = bySend ? new ReceivedWords(domain, depth) : null;
        arrivals = new Arrivals(new Inbound(), words);
        share = SharedQueues.join(context, waiter, depth, config.rxBatch(), bySend, arrivals);
        try {
            queuePair = createQueuePair(config.inline());
            queuePair.checkPosting();
        } catch (VerbsException e) {
            throw Failures.isUnsupported(e) ? unusable(context.device(), e) : e;
        }
        receives = new ReceiveRequests(depth);
        if (bySend) {
            if (queuePair.maxInline() < Integer.BYTES) {
                throw new FallbackException(
                        FallbackReason.NO_DEVICE, context.device().name() + " takes no word of 4 bytes inline");
            }
            words.assign(receives, place().receiveId());
        } else {
            for (int i = 0; i < depth; i++) {
                receives.empty(i, place().receiveId());
            }
        }
        postReceives(depth);
    }

    /** iWARP has writes, and no immediate data with them. */
    private static boolean notifiesBySend(Device device, RdmaConfig config) throws FallbackException {
        checkTransport(device);
        return device.transport() == Device.Transport.IWARP || config.notifyBySend();
    }

    /** Refuses devices of other kinds, of which we know nothing. */
    static void checkTransport(Device device) throws FallbackException {
        if (device.transport() != Device.Transport.IB && device.transport() != Device.Transport.IWARP) {
            throw new FallbackException(
                    FallbackReason.NO_DEVICE,
                    device.name() + " is " + device.transport() + ", which has no reliable connections with writes");
        }
    }

    /** Why a device is not used that lacks suitable queue pairs, or takes no requests for them. */
    static FallbackException unusable(Device device, VerbsException e) {
        return new FallbackException(
                FallbackReason.NO_DEVICE,
                device.name() + " has no reliable connections that programs can post to: " + e.getMessage());
    }

    private QueuePair createQueuePair(int inline) throws IOException {
        try {
            return id.createQueuePair(
                    domain, new QueuePairOptions(share.queue(), share.queue(), depth, depth, 1, inline));
        } catch (VerbsException e) {
            if (inline == 0 || Failures.isUnsupported(e)) {
                throw e;
            }
            // Devices differ in how many bytes they take inline, and none says so beforehand.
            LOG.get().log(Level.DEBUG, "no queue pair with {0} bytes inline, trying half: {1}", inline, e.getMessage());
            return createQueuePair(inline / 2);
        }
    }

    /** Makes a channel that a JDK selector takes, around a descriptor that the channel owns from now on. */
    static SelectableChannel selectable(int descriptor) throws IOException {
        try {
            return JdkAccess.selectable(descriptor);
        } catch (IOException | IllegalStateException e) {
            Verbs.closeDescriptor(descriptor);
            throw new FallbackException(FallbackReason.NO_RESOURCES, e.getMessage());
        }
    }

    CmId id() {
        return id;
    }

    /** The open device. */
    Context context() {
        return context;
    }

    /** The device's port, from 1. */
    int port() {
        return port;
    }

    RingMemory memory() {
        return memory;
    }

    int depth() {
        return depth;
    }

    /** What has come from the device for this connection. */
    Arrivals arrivals() {
        return arrivals;
    }

    /** The connection's place in its completion queue. */
    SharedQueue.Place place() {
        return share.place();
    }

    MemoryRegion inbound() {
        return inbound;
    }

    MemoryRegion outbound() {
        return outbound;
    }

    /** Registers memory of the program to send from; null if the device cannot have it. */
    MemoryRegion program(ByteBuffer memory) {
        return program.of(domain, memory);
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** The completion channel as selectors see it, which other connections may have, too. */
    SelectableChannel doorbell() {
        return share.doorbell();
    }

    /** Posts this many receives, the completed ones first. */
    void postReceives(int count) throws VerbsException {
        int before = Math.min(count, depth - nextReceive);
        queuePair.postReceive(receives, nextReceive, before);
        if (before < count) {
            queuePair.postReceive(receives, 0, count - before);
        }
        nextReceive = (nextReceive + count) % depth;
    }

    /** The memory where the peer's words arrive; null if they come as immediate data. */
    ReceivedWords words() {
        return words;
    }

    /** Gives the device's part back, but neither the identifier nor the memory. It never fails: errors are logged. */
    void close() {
        close(queuePair, "queue pair");
        if (!left) {
            left = true;
            close(share, "place in a completion queue");
        }
        close(words, "memory region");
        close(inbound, "memory region");
        close(outbound, "memory region");
        program.close();
        close(domain, "protection domain");
        MemoryUse.registered(-registered);
        registered = 0;
    }

    static void close(AutoCloseable part, String name) {
        if (part == null) {
            return;
        }
        try {
            part.close();
        } catch (Exception | Error e) { // what is behind it is closed in any case
            LOG.get().log(Level.WARNING, "closing the " + name + " of an RDMA connection failed, it is left open", e);
        }
    }
}
