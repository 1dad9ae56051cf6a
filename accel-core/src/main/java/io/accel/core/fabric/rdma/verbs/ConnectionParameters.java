// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * The parameters that connect and accept give the device and the peer.
 *
 * @param privateData the bytes from position to limit go to the peer: at most 56 with connect, 196 with accept; the
 * peer may see more, padded with zeros
 * @param reads RDMA reads that the peer may have outstanding here, and this side there: 0 to 255
 * @param retries 0 to 7, how often the device sends again without an acknowledgement
 * @param receiverNotReadyRetries 0 to 7, how often the device sends again to a peer without a receive; 7 is for ever
 */
public record ConnectionParameters(ByteBuffer privateData, int reads, int retries, int receiverNotReadyRetries) {
    /** Makes parameters with the largest numbers of retries, and one read. */
    public ConnectionParameters(ByteBuffer privateData) {
        this(privateData, 1, 7, 7);
    }

    /** Makes the C structure with the private data behind it. */
    NativeMemory toNative() {
        int length = privateData.remaining();
        if (length > 255) {
            throw new IllegalArgumentException(length + " bytes of private data; at most 56 (connect), 196 (accept)");
        }
        NativeMemory memory = NativeMemory.allocate(RdmaConnParam.SIZE + length);
        memory.buffer.put(RdmaConnParam.SIZE, privateData, privateData.position(), length);
        memory.buffer.putLong(RdmaConnParam.PRIVATE_DATA, memory.address + RdmaConnParam.SIZE);
        memory.buffer.put(RdmaConnParam.PRIVATE_DATA_LEN, (byte) length);
        memory.buffer.put(RdmaConnParam.RESPONDER_RESOURCES, (byte) reads);
        memory.buffer.put(RdmaConnParam.INITIATOR_DEPTH, (byte) reads);
        memory.buffer.put(RdmaConnParam.FLOW_CONTROL, (byte) 1);
        memory.buffer.put(RdmaConnParam.RETRY_COUNT, (byte) retries);
        memory.buffer.put(RdmaConnParam.RNR_RETRY_COUNT, (byte) receiverNotReadyRetries);
        return memory;
    }
}
