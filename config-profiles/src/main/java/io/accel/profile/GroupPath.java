// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** Says how datagrams to multicast groups reach the members on the sender's host: the values of {@link Keys#DATAGRAM_MULTICAST}. */
public enum GroupPath {
    /** The kernel delivers all of them. */
    KERNEL,
    /** Shared memory brings them to members with Accel on this host, and the kernel to all others. */
    BOTH,
    /** Shared memory alone brings them, so members without Accel and on other hosts hear nothing. */
    FABRIC
}
