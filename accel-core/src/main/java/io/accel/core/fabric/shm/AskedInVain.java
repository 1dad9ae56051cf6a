// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Destinations for which listeners in other namespaces were asked again and again, whatever their address, and none
 * knew the connection. Most such destinations are on other hosts, and asking for each connection to them would cost
 * more than it brings. Any thread.
 */
final class AskedInVain {
    /** After this many failures in a row, asking stops. */
    static final int LIMIT = 8;

    private static final long PAUSE_NANOS = 60_000_000_000L;
    private static final int MOST = 1_000;

    private record Asked(int times, long until) {}

    private final ConcurrentMap<InetSocketAddress, Asked> destinations = new ConcurrentHashMap<>();

    /** Whether asking may be worth it at a time, as {@link System#nanoTime}. */
    boolean isWorthIt(InetSocketAddress destination, long now) {
        Asked asked = destinations.get(destination);
        if (asked == null || asked.times < LIMIT) {
            return true;
        }
        if (now - asked.until < 0) {
            return false;
        }
        destinations.remove(destination, asked);
        return true;
    }

    /** Notes that no listener knew the connection. */
    void inVain(InetSocketAddress destination, long now) {
        if (destinations.size() >= MOST) {
            destinations.clear();
        }
        destinations.merge(
                destination, new Asked(1, now + PAUSE_NANOS), (before, one) -> new Asked(before.times + 1, one.until));
    }

    /** Notes that a listener knew the connection. */
    void found(InetSocketAddress destination) {
        destinations.remove(destination);
    }
}
