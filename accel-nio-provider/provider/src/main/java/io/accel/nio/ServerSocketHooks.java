// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The methods of a channel that {@link AccelServerSocket} needs beyond {@link ServerSocketChannel}'s own.
 *
 * <p>Implementations are safe for use by many threads.
 */
interface ServerSocketHooks {

    /** Returns the channel under the adaptor. */
    ServerSocketChannel channel();

    /**
     * Waits for a connection as {@link ServerSocketChannel#accept} of a blocking channel does, but within a time.
     *
     * @param timeoutNanos how long to wait, in nanoseconds, more than 0
     * @return the connection, never null
     * @throws java.net.SocketTimeoutException ("Accept timed out") if the time is over
     * @throws java.nio.channels.IllegalBlockingModeException if the channel is non-blocking
     * @throws java.nio.channels.NotYetBoundException if the channel is not bound
     */
    SocketChannel acceptBlocking(long timeoutNanos) throws IOException;

    /** Returns the bound address, or null while unbound. A close does not change it. */
    InetSocketAddress localAddressOrNull();
}
