package io.accel.core.fabric.rdma;

/** How far a link has come. It only goes on, in this order, and may pass states over. */
enum LinkState {
    /** Bytes go both ways. */
    OPEN,
    /** One end has disconnected. The queue pair comes to an error state, and gives back what was posted. */
    DISCONNECTED,
    /** Something failed, and the queue pair is in error. It gives back what was posted; nothing more is posted. */
    BROKEN,
    /** The last receive has come back, so nothing more will come. */
    DRAINED,
    /** All of the device was given back. */
    DETACHED,
    /** The memory was given back, too. */
    FREED;

    /** Whether this state or a later one was reached. */
    boolean isPast(LinkState state) {
        return compareTo(state) > 0;
    }
}
