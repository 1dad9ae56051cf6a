// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One end of a connection for tests: a ring that the peer writes into, one that it is written from, and receives for its
 * immediate words. The private data tells the peer where the ring is.
 */
final class Connection implements AutoCloseable {
    static final int RING = 1 << 16;

    static final int RECEIVES = 64;

    static final int TIMEOUT_MILLIS = 20_000;

    private static final String MAGIC = "accel-test";

    final CmId id;

    final CompletionChannel completions;

    final CompletionQueue queue;

    final QueuePair queuePair;

    final ByteBuffer ring = ByteBuffer.allocateDirect(RING);

    final ByteBuffer mirror = ByteBuffer.allocateDirect(RING);

    final SendRequests sends = new SendRequests(4);

    final ReceiveRequests receives = new ReceiveRequests(RECEIVES);

    final WorkCompletions batch = new WorkCompletions(16);

    private final ProtectionDomain domain;

    private final MemoryRegion ringRegion;

    private final MemoryRegion mirrorRegion;

    private long peerRing;

    private int peerKey;

    Connection(CmId id) throws Exception {
        this.id = id;
        Context context = id.context();
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionChannel();
        queue = context.createCompletionQueue(4 * RECEIVES, completions);
        ringRegion = domain.register(ring, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        mirrorRegion = domain.register(mirror, 0);
        queuePair = id.createQueuePair(domain, new QueuePairOptions(queue, queue, RECEIVES, RECEIVES, 1, 64));
        for (int i = 0; i < RECEIVES; i++) {
            receives.empty(i, i);
        }
        queuePair.postReceive(receives, 0, RECEIVES);
    }

    /** What is to be told the peer. */
    ConnectionParameters parameters() {
        ByteBuffer data = ByteBuffer.allocate(MAGIC.length() + 12).order(ByteOrder.BIG_ENDIAN);
        data.put(MAGIC.getBytes(US_ASCII));
        data.putLong(ringRegion.address()).putInt(ringRegion.rkey()).flip();
        return new ConnectionParameters(data);
    }

    void learn(ByteBuffer privateData) {
        byte[] magic = new byte[MAGIC.length()];
        privateData.get(magic);
        if (!MAGIC.equals(new String(magic, US_ASCII))) {
            throw new IllegalStateException("private data of somebody else: " + new String(magic, US_ASCII));
        }
        peerRing = privateData.getLong();
        peerKey = privateData.getInt();
    }

    /** Writes {@code length} bytes of the mirror to the same place of the peer's ring, with one request. */
    void publish(int offset, int length, int immediate, int flags) throws VerbsException {
        sends.writeWithImmediate(0, -1, flags, peerRing + offset, peerKey, immediate);
        sends.segment(0, mirrorRegion.address() + offset, length, mirrorRegion.lkey());
        queuePair.postSend(sends, 0, 1);
    }

    /** Puts a write without and one with an immediate word on one list and posts both with one call. */
    void publishTwoParts(int first, int firstLength, int second, int secondLength, int immediate)
            throws VerbsException {
        sends.write(1, -1, 0, peerRing + first, peerKey);
        sends.segment(1, mirrorRegion.address() + first, firstLength, mirrorRegion.lkey());
        sends.writeWithImmediate(2, -1, SendFlags.SIGNALED, peerRing + second, peerKey, immediate);
        sends.segment(2, mirrorRegion.address() + second, secondLength, mirrorRegion.lkey());
        queuePair.postSend(sends, 1, 2);
    }

    /** Spins until the peer's next immediate word; gives its receive back. */
    int awaitImmediate(Deque<Integer> inbox) throws VerbsException {
        long deadline = System.nanoTime() + TIMEOUT_MILLIS * 1_000_000L;
        while (inbox.isEmpty()) {
            drainInto(inbox);
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("nothing came within " + TIMEOUT_MILLIS + " ms on " + queuePair);
            }
        }
        return inbox.remove();
    }

    /** Takes what has completed; anything but success is an error. */
    void drainInto(Deque<Integer> inbox) throws VerbsException {
        int count = queue.pollInto(batch);
        for (int i = 0; i < count; i++) {
            if (batch.status(i) != WcStatus.SUCCESS) {
                throw new AssertionError(queuePair + ": completion status " + batch.status(i));
            }
            if (batch.opcode(i) == WcOpcode.RECV_RDMA_WITH_IMM) {
                inbox.add(batch.immediate(i));
                receives.empty(0, batch.workRequestId(i));
                queuePair.postReceive(receives, 0, 1);
            }
        }
    }

    /** Takes what has completed after a failure or a disconnect, and counts the requests that were flushed. */
    int countFlushed() throws VerbsException {
        int flushed = 0;
        int count = queue.pollInto(batch);
        for (int i = 0; i < count; i++) {
            if (batch.status(i) == WcStatus.WR_FLUSH_ERR) {
                flushed++;
            }
        }
        return flushed;
    }

    @Override
    public void close() throws VerbsException {
        queuePair.close();
        queue.close();
        completions.close();
        ringRegion.close();
        mirrorRegion.close();
        domain.close();
        id.close();
    }

    /** Waits for the next event, which has to be of this type. */
    static CmEvent await(CmEventChannel channel, CmEventType type) throws VerbsException {
        CmEvent event = channel.nextEvent();
        while (event == null) {
            if (!Descriptors.isReadable(channel.fd(), TIMEOUT_MILLIS)) {
                throw new AssertionError("no " + type + " within " + TIMEOUT_MILLIS + " ms");
            }
            event = channel.nextEvent();
        }
        if (event.type() != type) {
            throw new AssertionError("expected " + type + ", got " + event);
        }
        return event;
    }

    /** Waits for the listener's next client and accepts it. */
    static Connection accept(CmEventChannel channel) throws Exception {
        CmEvent request = await(channel, CmEventType.CONNECT_REQUEST);
        Connection connection = new Connection(request.id());
        connection.learn(request.privateData());
        request.id().accept(connection.parameters());
        return connection;
    }

    /** Resolves and begins to connect; {@link #established} finishes it. */
    static Connection connect(CmEventChannel channel, InetSocketAddress to) throws Exception {
        CmId id = resolve(channel, to);
        Connection connection = new Connection(id);
        id.connect(connection.parameters());
        return connection;
    }

    static CmId resolve(CmEventChannel channel, InetSocketAddress to) throws Exception {
        CmId id = channel.createId();
        id.resolveAddress(null, to, 2_000);
        await(channel, CmEventType.ADDR_RESOLVED);
        id.resolveRoute(2_000);
        await(channel, CmEventType.ROUTE_RESOLVED);
        return id;
    }

    void established(CmEventChannel channel) throws VerbsException {
        CmEvent event = await(channel, CmEventType.ESTABLISHED);
        if (event.privateData().hasRemaining()) {
            learn(event.privateData());
        }
    }

    static Deque<Integer> inbox() {
        return new ArrayDeque<>(2 * RECEIVES);
    }
}
