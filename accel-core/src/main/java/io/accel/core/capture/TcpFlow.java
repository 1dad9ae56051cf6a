package io.accel.core.capture;

import io.accel.core.fabric.MemoryRegion;
import io.accel.core.stream.StreamTap;
import java.net.InetSocketAddress;

/**
 * One connection as segments of TCP. Sequence numbers are positions in the stream, so what was not captured, because the kernel carried
 * it or because there was no room, is missing as a lost segment is. The threads of both directions use it; a segment acknowledges what
 * went the other way before.
 */
public final class TcpFlow {
    private static final int FIN = 1;
    private static final int RST = 4;
    private static final int PSH = 8;
    private static final int ACK = 16;

    private final Capture capture;
    private final Direction outgoing;
    private final Direction incoming;

    /** What one end sends. */
    private final class Direction implements StreamTap {
        private final boolean out;
        private final Packets packets;
        /** What the positions that a tap is told are counted from. */
        private final long base;
        /** Of the next byte. Guarded by the flow. */
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
     * A connection as it is now.
     *
     * @param capture where segments go
     * @param local this end
     * @param remote the peer's
     * @param sentByLinks how many bytes went over links that it had before this one
     * @param receivedByLinks how many came by those
     * @param sent how many bytes have gone by in all
     * @param received how many have come
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

    /** Takes what this end sends. */
    public StreamTap outgoing() {
        return outgoing;
    }

    /** Takes what it receives. */
    public StreamTap incoming() {
        return incoming;
    }
}
