// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/**
 * A multicast group's address on a device, as joining tells it. Immutable.
 */
public final class GroupAddress {
    private final long tag;
    private final byte[] attributes;
    private final int queuePair;
    private final int key;

    private GroupAddress(long tag, byte[] attributes, int queuePair, int key) {
        this.tag = tag;
        this.attributes = attributes;
        this.queuePair = queuePair;
        this.key = key;
    }

    static GroupAddress of(long parameters) {
        return new GroupAddress(
                NativeMemory.getPointer(parameters + RdmaUdParam.PRIVATE_DATA),
                NativeMemory.getBytes(parameters + RdmaUdParam.AH_ATTR, IbvAhAttr.SIZE),
                NativeMemory.getInt(parameters + RdmaUdParam.QP_NUM),
                NativeMemory.getInt(parameters + RdmaUdParam.QKEY));
    }

    /** The tag that the group was joined with. */
    public long tag() {
        return tag;
    }

    /** The number of the queue pairs that hear a group. */
    int queuePair() {
        return queuePair;
    }

    /** The key that a queue pair asks of datagrams. */
    int key() {
        return key;
    }

    NativeMemory attributes(int hops) {
        NativeMemory memory = NativeMemory.allocate(IbvAhAttr.SIZE);
        memory.buffer.put(0, attributes);
        memory.buffer.put(IbvAhAttr.GRH_HOP_LIMIT, (byte) hops);
        return memory;
    }
}
