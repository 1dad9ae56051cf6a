// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.lang.ref.WeakReference;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The Unix-domain connections that listeners of this process have accepted. They have no addresses by which a client could name one of
 * them, and the kernel tells no end which socket its other end is. So a client's connection is found by exclusion:
 *
 * <ol>
 *   <li>The kernel has said which process listens where the client is connected ({@code SO_PEERCRED}), and the client asks that process.
 *       The file by which it connected is one at which this process has been listening through Accel since before. So its other end is one
 *       of the connections here, if it was accepted; and it was accepted if the client has received a byte.
 *   <li>No end has received more than the other has sent. The number of bytes that an end has received is a lower bound, the number that
 * it has sent is an upper bound, and neither falls. So a connection that contradicts the client's numbers, compared in the right
 * order, is not the client's, however old the numbers are.
 *   <li>If one connection alone is left, it is the client's. If several are, the client asks again when more has gone by. One that a
 *       client was found for before is no other's.
 * </ol>
 *
 * <p>All of that holds only if none is missing here. So a connection stays until the kernel has told the other end of the close, which the
 * client looks for after the numbers were taken here; and if a program has dropped one without closing it, nothing is certain any more, and
 * nothing is found. Beside that the first bytes are compared ({@link StreamBeginnings}).
 *
 * <p>Any thread.
 */
final class UnixStreams {
    private static final UnixStreams OF_PROCESS = new UnixStreams();
    private static final int SWEEP_MASK = (1 << 8) - 1;
    private static final long SELECTORS_CLOSE_NANOS = 1_000_000_000L;

    /** An accepted connection; each equals itself alone. */
    static final class Accepted {
        /** Weak, since a program may drop a channel that it has not closed. */
        private final WeakReference<StreamSocket> socket;
        /** Whether a client was found for it. */
        private volatile boolean found;
        /** The JDK's channel, once that was closed; null before. */
        private volatile SelectableChannel closed;
        /** Whether the other end was told by the time the close had returned. Guarded by this. */
        private boolean isTold;
        /** Since when no selector has a key of the closed channel, as far as was seen; 0 while one has. Guarded by this. */
        private long unregisteredAt;

        private Accepted(StreamSocket socket) {
            this.socket = new WeakReference<>(socket);
        }

        /**
         * Takes note that the connection was closed.
         *
         * @param channel the JDK's channel, whose close has returned
         * @param mayBeSilent whether the kernel has told the other end of nothing as long as a selector has a key of the channel
         */
        void closed(SelectableChannel channel, boolean mayBeSilent) {
            synchronized (this) {
                isTold = !mayBeSilent;
                if (!channel.isRegistered()) {
                    unregisteredAt = System.nanoTime() - SELECTORS_CLOSE_NANOS;
                }
            }
            closed = channel;
        }

        /**
         * Whether the kernel has told the other end of the close. While a selector has a key of the channel, the JDK ends the output only,
         * and not even that with {@code SO_LINGER} 0. The selector closes the channel a moment after it has let go of the key.
         */
        synchronized boolean isGone() {
            if (isTold && closed != null) {
                return true;
            }
            if (closed == null || closed.isRegistered()) {
                return false;
            }
            long now = System.nanoTime();
            unregisteredAt = unregisteredAt == 0 ? now : unregisteredAt;
            return now - unregisteredAt >= SELECTORS_CLOSE_NANOS;
        }
    }

    private final Set<Accepted> accepted = ConcurrentHashMap.newKeySet();
    private final AtomicInteger added = new AtomicInteger();

    UnixStreams() {}

    static UnixStreams ofProcess() {
        return OF_PROCESS;
    }

    /** Adds a connection, before its program has it. */
    Accepted add(StreamSocket socket) {
        Accepted one = new Accepted(socket);
        accepted.add(one);
        if ((added.incrementAndGet() & SWEEP_MASK) == 0) {
            sweep();
        }
        return one;
    }

    private void sweep() {
        accepted.removeIf(each -> each.isGone());
    }

    /** Those that may be a client's, with their numbers as they are now. */
    Lineup lineup() {
        sweep();
        return new Lineup();
    }

    private record Seen(Accepted connection, long received, long sent) {}

    /** The state of the connections as seen at one time. */
    final class Lineup {
        private final List<Seen> all = new ArrayList<>();

        private Lineup() {
            for (Accepted each : accepted) {
                if (!each.found) {
                    StreamSocket socket = each.socket.get();
                    // Of a connection that was dropped nothing is known: it may have received nothing, and sent
                    // anything.
                    long received = socket == null ? 0 : socket.incoming().taken();
                    long sent =
                            socket == null ? Long.MAX_VALUE : socket.outgoing().givenAtMost();
                    all.add(new Seen(each, received, sent));
                }
            }
        }

        /**
         * Finds the client's connection.
         *
         * @param received how many bytes the client had received, at least, before the numbers here were taken
         * @param sent how many bytes the client had sent, at most, after that
         * @return the connection, which no other client can be found for any more
         * @throws FallbackException if it is not certain which it is
         */
        StreamSocket find(long received, long sent) throws FallbackException {
            if (received <= 0) {
                throw notYet("the client has received nothing yet");
            }
            Seen only = null;
            for (Seen each : all) {
                if (each.received <= sent && received <= each.sent) {
                    if (only != null) {
                        throw notYet("several connections have carried as much as the client's may have");
                    }
                    only = each;
                }
            }
            StreamSocket socket = only == null ? null : only.connection.socket.get();
            if (socket == null || socket.isClosed()) {
                throw notYet("no connection has carried as much as the client's");
            }
            synchronized (only.connection) {
                if (only.connection.found) {
                    throw notYet("another client was just found for the connection");
                }
                only.connection.found = true;
            }
            return socket;
        }

        private FallbackException notYet(String why) {
            return new FallbackException(FallbackReason.NOT_YET, why);
        }
    }
}
