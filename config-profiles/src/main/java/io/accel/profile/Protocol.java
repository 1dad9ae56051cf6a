// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The transport that a rule concerns. */
public enum Protocol {
    /** Streams. */
    TCP,
    /** Datagrams. */
    UDP
}
