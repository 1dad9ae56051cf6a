package io.accel.core.observe;

/** What has become of a connection. */
public enum ConnectionState {
    /** In a handshake, or connecting through the kernel. */
    CONNECTING("connecting"),
    /** Both directions are open. */
    ESTABLISHED("established"),
    /** One direction has ended. */
    HALF_CLOSED("half-closed"),
    /** Closed by this side; its memory is still held. */
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
