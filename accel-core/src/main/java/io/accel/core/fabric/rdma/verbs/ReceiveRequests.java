// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * Receive work requests, written in place again and again, each with at most one piece of memory: number {@code i} is free
 * once {@link QueuePair#postReceive} has returned. Not thread-safe.
 */
public final class ReceiveRequests {
    private final NativeMemory requests;

    private final NativeMemory segments;

    private final ByteBuffer buffer;

    private final int capacity;

    /** Makes room for {@code capacity} requests. */
    public ReceiveRequests(int capacity) {
        this.capacity = capacity;
        requests = NativeMemory.allocate(capacity * IbvRecvWr.SIZE);
        segments = NativeMemory.allocate(capacity * IbvSge.SIZE);
        buffer = requests.buffer;
        for (int i = 0; i < capacity; i++) {
            buffer.putLong(i * IbvRecvWr.SIZE + IbvRecvWr.SG_LIST, segments.address + (long) i * IbvSge.SIZE);
        }
    }

    /** How many requests there are. */
    public int capacity() {
        return capacity;
    }

    /** Makes request {@code index} one without memory: it takes writes with an immediate word, and empty sends. */
    public void empty(int index, long workRequestId) {
        buffer.putLong(index * IbvRecvWr.SIZE + IbvRecvWr.WR_ID, workRequestId);
        buffer.putInt(index * IbvRecvWr.SIZE + IbvRecvWr.NUM_SGE, 0);
    }

    /** Makes request {@code index} one that takes a send of at most {@code length} bytes. */
    public void into(int index, long workRequestId, long address, int length, int lkey) {
        empty(index, workRequestId);
        buffer.putInt(index * IbvRecvWr.SIZE + IbvRecvWr.NUM_SGE, 1);
        segments.buffer.putLong(index * IbvSge.SIZE + IbvSge.ADDR, address);
        segments.buffer.putInt(index * IbvSge.SIZE + IbvSge.LENGTH, length);
        segments.buffer.putInt(index * IbvSge.SIZE + IbvSge.LKEY, lkey);
    }

    /** Makes one list of {@code count} requests from {@code first} on, and returns the address of its start. */
    long link(int first, int count) {
        if (count < 1 || first < 0 || first > capacity - count) {
            throw new IndexOutOfBoundsException(first + " + " + count + " of " + capacity + " requests");
        }
        int last = first + count - 1;
        for (int i = first; i < last; i++) {
            buffer.putLong(i * IbvRecvWr.SIZE + IbvRecvWr.NEXT, requests.address + (long) (i + 1) * IbvRecvWr.SIZE);
        }
        buffer.putLong(last * IbvRecvWr.SIZE + IbvRecvWr.NEXT, 0);
        return requests.address + (long) first * IbvRecvWr.SIZE;
    }

    /** The index of the request that a list stopped at. */
    int indexOf(long address) {
        return (int) ((address - requests.address) / IbvRecvWr.SIZE);
    }
}
