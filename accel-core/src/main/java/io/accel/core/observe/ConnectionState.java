// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/** The state of a connection. */
public enum ConnectionState {
    /** The connection is in a handshake, or connecting through the kernel. */
    CONNECTING("connecting"),
    /** Both directions are open. */
    ESTABLISHED("established"),
    /** One direction has ended. */
    HALF_CLOSED("half-closed"),
    /** This side has closed the connection; its memory is still held. */
    CLOSING("closing");

    private final String text;

    ConnectionState(String text) {
        this.text = text;
    }

    /** The name in metrics and samples. */
    public String text() {
        return text;
    }
}
