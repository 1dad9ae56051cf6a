// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Beginnings;
import java.net.InetSocketAddress;

/**
 * The fingerprints of the first bytes of both directions of a connection. They distinguish a client in another network namespace from a
 * client behind a proxy. Each half records its own direction; the thread that connects or accepts begins that before the first byte.
 */
final class StreamBeginnings {
    private final Incoming incoming;
    private final Outgoing outgoing;

    private StreamBeginnings(Incoming incoming, Outgoing outgoing) {
        this.incoming = incoming;
        this.outgoing = outgoing;
        outgoing.fingerprint(new StreamFingerprint());
        incoming.fingerprint(new StreamFingerprint());
    }

    /**
     * Begins, before the first byte, to watch the bytes that go through the kernel. Loopback is not watched, since its peers are all in
     * the same network namespace.
     *
     * @param server the address of the end that accepts
     * @return null if the connection is not watched
     */
    static StreamBeginnings watch(StreamSocket socket, InetSocketAddress server) {
        return server == null || server.getAddress().isLoopbackAddress()
                ? null
                : new StreamBeginnings(socket.incoming(), socket.outgoing());
    }

    /** Stops watching, since nobody will ask for the fingerprints. */
    void forget() {
        outgoing.fingerprint(null);
        incoming.fingerprint(null);
    }

    /** Leaves out the bytes that go through the kernel from now on, since some may go over the link instead. */
    void freeze() {
        StreamFingerprint sent = outgoing.fingerprint();
        StreamFingerprint received = incoming.fingerprint();
        if (sent != null && received != null) {
            sent.freeze();
            received.freeze();
        }
    }

    /** The first bytes that have gone through the kernel; null if they were not watched. */
    Beginnings soFar() {
        StreamFingerprint sent = outgoing.fingerprint();
        StreamFingerprint received = incoming.fingerprint();
        return sent == null || received == null ? null : StreamFingerprint.of(sent, received);
    }
}
