package io.accel.core.socket;

import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Remembers for {@code connect.negative-ttl} the peers that let a handshake time out, so that each costs it once. */
final class SilentPeers {
    private static final int MOST = 10_000;

    private final long keepNanos;
    private final ConcurrentMap<InetSocketAddress, Long> until = new ConcurrentHashMap<>();

    SilentPeers(long keepNanos) {
        this.keepNanos = keepNanos;
    }

    void remember(InetSocketAddress peer) {
        if (until.size() >= MOST) {
            until.clear();
        }
        until.put(peer, System.nanoTime() + Math.min(keepNanos, Long.MAX_VALUE / 2));
    }

    boolean contains(InetSocketAddress peer) {
        Long end = until.isEmpty() ? null : until.get(peer);
        if (end == null) {
            return false;
        }
        if (System.nanoTime() - end >= 0) {
            until.remove(peer, end);
            return false;
        }
        return true;
    }
}
