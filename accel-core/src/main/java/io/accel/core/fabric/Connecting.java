// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;

/** A client's handshake that is under way. One thread at a time. */
public interface Connecting {
    /** The channel that becomes readable when {@link #advance} has something to do. It is in non-blocking mode. */
    SelectableChannel channel();

    /** When the peer counts as silent, on the scale of {@link System#nanoTime()}. */
    long deadline();

    /**
     * Whether the peer has said that it cannot decide yet, because its program has not accepted the connection, or
     * cannot even say that.
     */
    boolean isPending();

    /** The address of the program's end, as the peer will see it. */
    InetSocketAddress local();

    /**
     * Goes on as far as it can without waiting. The receiver of the link {@linkplain Link#ATTACHED tells} the peer
     * when it is ready to receive over it, and rings.
     *
     * @return the link, or null as long as the peer has not answered
     * @throws FallbackException if the peer refused, failed, or let the deadline pass; everything is cleaned up then
     */
    Link advance() throws FallbackException;

    /** Gives up and cleans up. */
    void abort();
}
