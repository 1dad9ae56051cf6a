// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * A batch of completions that {@link CompletionQueue#pollInto} fills again and again. Index 0 is the oldest. When a status
 * is not {@link WcStatus#SUCCESS}, only {@link #workRequestId}, {@link #status}, {@link #queuePairNumber} and
 * {@link #vendorError} mean something. Not thread-safe.
 */
public final class WorkCompletions {
    private final NativeMemory memory;

    private final ByteBuffer buffer;

    private final int capacity;

    private int count;

    /** Makes a batch for at most {@code capacity} completions at a time. */
    public WorkCompletions(int capacity) {
        this.capacity = capacity;
        this.memory = NativeMemory.allocate(capacity * IbvWc.SIZE);
        this.buffer = memory.buffer;
    }

    /** How many completions the batch can hold. */
    public int capacity() {
        return capacity;
    }

    /** How many completions the batch holds. */
    public int count() {
        return count;
    }

    /** The identifier that the request was posted with. */
    public long workRequestId(int index) {
        return buffer.getLong(at(index) + IbvWc.WR_ID);
    }

    /** The status, one of {@link WcStatus}. */
    public int status(int index) {
        return buffer.getInt(at(index) + IbvWc.STATUS);
    }

    /** The opcode, one of {@link WcOpcode}. */
    public int opcode(int index) {
        return buffer.getInt(at(index) + IbvWc.OPCODE);
    }

    /** The device's own code for an error. */
    public int vendorError(int index) {
        return buffer.getInt(at(index) + IbvWc.VENDOR_ERR);
    }

    /** Bytes received or written by the peer; not set for sends. */
    public int byteLength(int index) {
        return buffer.getInt(at(index) + IbvWc.BYTE_LEN);
    }

    /** The peer's immediate word, when {@link WcFlags#WITH_IMM} is set. */
    public int immediate(int index) {
        return NetworkOrder.swap(buffer.getInt(at(index) + IbvWc.IMM_DATA));
    }

    /** The flags, see {@link WcFlags}. */
    public int flags(int index) {
        return buffer.getInt(at(index) + IbvWc.WC_FLAGS);
    }

    /** The number of the local queue pair that the request belonged to. */
    public int queuePairNumber(int index) {
        return buffer.getInt(at(index) + IbvWc.QP_NUM);
    }

    long address() {
        return memory.address;
    }

    void count(int now) {
        count = now;
    }

    private int at(int index) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException(index);
        }
        return index * IbvWc.SIZE;
    }
}
