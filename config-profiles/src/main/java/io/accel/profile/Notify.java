package io.accel.profile;

/** How a write over RDMA tells the peer that it has come: the values of {@link Keys#RDMA_NOTIFY}. */
public enum Notify {
    /** By immediate data where the device has that, else as {@link #SEND}. */
    AUTO,
    /** By a message of its own. */
    SEND
}
