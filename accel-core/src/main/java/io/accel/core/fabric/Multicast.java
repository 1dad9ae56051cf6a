// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;

/** Finds publishers and members of multicast groups on this host. Thread-safe. */
public interface Multicast {
    /**
     * Makes a publication, and then tells all processes that have {@linkplain #announce announced} themselves to look for it.
     *
     * @param flow what is published
     * @param ringSize the size of the ring in bytes, a power of two
     * @return the publication, with nothing published
     * @throws FallbackException if there can be none
     */
    Publication publish(GroupFlow flow, int ringSize) throws FallbackException;

    /**
     * Lets publishers tell this process of new publications.
     *
     * @param appeared called by a thread of Accel's, which must not block, each time that there may be a new one
     * @throws FallbackException if they cannot
     */
    void announce(Runnable appeared) throws FallbackException;

    /**
     * Lists the publications to a group.
     *
     * @param group address and port
     * @return their names
     * @throws IOException if shared memory cannot be looked at
     */
    Set<String> publications(InetSocketAddress group) throws IOException;

    /**
     * Subscribes to a publication.
     *
     * @param name its name
     * @param group the group that it must be for
     * @return the subscription
     * @throws FallbackException if there can be none
     */
    Subscription subscribe(String name, InetSocketAddress group) throws FallbackException;
}
