// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** Says how datagrams to multicast groups reach members: the values of {@link Keys#DATAGRAM_MULTICAST}. */
public enum GroupPath {
    /** The kernel delivers all of them. */
    KERNEL,
    /** Shared memory and RDMA bring them to members with Accel, and the kernel to all others. */
    BOTH,
    /** Shared memory and RDMA alone bring them, so members without Accel, or on hosts without RDMA, hear nothing. */
    FABRIC
}
