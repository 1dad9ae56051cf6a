// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import io.accel.core.datagram.DatagramTap;
import io.accel.core.fabric.MemoryRegion;
import java.net.InetSocketAddress;

/**
 * The traffic over a link between two datagram sockets, as UDP datagrams. Its directions know nothing of each other.
 */
public final class UdpFlow {
    private static final UdpHeader HEADER = new UdpHeader();

    private final Direction outgoing;
    private final Direction incoming;

    /** The datagrams that one end sends. */
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
     * Makes the flow of a link.
     *
     * @param capture receives the datagrams
     * @param local this end's address
     * @param remote the peer's address
     */
    public UdpFlow(Capture capture, InetSocketAddress local, InetSocketAddress remote) {
        this.outgoing = new Direction(capture, true, new Packets(local, remote));
        this.incoming = new Direction(capture, false, new Packets(remote, local));
    }

    /** The tap for datagrams that this end sends. */
    public DatagramTap outgoing() {
        return outgoing;
    }

    /** The tap for datagrams that this end receives. */
    public DatagramTap incoming() {
        return incoming;
    }
}
