// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The events that the connection manager reports. */
@CName("RDMA_CM_EVENT_")
public enum CmEventType {
    /** {@link CmId#resolveAddress} found the device. */
    ADDR_RESOLVED,
    /** {@link CmId#resolveAddress} found no device. */
    ADDR_ERROR,
    /** {@link CmId#resolveRoute} found a way. */
    ROUTE_RESOLVED,
    /** {@link CmId#resolveRoute} found no way. */
    ROUTE_ERROR,
    /** A listener has a client; the event's id is the new connection's, its listener the one that the client asked. */
    CONNECT_REQUEST,
    /** The peer has accepted; only for identifiers without a queue pair. */
    CONNECT_RESPONSE,
    /** Connecting or accepting failed on the way. */
    CONNECT_ERROR,
    /** The peer does not answer. */
    UNREACHABLE,
    /** The peer does not listen (status 8 or 28), or refused. */
    REJECTED,
    /** The connection is established. */
    ESTABLISHED,
    /** The connection has ended; completions may still be on their way. */
    DISCONNECTED,
    /** The device is going away: everything on it has to be closed. */
    DEVICE_REMOVAL,
    /** A multicast group was joined. */
    MULTICAST_JOIN,
    /** Joining failed, or the group no longer exists. */
    MULTICAST_ERROR,
    /** The network interface of the address has another hardware address, as where a bond has changed to its other link. */
    ADDR_CHANGE,
    /** The queue pair's number may be used again. */
    TIMEWAIT_EXIT;

    private static final CmEventType[] VALUES = values();

    static CmEventType of(int code) {
        if (code < 0 || code >= VALUES.length) {
            throw new IllegalStateException("rdma_cm event type " + code + " is none this version knows");
        }
        return VALUES[code];
    }
}
