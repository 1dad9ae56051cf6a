// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Tells which datagrams the kernel and RDMA have both brought, whichever was first. Either may lose some, and change their order. So each
 * datagram that came one way alone waits for one that is equal, from the same sender, by the other. Of equal datagrams as many are
 * delivered as came by the way that brought more of them, and never more than were sent.
 *
 * <p>Datagrams are remembered by a hash of 64 bits with a secret seed, for {@link #MOST_NANOS} at most. In the receiving half.
 */
final class NetworkCopies {
    /** Longer than one way may be behind the other. */
    static final long MOST_NANOS = 10_000_000_000L;

    /** How many datagrams that have come one way alone are remembered: a power of two. */
    static final int MOST = 8_192;

    private static final long SEED = ThreadLocalRandom.current().nextLong() | 1;
    private static final long FACTOR = 0x9e37_79b9_7f4a_7c15L;
    private static final int TURN = 29;

    private final Unmatched fromKernel = new Unmatched();
    private final Unmatched fromNetwork = new Unmatched();

    /** Those that have come one way, oldest first. A place is 0 once the other way has brought its datagram. */
    private static final class Unmatched {
        private final long[] hashes = new long[MOST];
        private final long[] times = new long[MOST];
        private long first;
        private long next;

        void add(long hash, long now) {
            int at = (int) next & (MOST - 1);
            hashes[at] = hash;
            times[at] = now;
            next++;
            if (next - first > MOST) {
                first++;
            }
        }

        boolean take(long hash, long now) {
            while (first < next && isOver((int) first & (MOST - 1), now)) {
                first++;
            }
            for (long i = first; i < next; i++) {
                int at = (int) i & (MOST - 1);
                if (hashes[at] == hash) {
                    hashes[at] = 0;
                    return true;
                }
            }
            return false;
        }

        private boolean isOver(int at, long now) {
            return hashes[at] == 0 || now - times[at] > MOST_NANOS;
        }
    }

    /**
     * Takes note of a datagram that the kernel has brought. Returns whether the network has brought it before.
     *
     * @param datagram from position to limit, which are not changed
     */
    boolean isSecondFromKernel(InetSocketAddress from, ByteBuffer datagram) {
        return isSecond(hash(from, datagram), System.nanoTime(), fromKernel, fromNetwork);
    }

    /** As {@link #isSecondFromKernel}, for one that the network has brought. */
    boolean isSecondFromNetwork(InetSocketAddress from, ByteBuffer datagram) {
        return isSecond(hash(from, datagram), System.nanoTime(), fromNetwork, fromKernel);
    }

    /** As {@link #isSecondFromKernel}, with the time. */
    static boolean isSecond(long hash, long now, Unmatched own, Unmatched other) {
        if (other.take(hash, now)) {
            return true;
        }
        own.add(hash, now);
        return false;
    }

    private static long hash(InetSocketAddress from, ByteBuffer datagram) {
        long hash = mix(SEED, ((long) from.getAddress().hashCode() << Short.SIZE) + from.getPort());
        int at = datagram.position();
        int end = datagram.limit();
        hash = mix(hash, end - at);
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = mix(hash, datagram.getLong(at));
        }
        for (; at < end; at++) {
            hash = mix(hash, datagram.get(at));
        }
        hash = mix(hash, SEED);
        return hash == 0 ? 1 : hash;
    }

    private static long mix(long hash, long word) {
        return Long.rotateLeft((hash ^ word) * FACTOR, TURN) + SEED;
    }
}
