// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * An event of a device, beside completions.
 *
 * @param type the kind of event
 * @param number the queue pair's number for QP_*, COMM_EST, SQ_DRAINED and PATH_*; the port for PORT_*, LID_CHANGE,
 *     PKEY_CHANGE, SM_CHANGE, CLIENT_REREGISTER and GID_CHANGE; otherwise 0
 */
public record AsyncEvent(AsyncEventType type, int number) {
    /** Returns null if this version does not know the event. */
    static AsyncEvent of(ByteBuffer event) {
        AsyncEventType type = AsyncEventType.of(event.getInt(IbvAsyncEvent.EVENT_TYPE));
        if (type == null) {
            return null;
        }
        return new AsyncEvent(
                type,
                switch (type) {
                    case QP_FATAL,
                            QP_REQ_ERR,
                            QP_ACCESS_ERR,
                            COMM_EST,
                            SQ_DRAINED,
                            PATH_MIG,
                            PATH_MIG_ERR,
                            QP_LAST_WQE_REACHED ->
                        NativeMemory.getInt(event.getLong(IbvAsyncEvent.ELEMENT) + IbvQp.QP_NUM);
                    case PORT_ACTIVE, PORT_ERR, LID_CHANGE, PKEY_CHANGE, SM_CHANGE, CLIENT_REREGISTER, GID_CHANGE ->
                        event.getInt(IbvAsyncEvent.ELEMENT);
                    case CQ_ERR, SRQ_ERR, SRQ_LIMIT_REACHED, WQ_FATAL, DEVICE_FATAL -> 0;
                });
    }
}
