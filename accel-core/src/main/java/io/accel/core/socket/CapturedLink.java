// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.capture.Capture;
import java.net.InetSocketAddress;

/**
 * A link that can be captured. {@link Captures} alone calls {@link #tap} and {@link #untap}, under its monitor. This is no interface, since
 * no code outside may call these methods of a {@link LinkStream}.
 */
abstract class CapturedLink {
    /**
     * The two ends of a link.
     *
     * @param isStream whether it is a connection's link; if not, it belongs to two datagram sockets, which may have the same addresses
     * @param local this end
     * @param remote the peer's end
     */
    record Ends(boolean isStream, InetSocketAddress local, InetSocketAddress remote) {
        /** The same ends as the peer sees them. */
        Ends reversed() {
            return new Ends(isStream, remote, local);
        }
    }

    /** The ends of the link; null if it is just closing. */
    abstract Ends ends();

    /** Whether the link has been released. */
    abstract boolean isClosed();

    /** Makes a capture record the bytes that go over this link from now on. */
    abstract void tap(Capture capture, Ends ends);

    /** Takes note that the capture has ended. */
    abstract void untap();
}
