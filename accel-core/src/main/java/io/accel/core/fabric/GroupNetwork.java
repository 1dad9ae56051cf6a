// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;

/**
 * Carries the datagrams of multicast groups between hosts, beside the kernel. Nothing here waits: a way to other hosts, or a membership,
 * opens some milliseconds later. Where the device refuses that, or goes away, it is tried again for as long as it is wanted: after a
 * second, after two, four, and so on, up to a minute. Thread-safe.
 */
public interface GroupNetwork {
    /**
     * Begins to open the way of a publisher's datagrams to other hosts.
     *
     * @param flow what is published
     * @param hops how many routers, and one more, a datagram may pass; 1 to 255
     * @param half runs a task while nobody uses the outlet, now or soon
     * @param watch told of changes
     */
    Outlet open(GroupFlow flow, int hops, Executor half, Watch watch);

    /**
     * Begins to hear a group.
     *
     * @param group the group
     * @param on an address of the interface by which it is heard
     * @param listener told of the datagrams, and of changes
     * @return ends the membership when it is closed
     */
    Membership join(Inet4Address group, Inet4Address on, Listener listener);

    /** Hears of changes, from the network's own thread, which it must not hold up. */
    interface Watch {
        /** From now on the network carries the datagrams. */
        void opened();

        /**
         * The network does not carry the datagrams until it is {@link #opened}. Called once for each time.
         *
         * @param why the reason
         */
        void closed(FallbackException why);
    }

    /**
     * A publisher's end. It never waits, and never fails: a datagram for which there is no room is lost, which members count. One thread
     * at a time, but for {@link #closed}.
     */
    interface Outlet {
        /** What {@link #most} returns while the way is not open. */
        int CLOSED = -1;

        /** The longest datagram that fits in bytes, or {@link #CLOSED}. All others are the kernel's. */
        int most();

        /** Why the way is not open; null if it is. Any thread. */
        FallbackException closed();

        /**
         * Writes one datagram.
         *
         * @param src the datagram, at most {@link #most()} bytes; it is not changed
         */
        void write(ByteBuffer src);

        /**
         * As {@link #write(ByteBuffer)}, for one that lies in several buffers.
         *
         * @param srcs the buffers
         * @param offset the index of the first
         * @param count how many
         */
        void write(ByteBuffer[] srcs, int offset, int count);

        /** Sends the datagram that was written last. */
        void send();

        /** Ends it. Once. */
        void free();
    }

    /** A membership in a group. */
    interface Membership {
        /** Ends it. The listener may be told of a datagram that was under way. */
        void close();
    }

    /** Hears the datagrams of a group. Called by one thread at a time, which it must not hold up. */
    interface Listener extends Watch {
        /**
         * A datagram has come.
         *
         * @param publisher a number that no other publisher has
         * @param number how many datagrams this publisher sent before
         * @param origin describes the publisher; asked only during this call
         * @param datagram the datagram, from position to limit; the memory is used again afterwards
         */
        void arrived(long publisher, long number, Origin origin, ByteBuffer datagram);

        /** A publisher sends nothing any more. */
        void ended(long publisher);

        /** Nothing comes any more, since the membership was ended. */
        void ended();
    }

    /** Describes the publisher of a datagram. */
    @FunctionalInterface
    interface Origin {
        /** What is published; the interface is the one by which it was heard. */
        GroupFlow flow();
    }
}
