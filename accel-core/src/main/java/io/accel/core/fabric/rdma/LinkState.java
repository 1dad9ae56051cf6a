// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/** How far a link has come. A link only advances, in this order, and may skip states. */
enum LinkState {
    /** Bytes go both ways. */
    OPEN,
    /** One end has disconnected. The queue pair enters an error state, and gives back the posted requests. */
    DISCONNECTED,
    /** Something failed, and the queue pair is in error. It gives back the posted requests; nothing more is posted. */
    BROKEN,
    /** The last receive has come back, so nothing more will come. */
    DRAINED,
    /** All resources of the device were given back. */
    DETACHED,
    /** The memory was given back, too. */
    FREED;

    /** Whether the link has reached this state or a later one. */
    boolean isPast(LinkState state) {
        return compareTo(state) > 0;
    }
}
