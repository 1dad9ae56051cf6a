// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Fabric.Traits;
import java.net.InetSocketAddress;

/**
 * The link that a client asks for.
 *
 * @param config the client's settings
 * @param namespace the client's network namespace
 * @param ringSize bytes of either ring
 * @param local the client's address of the connection
 * @param destination the address that it connected to
 * @param beginnings what the connection has carried, for listeners that have to compare it; null if none is asked to do so
 * @param traits the traits that tell the connection from others if it has no addresses; null if it has
 */
record Wanted(
        ShmConfig config,
        Namespace namespace,
        int ringSize,
        InetSocketAddress local,
        InetSocketAddress destination,
        Beginnings beginnings,
        Traits traits) {
    Wanted(
            ShmConfig config,
            Namespace namespace,
            int ringSize,
            InetSocketAddress local,
            InetSocketAddress destination,
            Beginnings beginnings) {
        this(config, namespace, ringSize, local, destination, beginnings, null);
    }

    /** The hello that a listener gets. */
    Hello hello(long nonce) {
        return new Hello(
                nonce,
                ringSize,
                local,
                destination,
                namespace.name(),
                beginnings == null ? 0 : beginnings.sent(),
                beginnings == null ? 0 : beginnings.received());
    }
}
