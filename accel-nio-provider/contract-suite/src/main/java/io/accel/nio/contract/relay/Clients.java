// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.relay;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The clients behind the relay's own connections. Thread-safe. */
final class Clients {
    private final Map<Integer, InetSocketAddress> byPort = new ConcurrentHashMap<>();
    private final AtomicLong total = new AtomicLong();

    /** A client's connection is about to be passed on from that port. */
    void add(int port, InetSocketAddress client) {
        byPort.put(port, client);
        total.incrementAndGet();
    }

    InetSocketAddress behind(int port) {
        InetSocketAddress client = byPort.get(port);
        if (client == null) {
            throw new IllegalArgumentException("nothing is passed on from port " + port);
        }
        return client;
    }

    void clear() {
        byPort.clear();
    }

    long total() {
        return total.get();
    }
}
