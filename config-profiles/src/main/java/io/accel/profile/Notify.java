// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** Says how a write over RDMA announces its arrival to the peer: the values of {@link Keys#RDMA_NOTIFY}. */
public enum Notify {
    /** The write carries immediate data where the device has that; otherwise as {@link #SEND}. */
    AUTO,
    /** A message of its own follows the write. */
    SEND
}
