// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

/** The kind of a fabric's connections. Each kind has port numbers of its own, as in the kernel. */
public enum PortSpace {
    /** Streams. */
    TCP,
    /** Datagrams. */
    UDP,
    /** Unix-domain streams, which have names in place of ports. */
    UNIX,
    /** Multicast groups, to which processes publish. */
    GROUP,
    /** Processes with members of multicast groups. */
    MEMBERS
}
