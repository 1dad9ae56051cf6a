// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.net.Inet4Address;
import java.nio.ByteBuffer;

/** Carries the datagrams of multicast groups between hosts, beside the kernel. Thread-safe. */
public interface GroupNetwork {
    /**
     * Opens the way of a publisher's datagrams to other hosts. This takes milliseconds, and 10 seconds at most.
     *
     * @param flow what is published; its source's address is one of a device
     * @param hops how many routers, and one more, a datagram may pass; 1 to 255
     * @param failed called once, by any thread, if the way ends by itself
     * @throws FallbackException if there is none
     */
    Outlet open(GroupFlow flow, int hops, Runnable failed) throws FallbackException;

    /**
     * Hears a group. This takes milliseconds, and 10 seconds at most.
     *
     * @param group the group
     * @param on an address of the interface by which it is heard
     * @param listener told of the datagrams
     * @return ends the membership when it is closed
     * @throws FallbackException if it cannot be heard
     */
    Membership join(Inet4Address group, Inet4Address on, Listener listener) throws FallbackException;

    /**
     * A publisher's end. It never waits, and never fails: a datagram for which there is no room is lost, which members count. One thread
     * at a time.
     */
    interface Outlet {
        /** The longest datagram that fits in bytes. Others are the kernel's. */
        int most();

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
    interface Listener {
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

        /** Nothing comes any more: the membership was ended, or the device is gone. */
        void ended();
    }

    /** Describes the publisher of a datagram. */
    @FunctionalInterface
    interface Origin {
        /** What is published; the interface is the one by which it was heard. */
        GroupFlow flow();
    }
}
