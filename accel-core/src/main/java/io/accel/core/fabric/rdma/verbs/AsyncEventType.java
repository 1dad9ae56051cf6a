// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The events that a device reports beside completions. */
@CName("IBV_EVENT_")
public enum AsyncEventType {
    /** A completion queue overran. */
    CQ_ERR,
    /** A queue pair failed. */
    QP_FATAL,
    /** The peer's request was invalid. */
    QP_REQ_ERR,
    /** The peer's request was not allowed. */
    QP_ACCESS_ERR,
    /** Data came before the connection's last message. */
    COMM_EST,
    /** The send queue is empty. */
    SQ_DRAINED,
    /** The connection moved to its other path. */
    PATH_MIG,
    /** The connection could not move to its other path. */
    PATH_MIG_ERR,
    /** The device failed: everything on it has to be closed. */
    DEVICE_FATAL,
    /** A port came up. */
    PORT_ACTIVE,
    /** A port went down. */
    PORT_ERR,
    /** A port has another local identifier. */
    LID_CHANGE,
    /** A port's partition keys changed. */
    PKEY_CHANGE,
    /** A port has another subnet manager. */
    SM_CHANGE,
    /** A shared receive queue failed. */
    SRQ_ERR,
    /** A shared receive queue ran low. */
    SRQ_LIMIT_REACHED,
    /** A failed queue pair has done its last request. */
    QP_LAST_WQE_REACHED,
    /** The subnet manager wants its clients to register again. */
    CLIENT_REREGISTER,
    /** A port's addresses changed. */
    GID_CHANGE,
    /** A work queue failed. */
    WQ_FATAL;

    private static final AsyncEventType[] VALUES = values();

    /** Returns null for a code that this version does not know: kernels learn new ones. */
    static AsyncEventType of(int code) {
        return code >= 0 && code < VALUES.length ? VALUES[code] : null;
    }
}
