// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import io.accel.FallbackReason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** A way to carry streams that is faster than the kernel's sockets. Thread-safe. */
public interface Fabric {
    /** The name in {@code fabric.order}, in logs and metrics, such as {@code shm}. */
    String name();

    /**
     * Begins to ask a listener that has opened itself to this fabric for a link.
     *
     * @param destination the address and port that the program is connected to, or sends to
     * @param source the program's end
     * @param ringSize bytes of either ring, a power of two; the peer may have less
     * @return the handshake under way
     * @throws FallbackException if this fabric cannot carry the connection; that is known within microseconds
     * @throws IOException if the program's end no longer exists
     */
    Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException;

    /**
     * Opens a kernel listener to this fabric.
     *
     * @param bound the address and port that the kernel's listener is bound to
     * @param acceptor receives the connections
     * @return a handle to close <em>before</em> the kernel's listener, unless it {@linkplain #mayOutliveListener may
     * outlive} that
     * @throws FallbackException if this fabric cannot serve the listener
     */
    Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException;

    /**
     * Whether a client learns that the listener has heard it before it learns the decision. Where it does not, a
     * waiter cannot rely on that word alone.
     */
    default boolean saysPending() {
        return true;
    }

    /**
     * Whether a {@link Listening} may stay open when the kernel's listener has closed, so that connections accepted
     * from it can still move; false if an open one keeps others from listening.
     */
    default boolean mayOutliveListener() {
        return true;
    }

    /**
     * Whether the fabric compares the {@linkplain Beginnings first bytes} of connections, so that the ends should
     * record them.
     */
    default boolean comparesBeginnings() {
        return false;
    }

    /**
     * Lists the devices of this host that the fabric can use, for people to read; each call asks anew, which takes
     * milliseconds.
     *
     * @return empty if the fabric needs no device
     * @throws FallbackException if the fabric needs a device and there is none that this process may use
     */
    default List<DeviceInfo> devices() throws FallbackException {
        return List.of();
    }

    /**
     * The multicast groups between hosts.
     *
     * @return what carries their datagrams
     * @throws FallbackException if nothing does here
     */
    default GroupNetwork groups() throws FallbackException {
        throw new FallbackException(FallbackReason.NOT_LOCAL, name() + " reaches no other host");
    }

    /** Knows the local address of the program's end. */
    interface Source {
        /**
         * Returns the local address of the program's end.
         *
         * @param address the address by which the destination is reached
         * @return address and port as the peer sees them; the address is never a wildcard
         * @throws IOException if the end has none
         */
        InetSocketAddress bind(InetAddress address) throws IOException;

        /** The type of service that the program has asked of the kernel, 0 to 255 as {@code IP_TOS}; 0 for none. */
        default int typeOfService() {
            return 0;
        }

        /**
         * Stands for the thread that waits for the link: the same object for all links that it waits for, by identity. Links with one
         * waiter may share what they are woken by. Null if the waiter is not known.
         */
        default Object waiter() {
            return null;
        }

        /** The bytes that the connection has carried so far; null if nobody has seen them. */
        default Beginnings beginnings() {
            return null;
        }

        /**
         * Whether the link has to be there before the connection carries anything. Then no {@linkplain #beginnings first bytes} can show
         * that the listener is the peer.
         */
        default boolean isAtOnce() {
            return false;
        }

        /** The traits that tell the connection from others if its ends have no addresses by which both know it; null if they have. */
        default Traits traits() {
            return null;
        }
    }

    /** The knowledge of the client's end about a connection whose ends have no addresses. Any thread. */
    interface Traits {
        /** The process that listens where the client connected, as the kernel has it; 0 if that is not known. */
        int listeningProcess();

        /** When the client connected, at the latest, as {@link System#nanoTime()} of this host. */
        long connectedAt();

        /** How many bytes the client has received at least. */
        long receivedAtLeast();

        /**
         * How many bytes the client has sent at most.
         *
         * @return the number; {@link Long#MAX_VALUE} while more is being sent; -1 if the peer has ended the connection
         */
        long sentAtMost();
    }

    /** An open listener. */
    interface Listening extends AutoCloseable {
        /** Stops taking connections; those handed over live on. Idempotent. */
        @Override
        void close();

        /**
         * Why clients cannot ask yet, although this is open and will serve them once the reason has passed; null if
         * they can.
         */
        default FallbackException waitsFor() {
            return null;
        }
    }

    /**
     * Takes the links that clients ask for, each for a connection that the two already have. Called by the fabric's thread;
     * must not block.
     */
    interface Acceptor {
        /**
         * A connection that the program has accepted.
         *
         * @param local this end's address, as this end sees it
         * @param beginnings the bytes that the connection has carried so far
         */
        record Known(InetSocketAddress local, Beginnings beginnings) {}

        /**
         * Looks for a connection of which only the client's address is known for certain: between network namespaces
         * addresses may be translated on the way.
         *
         * @param local the address that the client connected to
         * @param remote the client's address, as both ends see it
         * @return null if there is no such connection, or nobody has seen the bytes that it has carried
         */
        default Known known(InetSocketAddress local, InetSocketAddress remote) {
            return null;
        }

        /** The connections that may be a client's, as they were when they were looked at. */
        interface Lineup {
            /**
             * Finds the client's among them, and gives it the names by which the client asks.
             *
             * @param connectedAt when the client connected, at the latest
             * @param received how many bytes the client had received, at least, before this was made
             * @param sent how many bytes the client had sent, at most, after this was made
             * @throws FallbackException if none is certain to be the client's
             */
            void name(long connectedAt, long received, long sent) throws FallbackException;
        }

        /**
         * Looks at the connections that have no addresses by which both ends know them.
         *
         * @param local as in {@link #reserve}
         * @param remote as in {@link #reserve}
         * @return null if connections have addresses here, or the client's was named before
         */
        default Lineup lineup(InetSocketAddress local, InetSocketAddress remote) {
            return null;
        }

        /**
         * A client asks for a link for the connection between two addresses; this keeps a place for the link.
         *
         * @param local the address that the client connected to
         * @param remote the client's address
         * @param again run once, by any thread, when it is worth asking again after this returned false
         * @return false if there is no decision yet, because the program has not accepted the connection
         * @throws FallbackException if there can be no link; the client is told so
         */
        boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again) throws FallbackException;

        /**
         * Decides the ring size of a link for which a place was reserved.
         *
         * @param asked bytes of either ring, as the client asks
         * @return that size, or more if this end has use for it; a fabric need not heed it
         */
        default int ringSize(int asked) {
            return asked;
        }

        /**
         * Stands for the thread that waits at this end for the link for which a place was reserved, as {@link Source#waiter}.
         *
         * @param local as in {@link #reserve}
         * @param remote as in {@link #reserve}
         */
        default Object waiter(InetSocketAddress local, InetSocketAddress remote) {
            return null;
        }

        /**
         * Gives the place back: the client went away before it was {@linkplain #offered offered} a link.
         *
         * @param local as in {@link #reserve}
         * @param remote as in {@link #reserve}
         */
        void unreserve(InetSocketAddress local, InetSocketAddress remote);

        /**
         * Takes the link, for which a place was reserved, before the client hears of it. From now on the acceptor
         * owns the link, and frees it when the connection closes. The client uses the link as soon as it has the
         * answer.
         *
         * @param link the link
         * @param local as in {@link #reserve}
         * @param remote as in {@link #reserve}
         * @return false if it is too late, and the link stays the caller's
         */
        boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote);

        /**
         * The doorbell of a link that was offered and not confirmed is readable: takes the ring, and looks whether
         * the client has {@linkplain Link#ATTACHED said} that it has the link, or is gone.
         *
         * @param link the link, perhaps freed meanwhile
         * @return whether the handshake is over
         */
        boolean isSettled(Link link);

        /**
         * The client has the link, too. This is for fabrics that learn of it by another way than {@link #isSettled}.
         *
         * @param link the link
         */
        void confirmed(Link link);

        /**
         * The client is gone and never had the link, or {@link #offered} threw an error. As {@link #confirmed}; the acceptor
         * frees the link, if it has not.
         *
         * @param link the link
         */
        void withdrawn(Link link);
    }
}
