// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * Receives the next datagram of a socket from the kernel or a link, without waiting. In the receiving half, except where a method says
 * otherwise.
 *
 * <p><b>Order.</b> Datagrams that a sender sent through the kernel before its link was there are received first: the first datagram of a
 * link is delivered only when the kernel has none left.
 */
final class DatagramInbox {
    /** One receive in this many looks at the kernel first, so that busy links do not keep its datagrams waiting. */
    private static final int KERNEL_EVERY = 64;
    /** Right after a datagram of a link, the kernel is not asked again if it had none less than this many nanoseconds ago. */
    private static final long KERNEL_NEWS_NANOS = 20_000;

    private final DatagramChannel kernel;
    private final DatagramLinks links;
    /**
     * The source of the kernel's last datagram; null once a link to it has ended. Written by receivers and when links end, read by senders
     * without ordering: a race costs a search.
     */
    private InetSocketAddress kernelSource;
    /**
     * Whether the kernel may have an error to report, since it has sent for a connected socket. Written by senders, cleared by receivers.
     */
    private volatile boolean kernelMayFail;

    private int untilKernel = KERNEL_EVERY;
    /** Whether a link had a datagram since the kernel was last left aside. */
    private boolean hit;
    /** Whether the last receive had a datagram. */
    private boolean emptying;

    private long kernelEmptyAt;
    /** The buffer in which the kernel's datagrams are received whole before they go into several buffers; null until it is first needed. */
    private ByteBuffer unscattered;

    DatagramInbox(DatagramChannel kernel, DatagramLinks links) {
        this.kernel = kernel;
        this.links = links;
    }

    /** As {@link DatagramSocket#receive(ByteBuffer)}. */
    InetSocketAddress receive(ByteBuffer dst) throws IOException {
        if (links.isEmpty()) {
            return receiveFromKernel(dst);
        }
        InetSocketAddress from;
        do {
            from = receiveNext(dst);
        } while (from == null && links.wakeResting(emptying));
        emptying = from != null;
        return from;
    }

    private InetSocketAddress receiveNext(ByteBuffer dst) throws IOException {
        DatagramLink link = links.next();
        if (link != null ? isKernelFirst(link) : isKernelDue()) {
            InetSocketAddress from = receiveFromKernel(dst);
            if (from != null) {
                return from;
            }
            kernelEmpty(link);
        }
        if (link == null) {
            return null;
        }
        link.receiver().take(dst);
        return link.remote();
    }

    private InetSocketAddress receiveFromKernel(ByteBuffer dst) throws IOException {
        kernelMayFail = false;
        InetSocketAddress from = (InetSocketAddress) kernel.receive(dst);
        if (from != null) {
            kernelSource = from;
        }
        return from;
    }

    /** As {@link DatagramSocket#receive(ByteBuffer[], int, int)}. */
    long receive(ByteBuffer[] dsts, int offset, int count) throws IOException {
        long n;
        do {
            n = receiveNext(dsts, offset, count);
        } while (n < 0 && links.wakeResting(emptying));
        emptying = n >= 0;
        return n;
    }

    private long receiveNext(ByteBuffer[] dsts, int offset, int count) throws IOException {
        DatagramLink link = links.next();
        if (link != null ? isKernelFirst(link) : links.isEmpty() || isKernelDue()) {
            // The kernel's channel scatters only for a connected socket, and does not distinguish an empty datagram
            // from none.
            ByteBuffer whole = unscattered();
            if (receiveFromKernel(whole) != null) {
                return scatter(whole.flip(), dsts, offset, count);
            }
            kernelEmpty(link);
        }
        return link == null ? -1 : link.receiver().take(dsts, offset, count);
    }

    private ByteBuffer unscattered() {
        if (unscattered == null) {
            unscattered = ByteBuffer.allocateDirect(DatagramSocket.MOST_IPV6);
        }
        return unscattered.clear();
    }

    private static long scatter(ByteBuffer src, ByteBuffer[] dsts, int offset, int count) {
        int whole = src.limit();
        for (int i = offset; i < offset + count; i++) {
            int n = Math.min(whole - src.position(), dsts[i].remaining());
            dsts[i].put(src.limit(src.position() + n));
        }
        return src.position();
    }

    /** Whether the kernel's datagrams and errors, if there are any, come before that link's. */
    private boolean isKernelFirst(DatagramLink link) {
        hit = true;
        return --untilKernel <= 0 || kernelMayFail || link.isFresh();
    }

    /** Whether to ask the kernel after the links had nothing. This spares a loop that empties the links a system call. */
    private boolean isKernelDue() {
        boolean afterHit = hit;
        hit = false;
        return !afterHit || kernelMayFail || System.nanoTime() - kernelEmptyAt >= KERNEL_NEWS_NANOS;
    }

    private void kernelEmpty(DatagramLink link) {
        untilKernel = KERNEL_EVERY;
        kernelEmptyAt = System.nanoTime();
        if (link != null) {
            link.delivers();
        }
    }

    /** Takes note that the kernel has sent for a connected socket, and may have an error to report. Any thread. */
    void kernelMayFail() {
        kernelMayFail = true;
    }

    /** Whether the kernel's last datagram came from that peer. Any thread. */
    boolean wasLastFrom(InetSocketAddress peer) {
        return peer.equals(kernelSource);
    }

    /** Forgets a peer whose link has ended: its next datagram counts as the first. Any thread. */
    void forget(InetSocketAddress peer) {
        if (wasLastFrom(peer)) {
            kernelSource = null;
        }
    }
}
