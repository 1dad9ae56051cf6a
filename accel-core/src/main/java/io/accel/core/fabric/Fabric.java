package io.accel.core.fabric;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** A way to carry streams that is faster than the kernel's sockets. Thread-safe. */
public interface Fabric {
    /** The name in {@code fabric.order}, in logs and metrics, such as {@code shm}. */
    String name();

    /**
     * Begins to connect to a listener that has opened itself to this fabric.
     *
     * @param destination the address and port that the program connects to, resolved
     * @param source binds the program's end
     * @return the handshake under way
     * @throws FallbackException if this fabric cannot carry the connection; known in microseconds
     * @throws IOException if binding failed
     */
    Connecting connect(InetSocketAddress destination, Source source) throws IOException;

    /**
     * Opens a kernel listener to this fabric.
     *
     * @param bound the address and port that the kernel's listener is bound to
     * @param acceptor gets the connections
     * @return to be closed <em>before</em> the kernel's listener is
     * @throws FallbackException if this fabric cannot serve the listener
     */
    Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException;

    /**
     * The devices of this host that it can use, for people to read; asked anew each time, which takes milliseconds.
     *
     * @return empty if it needs none
     * @throws FallbackException if it needs one and there is none that this process may use
     */
    default List<DeviceInfo> devices() throws FallbackException {
        return List.of();
    }

    /** Gives a connection its local address. */
    interface Source {
        /**
         * Binds the program's end, unless the program did.
         *
         * @param address the address by which the destination is reached
         * @return address and port as the peer is to see them, the address never a wildcard
         * @throws IOException if it cannot be bound
         */
        InetSocketAddress bind(InetAddress address) throws IOException;
    }

    /** An open listener. */
    interface Listening extends AutoCloseable {
        /** Stops taking connections; those handed over live on. Idempotent. */
        @Override
        void close();
    }

    /** Takes connections that a listener's fabric has established. Called by the fabric's thread; must not block. */
    interface Acceptor {
        /** Takes a place in the accept queue; false if it is full. */
        boolean reserve();

        /** Gives the place back: the handshake failed. */
        void unreserve();

        /**
         * Takes a connection, for which a place was reserved. From now on the acceptor owns the link.
         *
         * @param link the connection
         * @param local the address that the client connected to
         * @param remote the client's address
         */
        void accept(Link link, InetSocketAddress local, InetSocketAddress remote);
    }
}
