// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.nio.channels.SocketChannel;

/** One end of a connection, and the program's knowledge of it. */
final class End {
    private final String name;
    private final Connection connection;
    private final Direction out;
    private final Direction in;
    private SocketChannel channel;
    private boolean inputShut;

    End(String name, Connection connection, Direction out, Direction in) {
        this.name = name;
        this.connection = connection;
        this.out = out;
        this.in = in;
    }

    String name() {
        return name;
    }

    Direction out() {
        return out;
    }

    Direction in() {
        return in;
    }

    End peer() {
        return this == connection.client() ? connection.server() : connection.client();
    }

    /** The channel; null for a server's end that was not accepted. */
    SocketChannel channel() {
        return channel;
    }

    void channel(SocketChannel opened) {
        channel = opened;
    }

    void shutInput() {
        inputShut = true;
    }

    boolean isInputShut() {
        return inputShut;
    }

    boolean isClosed() {
        return channel != null && !channel.isOpen();
    }

    /** Whether a read finds an end, sooner or later, when it has all that was sent. */
    boolean expectsEnd() {
        return in.isShut()
                || peer().isClosed()
                || (peer().channel == null && !connection.listener().isOpen());
    }

    /** Whether a blocking read of at least one byte waits. */
    boolean wouldWait() {
        return channel.isOpen()
                && channel.isConnected()
                && channel.isBlocking()
                && !inputShut
                && in.inFlight() == 0
                && !expectsEnd();
    }

    /**
     * Whether the outcome of a write is unknown. If the peer has closed behind more bytes than its path holds, it depends on
     * whether the end has come: see docs/LIMITS.md.
     */
    boolean isWriteUnknown() {
        return out.isUnknown() || (peer().isClosed() && in.isOverfull());
    }

    /** Whether bytes can go from here to the peer. */
    boolean canSend() {
        return channel != null
                && channel.isOpen()
                && channel.isConnected()
                && !out.isShut()
                && !out.isUnknown()
                && peer().channel != null
                && peer().channel.isOpen()
                && !peer().inputShut;
    }
}
