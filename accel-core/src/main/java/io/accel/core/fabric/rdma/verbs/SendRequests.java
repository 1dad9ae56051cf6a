// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * Send work requests, written in place again and again: number {@code i} is free once {@link QueuePair#postSend} has
 * returned, for the device has its own copy then (not of the data, unless inline). Not thread-safe.
 */
public final class SendRequests {
    private final NativeMemory requests;

    private final NativeMemory segments;

    private final ByteBuffer buffer;

    private final int capacity;

    private final int maxSegments;

    /** Makes room for {@code capacity} requests of one piece of memory each. */
    public SendRequests(int capacity) {
        this(capacity, 1);
    }

    /** Makes room for {@code capacity} requests of at most {@code maxSegments} pieces of memory each. */
    public SendRequests(int capacity, int maxSegments) {
        this.capacity = capacity;
        this.maxSegments = maxSegments;
        requests = NativeMemory.allocate(capacity * IbvSendWr.SIZE);
        segments = NativeMemory.allocate(capacity * maxSegments * IbvSge.SIZE);
        buffer = requests.buffer;
        for (int i = 0; i < capacity; i++) {
            buffer.putLong(
                    i * IbvSendWr.SIZE + IbvSendWr.SG_LIST, segments.address + (long) i * maxSegments * IbvSge.SIZE);
        }
    }

    /** How many requests there are. */
    public int capacity() {
        return capacity;
    }

    /** Makes request {@code index} an RDMA write to the peer's memory, yet without data: see {@link #segment}. */
    public void write(int index, long workRequestId, int flags, long remoteAddress, int rkey) {
        start(index, workRequestId, WrOpcode.RDMA_WRITE, flags);
        remote(index, remoteAddress, rkey);
    }

    /** As {@link #write}, and it takes one of the peer's receives, whose completion has the immediate word. */
    public void writeWithImmediate(
            int index, long workRequestId, int flags, long remoteAddress, int rkey, int immediate) {
        start(index, workRequestId, WrOpcode.RDMA_WRITE_WITH_IMM, flags);
        remote(index, remoteAddress, rkey);
        buffer.putInt(index * IbvSendWr.SIZE + IbvSendWr.IMM_DATA, NetworkOrder.swap(immediate));
    }

    /** Makes request {@code index} a send into one of the peer's receives, yet without data: see {@link #segment}. */
    public void send(int index, long workRequestId, int flags) {
        start(index, workRequestId, WrOpcode.SEND, flags);
    }

    /** Makes request {@code index} a datagram to a multicast group, yet without data: see {@link #segment}. */
    public void datagram(int index, long workRequestId, int flags, AddressHandle to) {
        start(index, workRequestId, WrOpcode.SEND, flags);
        int request = index * IbvSendWr.SIZE;
        buffer.putLong(request + IbvSendWr.WR_UD_AH, to.handle());
        buffer.putInt(request + IbvSendWr.WR_UD_REMOTE_QPN, to.group().queuePair());
        buffer.putInt(request + IbvSendWr.WR_UD_REMOTE_QKEY, to.group().key());
    }

    /** As {@link #send}, with an immediate word. */
    public void sendWithImmediate(int index, long workRequestId, int flags, int immediate) {
        start(index, workRequestId, WrOpcode.SEND_WITH_IMM, flags);
        buffer.putInt(index * IbvSendWr.SIZE + IbvSendWr.IMM_DATA, NetworkOrder.swap(immediate));
    }

    /** Adds a piece of local memory to request {@code index}; the pieces follow each other. */
    public void segment(int index, long address, int length, int lkey) {
        int request = index * IbvSendWr.SIZE;
        int segment = buffer.getInt(request + IbvSendWr.NUM_SGE);
        if (segment == maxSegments) {
            throw new IllegalStateException("request " + index + " has its " + maxSegments + " segments already");
        }
        int at = (index * maxSegments + segment) * IbvSge.SIZE;
        segments.buffer.putLong(at + IbvSge.ADDR, address);
        segments.buffer.putInt(at + IbvSge.LENGTH, length);
        segments.buffer.putInt(at + IbvSge.LKEY, lkey);
        buffer.putInt(request + IbvSendWr.NUM_SGE, segment + 1);
    }

    private void start(int index, long workRequestId, int opcode, int flags) {
        int request = index * IbvSendWr.SIZE;
        buffer.putLong(request + IbvSendWr.WR_ID, workRequestId);
        buffer.putInt(request + IbvSendWr.NUM_SGE, 0);
        buffer.putInt(request + IbvSendWr.OPCODE, opcode);
        buffer.putInt(request + IbvSendWr.SEND_FLAGS, flags);
    }

    private void remote(int index, long address, int rkey) {
        int request = index * IbvSendWr.SIZE;
        buffer.putLong(request + IbvSendWr.WR_RDMA_REMOTE_ADDR, address);
        buffer.putInt(request + IbvSendWr.WR_RDMA_RKEY, rkey);
    }

    /** Makes one list of {@code count} requests from {@code first} on, and returns the address of its start. */
    long link(int first, int count) {
        if (count < 1 || first < 0 || first > capacity - count) {
            throw new IndexOutOfBoundsException(first + " + " + count + " of " + capacity + " requests");
        }
        long address = requests.address + (long) first * IbvSendWr.SIZE;
        int last = first + count - 1;
        for (int i = first; i < last; i++) {
            buffer.putLong(i * IbvSendWr.SIZE + IbvSendWr.NEXT, requests.address + (long) (i + 1) * IbvSendWr.SIZE);
        }
        buffer.putLong(last * IbvSendWr.SIZE + IbvSendWr.NEXT, 0);
        return address;
    }

    /** The index of the request that a list stopped at. */
    int indexOf(long address) {
        return (int) ((address - requests.address) / IbvSendWr.SIZE);
    }
}
