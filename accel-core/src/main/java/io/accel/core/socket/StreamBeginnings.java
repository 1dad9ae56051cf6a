package io.accel.core.socket;

import io.accel.core.fabric.Beginnings;
import java.net.InetSocketAddress;

/**
 * What the first bytes of both directions of a connection were, by which a client in another network namespace is told from one that a
 * proxy has between. Each half notes its own direction; the thread that connects or accepts begins that before the first byte.
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
     * From now on, which is before the first byte, what goes through the kernel is seen. Not of loopback, whose peers are all here.
     *
     * @return null if nothing is
     */
    static StreamBeginnings watch(StreamSocket socket, InetSocketAddress local) {
        return local == null || local.getAddress().isLoopbackAddress()
                ? null
                : new StreamBeginnings(socket.incoming(), socket.outgoing());
    }

    /** Nobody will ask for it. */
    void forget() {
        outgoing.fingerprint(null);
        incoming.fingerprint(null);
    }

    /** What goes through the kernel from now on is not compared: some of it may go over the link. */
    void freeze() {
        StreamFingerprint sent = outgoing.fingerprint();
        StreamFingerprint received = incoming.fingerprint();
        if (sent != null && received != null) {
            sent.freeze();
            received.freeze();
        }
    }

    /** What has gone through the kernel; null if nobody has seen it. */
    Beginnings soFar() {
        StreamFingerprint sent = outgoing.fingerprint();
        StreamFingerprint received = incoming.fingerprint();
        return sent == null || received == null ? null : StreamFingerprint.of(sent, received);
    }
}
