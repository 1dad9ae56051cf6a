// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.PathInfo;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The destinations that a datagram socket has sent to, or has a link to, and what it remembers of each. */
final class DatagramDestinations {
    /** The most destinations remembered to be the kernel's; beyond that all of them are forgotten. */
    private static final int MOST = 4_096;

    /** The socket: a path's link changes under its monitor. */
    private final Object monitor;
    /** Entries come from senders, in their half, and from arriving links. */
    private final Map<InetSocketAddress, DatagramPath> paths = new ConcurrentHashMap<>();

    // Sending half only.
    private InetSocketAddress lastTarget;
    private DatagramPath lastPath;

    DatagramDestinations(Object monitor) {
        this.monitor = monitor;
    }

    /** The path that the next datagram takes. In the sending half. */
    @SuppressWarnings("ReferenceEquality") // the quick answer; equals() follows
    DatagramPath pathTo(InetSocketAddress target) {
        if ((target == lastTarget || target.equals(lastTarget)) && !lastPath.isForgotten()) {
            return lastPath;
        }
        DatagramPath path = paths.get(target);
        if (path == null) {
            if (paths.size() >= MOST) {
                List.copyOf(paths.values()).forEach(this::forget);
            }
            path = of(target);
        }
        lastTarget = target;
        lastPath = path;
        return path;
    }

    /** The path to a destination, which is remembered from now on if there was none. Any thread. */
    DatagramPath of(InetSocketAddress target) {
        return paths.computeIfAbsent(target, DatagramPath::new);
    }

    /** Forgets a destination that has no link, and for which no search is under way. Any thread. */
    void forget(DatagramPath path) {
        synchronized (monitor) {
            if (path.link() == null && path.publication() == null && !path.isSearching()) {
                path.forget();
                paths.remove(path.target(), path);
            }
        }
    }

    /** As {@link DatagramSocket#path}. */
    PathInfo info(InetSocketAddress target) {
        DatagramPath path = paths.get(target);
        return path == null ? PathInfo.KERNEL : path.info();
    }

    int size() {
        return paths.size();
    }
}
