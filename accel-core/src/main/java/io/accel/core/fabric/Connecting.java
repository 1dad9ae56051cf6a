package io.accel.core.fabric;

import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;

/** A client's handshake that is under way. One thread at a time. */
public interface Connecting {
    /** Becomes readable when {@link #advance} has something to do. In non-blocking mode. */
    SelectableChannel channel();

    /** When the peer counts as silent, on {@link System#nanoTime()}'s scale. */
    long deadline();

    /** The program's end, as the peer will see it. */
    InetSocketAddress local();

    /**
     * Goes on as far as it can without waiting.
     *
     * @return the connection, or null as long as the peer has not answered
     * @throws FallbackException if the peer refused, failed, or let the deadline pass; everything is cleaned up then
     */
    Link advance() throws FallbackException;

    /** Gives up and cleans up. */
    void abort();
}
