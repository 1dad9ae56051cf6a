// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/**
 * The methods of a channel that {@link AccelSocket} needs beyond {@link SocketChannel}'s own.
 *
 * <p>The adaptor does everything that the public methods of the channel can do (bind, close, shutdown, options) through {@link
 * #channel()}. Implementations are safe for use by many threads; a read and a write never wait for each other. Asynchronous close and
 * interrupts end the blocking methods as they end those of the channel.
 */
interface SocketHooks {

    /**
     * Returns the channel under the adaptor. Its {@code supportedOptions()} must hold the JDK's {@code SO_OOBINLINE} (found by that
     * name) for the adaptor's {@code setOOBInline} to work.
     */
    SocketChannel channel();

    /**
     * Connects the channel as the JDK's own adaptor does, which checks the arguments and the state, and whose exceptions releases of the JDK
     * choose differently.
     *
     * @param timeoutMillis how long to try, in milliseconds; 0 means without limit
     * @throws IOException as {@link java.net.Socket#connect(SocketAddress, int)}
     */
    void connectBlocking(SocketAddress remote, int timeoutMillis) throws IOException;

    /**
     * Waits until at least one byte has come and copies what is there, at most {@code len} bytes. The adaptor has
     * checked the range, that {@code len} is not 0, and, without a lock, that the channel is open and blocking; an
     * implementation whose mode may change in between checks again under its own lock.
     *
     * @param timeoutNanos how long to wait, in nanoseconds; 0 means without limit
     * @return the number of bytes, at least 1, or -1 at the end of the stream or after {@code shutdownInput}
     * @throws java.net.SocketTimeoutException ("Read timed out") if the time is over; nothing is lost, and the next
     *     read goes on
     * @throws java.nio.channels.IllegalBlockingModeException if the channel is non-blocking
     */
    int readBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException;

    /**
     * Writes all {@code len} bytes, and waits for room as often as needed. The adaptor has made the same checks as for {@link
     * #readBlocking}.
     *
     * @throws java.nio.channels.IllegalBlockingModeException if the channel is non-blocking
     */
    void writeBlocking(byte[] b, int off, int len) throws IOException;

    /**
     * Returns the number of bytes that a read would return without waiting; 0 at the end of the stream and after
     * {@code shutdownInput}.
     *
     * @throws java.nio.channels.ClosedChannelException if the channel is closed
     * @throws java.nio.channels.NotYetConnectedException if it is not connected
     */
    int available() throws IOException;

    /**
     * Sends the low eight bits of {@code data} as TCP urgent data.
     *
     * @throws java.nio.channels.ClosedChannelException if the channel is closed
     * @throws java.nio.channels.NotYetConnectedException if it is not connected
     * @throws IOException if it cannot be sent, with the reason
     */
    void sendUrgentData(int data) throws IOException;

    /** Returns the bound address, or null while unbound. A close does not change it. */
    SocketAddress localAddressOrNull();

    /**
     * Returns the address connected to or being connected to, or null before the first attempt. A close does not change it.
     */
    SocketAddress remoteAddressOrNull();

    /** Whether {@code shutdownInput} was called. A close does not count. */
    boolean isInputShutdown();

    /** Whether {@code shutdownOutput} was called. A close does not count. */
    boolean isOutputShutdown();
}
