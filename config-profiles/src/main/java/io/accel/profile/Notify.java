package io.accel.profile;

/** Says how a write over RDMA announces its arrival to the peer: the values of {@link Keys#RDMA_NOTIFY}. */
public enum Notify {
    /** By immediate data where the device has that, else as {@link #SEND}. */
    AUTO,
    /** By a message of its own. */
    SEND
}
