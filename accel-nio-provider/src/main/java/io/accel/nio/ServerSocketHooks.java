package io.accel.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * What {@link AccelServerSocket} asks of its channel beyond {@link ServerSocketChannel}'s own methods.
 *
 * <p>Implementations are safe for use by many threads.
 */
interface ServerSocketHooks {

    /** The channel whose adaptor this is. */
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

    /** The bound address, or null while unbound. After a close it is what it was before. */
    InetSocketAddress localAddressOrNull();
}
