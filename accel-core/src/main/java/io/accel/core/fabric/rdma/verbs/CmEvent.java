// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * An event that the connection manager reports.
 *
 * @param type the kind of event
 * @param id the identifier concerned; for a {@link CmEventType#CONNECT_REQUEST} the new one, which the receiver of
 * the event must close
 * @param listener of a CONNECT_REQUEST, the listening identifier, null if that was closed meanwhile; otherwise null
 * @param status 0, or why the operation failed: a negative errno, or for REJECTED the reason (28: by the peer's
 * program)
 * @param privateData the data that the peer sent along, read-only, often padded with zeros: use a length of one's own
 * @param group of a {@link CmEventType#MULTICAST_JOIN} the group's address on the device, of a {@link CmEventType#MULTICAST_ERROR} its
 * tag alone; otherwise null
 */
public record CmEvent(
        CmEventType type, CmId id, CmId listener, int status, ByteBuffer privateData, GroupAddress group) {
    @Override
    public String toString() {
        return type + " of " + id + ", status " + status;
    }

    static GroupAddress groupOf(long event, CmEventType type) {
        return type == CmEventType.MULTICAST_JOIN || type == CmEventType.MULTICAST_ERROR
                ? GroupAddress.of(event + RdmaCmEvent.PARAM_UD)
                : null;
    }

    static ByteBuffer privateDataOf(long event, CmEventType type) {
        switch (type) {
            case CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED, CONNECT_ERROR, UNREACHABLE, DISCONNECTED -> {
                long parameters = event + RdmaCmEvent.PARAM_CONN;
                long data = NativeMemory.getPointer(parameters + RdmaConnParam.PRIVATE_DATA);
                int length = NativeMemory.getByte(parameters + RdmaConnParam.PRIVATE_DATA_LEN) & 0xff;
                return ByteBuffer.wrap(data == 0 ? new byte[0] : NativeMemory.getBytes(data, length))
                        .asReadOnlyBuffer();
            }
            default -> {
                return ByteBuffer.allocate(0).asReadOnlyBuffer();
            }
        }
    }
}
