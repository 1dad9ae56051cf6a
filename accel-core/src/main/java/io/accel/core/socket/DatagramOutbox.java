// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.datagram.LinkErrorException;
import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * What a datagram socket sends: over the link to its destination, to the members of a group, or through the kernel. In the sending half,
 * but for what pollers ask.
 */
final class DatagramOutbox {
    private final DatagramSocket socket;
    private final DatagramChannel kernel;
    private final DatagramDestinations destinations;
    private final DatagramInbox inbox;

    /** Whether the kernel had no room for the last datagram that went through it. Written by senders, cleared by pollers. */
    private volatile boolean kernelFull;

    DatagramOutbox(DatagramSocket socket, DatagramDestinations destinations, DatagramInbox inbox) {
        this.socket = socket;
        this.kernel = socket.kernel();
        this.destinations = destinations;
        this.inbox = inbox;
    }

    /** As {@link DatagramSocket#send}; a socket that is connected may hear of the datagram's failure. */
    int send(ByteBuffer src, InetSocketAddress target, boolean connected) throws IOException {
        DatagramPath path = destinations.pathTo(target);
        DatagramLink link = usable(path, src.remaining());
        if (link != null) {
            int n = src.remaining();
            try {
                sent(link, link.sender().send(src));
                return n;
            } catch (CorruptLinkException e) {
                socket.corrupt(link, e);
            } catch (LinkErrorException e) {
                if (isBehindFailure(link, e)) {
                    return n;
                }
            } catch (InternalError e) {
                giveUpAfterFault(link, e);
            }
        }
        GroupPublication group = path.publication();
        boolean empty = !src.hasRemaining();
        int n = group == null ? kernel.send(src, target) : group.send(kernel, src, target);
        kernelFull = n == 0 && !empty;
        if (connected) {
            inbox.kernelMayFail();
        }
        socket.findOnce(path);
        return n;
    }

    /** As {@link DatagramSocket#write}, to the peer of the connection. */
    long write(ByteBuffer[] srcs, int offset, int count, InetSocketAddress peer) throws IOException {
        DatagramPath path = destinations.pathTo(peer);
        long n = 0;
        for (int i = offset; i < offset + count; i++) {
            n += srcs[i].remaining();
        }
        DatagramLink link = usable(path, n);
        if (link != null) {
            try {
                sent(link, link.sender().send(srcs, offset, count, (int) n));
                return n;
            } catch (CorruptLinkException e) {
                socket.corrupt(link, e);
            } catch (LinkErrorException e) {
                if (isBehindFailure(link, e)) {
                    return n;
                }
            } catch (InternalError e) {
                giveUpAfterFault(link, e);
            }
        }
        GroupPublication group = path.publication();
        long written = group == null ? kernel.write(srcs, offset, count) : group.write(kernel, srcs, offset, count, n);
        kernelFull = written == 0 && n > 0;
        inbox.kernelMayFail();
        socket.findOnce(path);
        return written;
    }

    /** Gives a link up that has failed. Returns whether the datagram has left its buffer, so that the kernel must not send it as well. */
    private boolean isBehindFailure(DatagramLink link, LinkErrorException e) {
        socket.failed(link, e.getCause());
        return e.isBehind();
    }

    /** Gives a link up whose memory has failed; another error is thrown. */
    private void giveUpAfterFault(DatagramLink link, InternalError e) {
        if (!link.isFaultOf(e)) {
            throw e;
        }
        socket.failed(link, e);
    }

    private static void sent(DatagramLink link, boolean taken) {
        link.use();
        if (!taken) {
            ProcessCounters.dropped(Drop.DATAGRAM);
        }
    }

    /** The link over which to send so many bytes; null for the kernel, which also reports a length that is too long for any datagram. */
    private DatagramLink usable(DatagramPath path, long length) {
        DatagramLink link = path.link();
        if (link == null
                || length
                        > (path.target().getAddress() instanceof Inet4Address
                                ? DatagramSocket.MOST_IPV4
                                : DatagramSocket.MOST_IPV6)) {
            return null;
        }
        if (isOver(link)) {
            // The datagrams that the peer has sent are still to be received. The next ones to it may be for its
            // successor.
            path.unlink(link);
            return null;
        }
        return link;
    }

    private boolean isOver(DatagramLink link) {
        try {
            return link.isOverNow();
        } catch (RuntimeException | InternalError e) {
            socket.failed(link, e);
            return true;
        }
    }

    /** Whether the kernel had no room for the last datagram. Any thread. */
    boolean isKernelFull() {
        return kernelFull;
    }

    /** Takes note that the kernel has room again. Pollers. */
    void kernelHasRoom() {
        kernelFull = false;
    }
}
