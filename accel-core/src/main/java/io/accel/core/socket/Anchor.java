// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;

/**
 * The operations that the core needs of the kernel's connection under a stream. The adapter deals with the kernel for all others. Any
 * thread. An anchor changes socket options, and changes them back, in its own monitor, as {@link StreamSocket#optionsMonitor} does for the
 * program.
 */
public interface Anchor {
    /** Whether this is a Unix-domain connection, and not one of TCP. */
    default boolean isUnix() {
        return false;
    }

    /** The channel to register for watching, in non-blocking mode; null if the anchor is in blocking mode, or is no channel. */
    SelectableChannel watched();

    /**
     * The socket of the JDK's own whose failure {@link AnchorWatch} is to notice; null if it ends only with its peer, and its link with it.
     */
    default Object failing() {
        return null;
    }

    /** The address of this end, or the {@linkplain UnixName name} that stands for it; null if it is not connected, or has none. */
    InetSocketAddress local();

    /** The address of the other end, or the {@linkplain UnixName name} that stands for it; null if it is not connected, or has none. */
    InetSocketAddress remote();

    /** The address of this end for people to read; null if it is not connected. */
    default SocketAddress shownLocal() {
        return local();
    }

    /** The address of the other end for people to read; null if it is not connected. */
    default SocketAddress shownRemote() {
        return remote();
    }

    /** Takes note that this end has connected. Called by the connecting thread, before others see the connection. */
    default void connected() {}

    /**
     * Takes note that a listener has accepted the connection. Called before its program has it.
     *
     * @param socket the stream that stands for it
     */
    default void accepted(StreamSocket socket) {}

    /**
     * Takes note that the adapter has closed it, and that the call has returned.
     *
     * @param aborted whether the close had to be a reset, as with {@code SO_LINGER} 0
     */
    default void closed(boolean aborted) {}

    /**
     * Gives the connection, which a listener has accepted, the name by which the other end calls it.
     *
     * @param given the name
     * @return false if its addresses say already which connection it is
     */
    default boolean name(InetSocketAddress given) {
        return false;
    }

    /** The type of service that the program has set, 0 to 255 as {@code IP_TOS}; 0 if none is set, or the anchor is closed. */
    int typeOfService();

    /** Whether it is connected, and not closed. */
    boolean isConnected();

    /**
     * The number of bytes that a read would get without waiting.
     *
     * @throws IOException if it is closed
     */
    int available() throws IOException;

    /**
     * Whether the peer has closed, has ended its output, or has reset the connection, as far as that can be told without reading. Bytes may
     * be left to read.
     *
     * @throws IOException if it is closed
     */
    boolean hasEnded() throws IOException;

    /**
     * Reads. The caller knows that the read will not wait: bytes are {@link #available()}, or the mode is non-blocking.
     *
     * @param dst the buffer to fill
     * @return the number of bytes, 0 for none now, -1 at the end
     * @throws IOException if it failed or is closed
     */
    int read(ByteBuffer dst) throws IOException;

    /**
     * Reads bytes that have come although the input was {@linkplain #shutdownInput shut}. No program sees them. Never waits.
     *
     * @param dst the buffer to fill
     * @return the number of bytes, 0 for none, whether or not more may come
     * @throws IOException if it failed or is closed
     */
    int readShut(ByteBuffer dst) throws IOException;

    /**
     * Sends a few bytes at once, whatever {@code TCP_NODELAY} says. Never waits, whichever mode it is in.
     *
     * @param bytes at most a kilobyte; the position advances by the number of bytes sent
     * @return the number of bytes sent; 0 if there was no room
     * @throws IOException if the peer has closed it, or this side has
     */
    int send(ByteBuffer bytes) throws IOException;

    /**
     * Ends the input, and wakes the threads that wait for it: reads return the end.
     *
     * @throws IOException if it is not connected any more
     */
    void shutdownInput() throws IOException;

    /**
     * Ends the output.
     *
     * @throws IOException if the output has ended already
     */
    void shutdownOutput() throws IOException;

    /** Whether this end has ended its output through the kernel. */
    boolean isOutputShut();

    /** Whether a close ends the connection in order although bytes are unread, unless the program has asked for a reset. */
    boolean closesInOrder();

    /**
     * Makes its close a reset.
     *
     * @throws IOException if it is closed
     */
    void resetOnClose() throws IOException;

    /**
     * Takes {@link #resetOnClose} back, on an anchor that was {@linkplain #keep kept}.
     *
     * @throws IOException if it is closed
     */
    void endOnClose() throws IOException;

    /**
     * Opens the same connection on a descriptor of its own. This anchor's {@link #close} does not end that duplicate if it
     * {@linkplain #resetOnClose has to be a reset}. For work on the connection after its program has closed.
     *
     * @return an anchor in blocking mode, which the caller closes; null if there can be none, or if the program has decided about its close
     *     with {@code SO_LINGER}
     * @throws IOException if this is closed, or there is no descriptor left
     */
    Anchor keep() throws IOException;

    /**
     * Closes the anchor. The adapter does that unless this was {@linkplain #keep kept}.
     *
     * @throws IOException if that fails
     */
    void close() throws IOException;
}
