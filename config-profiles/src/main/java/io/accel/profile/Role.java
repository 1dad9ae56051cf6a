// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The end of a connection that a transport rule concerns. */
public enum Role {
    /** The end that connects; rules look at the address it connects to. */
    CLIENT,
    /** The end that listens; rules look at the address it is bound to. */
    SERVER
}
