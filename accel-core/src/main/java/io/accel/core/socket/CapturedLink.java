package io.accel.core.socket;

import io.accel.core.capture.Capture;
import java.net.InetSocketAddress;

/**
 * A link that can be captured. {@link Captures} alone calls {@link #tap} and {@link #untap}, under its monitor. No interface, since nobody
 * outside is to call these of a {@link LinkStream}.
 */
abstract class CapturedLink {
    /**
     * Between whom a link is.
     *
     * @param isStream whether it is a connection's, else that of two datagram sockets, which may have the same addresses
     * @param local this end
     * @param remote the peer's
     */
    record Ends(boolean isStream, InetSocketAddress local, InetSocketAddress remote) {
        /** As the peer has it. */
        Ends reversed() {
            return new Ends(isStream, remote, local);
        }
    }

    /** Between whom it is; null if it is just closing. */
    abstract Ends ends();

    /** Whether it is let go of. */
    abstract boolean isClosed();

    /** Has a capture take what goes by this from now on. */
    abstract void tap(Capture capture, Ends ends);

    /** The capture has ended. */
    abstract void untap();
}
