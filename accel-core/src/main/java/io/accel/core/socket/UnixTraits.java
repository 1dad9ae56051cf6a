// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Fabric;
import java.io.IOException;

/** The knowledge of the end that connected about a Unix-domain connection. Any thread. */
final class UnixTraits implements Fabric.Traits {
    private final StreamSocket socket;
    private final UnixAnchor anchor;

    private UnixTraits(StreamSocket socket, UnixAnchor anchor) {
        this.socket = socket;
        this.anchor = anchor;
    }

    /** Returns null for a connection of another kind. */
    static UnixTraits of(StreamSocket socket) {
        return socket.adaptersAnchor() instanceof UnixAnchor unix ? new UnixTraits(socket, unix) : null;
    }

    @Override
    public int listeningProcess() {
        return anchor.listeningProcess();
    }

    @Override
    public long connectedAt() {
        return anchor.connectedAt();
    }

    @Override
    public long receivedAtLeast() {
        return socket.incoming().taken();
    }

    @Override
    public long sentAtMost() {
        long sent = socket.outgoing().givenAtMost();
        try {
            // The other end, if it was closed, is perhaps not among those that the listener has just looked at.
            return anchor.hasEnded() ? -1 : sent;
        } catch (IOException e) {
            return -1;
        }
    }
}
