// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.Context;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Clients that have asked for a link and wait until the program accepts their connections. The connection manager tells nothing of them: the
 * kernel ({@code ucma_event_handler}) reports no events of an identifier that came with a request before the request is accepted, neither
 * that the client has gone nor that the device is being removed. So each waits only as long as a client does, and {@link OpenDevices} sees
 * that a device is gone.
 *
 * <p>Only the service's thread.
 */
final class WaitingClients {
    private static final long PAUSE_NANOS = 250_000_000L;

    /** One of the clients. */
    interface Client {
        /** The device by which it asks. */
        Context device();

        /** When it has waited long enough, on {@link System#nanoTime()}'s scale. */
        long deadline();

        /**
         * Ends the wait, and removes the client from here.
         *
         * @param why the reason in words
         */
        void end(String why);
    }

    private final Set<Client> clients = new LinkedHashSet<>();
    private long lookAt = System.nanoTime();

    /** Adds a client, or does nothing if it waits already. */
    void add(Client client) {
        clients.add(client);
    }

    /** Removes a client, which need not be here. */
    void remove(Client client) {
        clients.remove(client);
    }

    /** When to call {@link #look}; {@link Long#MAX_VALUE} for never. */
    long nextLook() {
        return clients.isEmpty() ? Long.MAX_VALUE : lookAt;
    }

    /** Ends those that have waited long enough, if it is time to look. */
    void look(long now) {
        if (clients.isEmpty() || now - lookAt < 0) {
            return;
        }
        lookAt = now + PAUSE_NANOS;
        for (Client client : List.copyOf(clients)) {
            if (now - client.deadline() >= 0) {
                client.end("the program has not accepted its connection in time");
            }
        }
    }

    /** Ends those that have asked by a device that is gone. */
    void deviceGone(Context device) {
        for (Client client : List.copyOf(clients)) {
            if (client.device() == device) {
                client.end("its device is being removed");
            }
        }
    }
}
