package io.accel.core.capture;

import io.accel.core.datagram.DatagramTap;
import io.accel.core.fabric.MemoryRegion;
import java.net.InetSocketAddress;

/** What goes over a link between two datagram sockets, as datagrams of UDP. Its directions know nothing of each other. */
public final class UdpFlow {
    private static final UdpHeader HEADER = new UdpHeader();

    private final Direction outgoing;
    private final Direction incoming;

    /** What one end sends. */
    private record Direction(Capture capture, boolean out, Packets packets) implements DatagramTap {
        @Override
        public void take(MemoryRegion ring, long cursor, int length) {
            try {
                if (!capture.isOver()) {
                    boolean unused = capture.add(packets, out, HEADER, ring, cursor, length);
                }
            } catch (Throwable e) {
                capture.failed(e);
            }
        }
    }

    /**
     * A link.
     *
     * @param capture where datagrams go
     * @param local this end
     * @param remote the peer's
     */
    public UdpFlow(Capture capture, InetSocketAddress local, InetSocketAddress remote) {
        this.outgoing = new Direction(capture, true, new Packets(local, remote));
        this.incoming = new Direction(capture, false, new Packets(remote, local));
    }

    /** Takes what this end sends. */
    public DatagramTap outgoing() {
        return outgoing;
    }

    /** Takes what it receives. */
    public DatagramTap incoming() {
        return incoming;
    }
}
