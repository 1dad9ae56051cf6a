package io.accel.core.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;

/**
 * The kernel's connection under a stream: what the core asks of it. All else is between the adapter and the kernel. Any
 * thread.
 */
public interface Anchor {
    /** The channel to watch it by, in non-blocking mode; null if it is in blocking mode, or is no channel. */
    SelectableChannel watched();

    /** The address of this end; null if it is not connected. */
    InetSocketAddress local();

    /** The address of the other end; null if it is not connected. */
    InetSocketAddress remote();

    /** The type of service that the program has set, 0 to 255 as {@code IP_TOS}; 0 if there is none, or it is closed. */
    int typeOfService();

    /** Whether it is connected, and not closed. */
    boolean isConnected();

    /**
     * How many bytes a read would get without waiting.
     *
     * @throws IOException if it is closed
     */
    int available() throws IOException;

    /**
     * Whether the peer has closed or ended what it sends, or has reset the connection, as far as that can be told without reading;
     * bytes may be left to read.
     *
     * @throws IOException if it is closed
     */
    boolean hasEnded() throws IOException;

    /**
     * Reads. The caller knows that it will not wait: something is {@link #available()}, or the mode is non-blocking.
     *
     * @param dst where to
     * @return the number of bytes, 0 for none now, -1 at the end
     * @throws IOException if it failed or is closed
     */
    int read(ByteBuffer dst) throws IOException;

    /**
     * Reads what has come although the input was {@linkplain #shutdownInput shut}, which no program is given. Never waits.
     *
     * @param dst where to
     * @return the number of bytes, 0 for none, whether or not more may come
     * @throws IOException if it failed or is closed
     */
    int readShut(ByteBuffer dst) throws IOException;

    /**
     * Sends a few bytes at once, whatever {@code TCP_NODELAY} says. Never waits, whichever mode it is in.
     *
     * @param bytes at most a kilobyte; the position advances by what was sent
     * @return how many were sent; 0 if there was no room
     * @throws IOException if the peer has closed it, or this side has
     */
    int send(ByteBuffer bytes) throws IOException;

    /**
     * Ends what it receives, and wakes whoever waits for it: reads return the end.
     *
     * @throws IOException if it is not connected any more
     */
    void shutdownInput() throws IOException;

    /**
     * Ends what it sends.
     *
     * @throws IOException if that has ended already
     */
    void shutdownOutput() throws IOException;

    /** Whether this end has ended what it sends by it. */
    boolean isOutputShut();

    /** Whether its close is an end in order although something is unread, unless the program has asked for a reset. */
    boolean closesInOrder();

    /**
     * Makes its close a reset.
     *
     * @throws IOException if it is closed
     */
    void resetOnClose() throws IOException;

    /**
     * Takes {@link #resetOnClose} back, of one that was {@linkplain #keep kept}.
     *
     * @throws IOException if it is closed
     */
    void endOnClose() throws IOException;

    /**
     * The same connection by a descriptor of its own, for which this one's {@link #close} is none if that {@linkplain #resetOnClose
     * is to be a reset}. For who has something to do with the connection after its program.
     *
     * @return an anchor in blocking mode, the caller's to close; null if there is none to be had, or the program has said by
     *     {@code SO_LINGER} how its close is to go
     * @throws IOException if this is closed, or there is no descriptor left
     */
    Anchor keep() throws IOException;

    /**
     * Closes it, which is the adapter's to do unless this was {@linkplain #keep kept}.
     *
     * @throws IOException if that fails
     */
    void close() throws IOException;
}
