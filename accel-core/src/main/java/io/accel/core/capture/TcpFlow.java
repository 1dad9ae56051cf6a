// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import io.accel.core.fabric.MemoryRegion;
import io.accel.core.stream.StreamTap;
import java.net.InetSocketAddress;

/**
 * One connection as TCP segments. Sequence numbers are positions in the stream. Bytes that were not captured, because
 * the kernel carried them or because there was no room, are missing as a lost segment is. The threads of both
 * directions use the flow; a segment acknowledges the bytes that went the other way before.
 */
public final class TcpFlow {
    private static final int FIN = 1;
    private static final int RST = 4;
    private static final int PSH = 8;
    private static final int ACK = 16;

    private final Capture capture;
    private final Direction outgoing;
    private final Direction incoming;

    /** The bytes that one end sends. */
    private final class Direction implements StreamTap {
        private final boolean out;
        private final Packets packets;
        /** The origin of the positions that a tap is given. */
        private final long base;
        /** The position of the next byte. Guarded by the flow. */
        private long next;
        /** Guarded by the flow. */
        private boolean ended;

        Direction(boolean out, InetSocketAddress from, InetSocketAddress to, long base, long next) {
            this.out = out;
            this.packets = new Packets(from, to);
            this.base = base;
            this.next = next;
        }

        private Direction other() {
            return out ? incoming : outgoing;
        }

        @Override
        public void take(MemoryRegion ring, long cursor, int n, long position) {
            synchronized (TcpFlow.this) {
                try {
                    copy(ring, cursor, n, base + position);
                } catch (Throwable e) {
                    capture.failed(e);
                }
            }
        }

        private void copy(MemoryRegion ring, long cursor, int n, long position) {
            int length;
            for (int at = 0; at < n && !capture.isOver(); at += length) {
                length = Math.min(n - at, Packets.MOST_TCP);
                TcpHeader header = new TcpHeader(position + at, other().next, at + length == n ? PSH | ACK : ACK);
                boolean unused = capture.add(packets, out, header, ring, cursor + at, length);
                next = position + at + length;
            }
        }

        @Override
        public void end(boolean reset) {
            synchronized (TcpFlow.this) {
                if (!ended
                        && !capture.isOver()
                        && capture.add(packets, out, new TcpHeader(next, other().next, (reset ? RST : FIN) | ACK))) {
                    next += reset ? 0 : 1;
                }
                ended = true;
            }
        }
    }

    /**
     * Makes the flow of a connection in its present state.
     *
     * @param capture receives the segments
     * @param local this end's address
     * @param remote the peer's address
     * @param sentByLinks how many bytes went over the connection's links before this one
     * @param receivedByLinks how many bytes came over those
     * @param sent how many bytes have been sent in all
     * @param received how many bytes have been received in all
     */
    public TcpFlow(
            Capture capture,
            InetSocketAddress local,
            InetSocketAddress remote,
            long sentByLinks,
            long receivedByLinks,
            long sent,
            long received) {
        this.capture = capture;
        this.outgoing = new Direction(true, local, remote, sentByLinks, sent);
        this.incoming = new Direction(false, remote, local, receivedByLinks, received);
    }

    /** The tap for bytes that this end sends. */
    public StreamTap outgoing() {
        return outgoing;
    }

    /** The tap for bytes that this end receives. */
    public StreamTap incoming() {
        return incoming;
    }
}
