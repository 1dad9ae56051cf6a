// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The accelerated paths: the values of {@link Keys#FABRIC_ORDER}. */
public enum FabricName {
    /** Shared memory, to a peer on this host. */
    SHM,
    /** RDMA, to a peer on another host, or on this one. */
    RDMA
}
