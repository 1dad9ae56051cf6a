// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.datagram.DatagramReception;
import io.accel.core.datagram.LinkErrorException;
import io.accel.core.datagram.Scatter;
import io.accel.core.jdk.JdkBuffers;
import io.accel.core.jdk.MappedCopy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

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

    private static final DatagramLink[] NONE = {};
    /** Stands for a copy that was thrown away, in place of a source. */
    private static final InetSocketAddress COPY = InetSocketAddress.createUnresolved("copy", 0);

    private final DatagramChannel kernel;
    private final DatagramLinks links;
    private final Consumer<DatagramLink> whenDrained;
    private final Consumer<InetSocketAddress> whenHeard;
    private final BiConsumer<DatagramLink, Throwable> whenFailed;
    /** The links of whose datagrams the kernel brings copies. Replaced as a whole, under the monitor; read by the receiver. */
    private volatile DatagramLink[] mirrored = NONE;
    /**
     * The source of the kernel's last datagram; null once a link to it has ended. Written by receivers and when links end, read by senders
     * without ordering: a race costs a search.
     */
    private InetSocketAddress kernelSource;
    /**
     * Whether the kernel may have an error to report, since it has sent for a connected socket. Written by senders, cleared by receivers.
     */
    private volatile boolean kernelMayFail;

    /** What the kernel and other hosts bring twice; null if no group is heard from other hosts. Written once, by any thread. */
    private volatile NetworkCopies copies;

    private int untilKernel = KERNEL_EVERY;
    /** Whether a link had a datagram since the kernel was last left aside. */
    private boolean hit;
    /** Whether the last receive had a datagram. */
    private boolean emptying;

    private long kernelEmptyAt;
    /** The buffer in which the kernel's datagrams are received whole before they go into several buffers; null until it is first needed. */
    private ByteBuffer unscattered;
    /** The buffer in which datagrams are received that may be copies; null until it is first needed. */
    private ByteBuffer uncopied;
    /** The same for links; null until it is first needed. */
    private ByteBuffer unraced;

    /**
     * An empty inbox.
     *
     * @param whenDrained told of a link at its end when the kernel has no copies of its datagrams left
     * @param whenHeard told of the source of each datagram that the kernel brings
     * @param whenFailed told of a link that has met an error, which it removes
     */
    DatagramInbox(
            DatagramChannel kernel,
            DatagramLinks links,
            Consumer<DatagramLink> whenDrained,
            Consumer<InetSocketAddress> whenHeard,
            BiConsumer<DatagramLink, Throwable> whenFailed) {
        this.kernel = kernel;
        this.links = links;
        this.whenDrained = whenDrained;
        this.whenHeard = whenHeard;
        this.whenFailed = whenFailed;
    }

    /** Adds a link of whose datagrams the kernel brings copies, which are thrown away. Any thread. */
    synchronized void mirrored(DatagramLink link) {
        DatagramLink[] more = Arrays.copyOf(mirrored, mirrored.length + 1);
        more[mirrored.length] = link;
        mirrored = more;
    }

    /** Removes such a link. Any thread. */
    synchronized void unmirrored(DatagramLink link) {
        List<DatagramLink> fewer = new ArrayList<>(List.of(mirrored));
        fewer.remove(link);
        mirrored = fewer.toArray(NONE);
    }

    /**
     * Remembers from the next receive on what the kernel has brought, since other hosts may bring it again. Returns whether it did not
     * before. Any thread.
     */
    synchronized boolean hearsHosts() {
        boolean isNew = copies == null;
        if (isNew) {
            copies = new NetworkCopies();
        }
        return isNew;
    }

    /** As {@link DatagramSocket#receive(ByteBuffer)}. */
    InetSocketAddress receive(ByteBuffer dst) throws IOException {
        if (dst.hasRemaining()) {
            JdkBuffers.check(dst); // before any datagram is taken
        }
        if (links.isEmpty() && mirrored.length == 0 && copies == null) {
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
        while (true) {
            DatagramLink link = links.next();
            if (link != null ? isKernelFirst(link) : links.isEmpty() || isKernelDue()) {
                InetSocketAddress from = receiveFromKernel(dst);
                if (isCopy(from)) {
                    continue;
                }
                if (from != null) {
                    return from;
                }
                kernelEmpty(link);
            }
            if (link == null) {
                return null;
            }
            if (takes(link, dst)) {
                return link.remote();
            }
        }
    }

    /** Takes the datagram of a link. A link that meets an error is given up; errors of the buffer are the program's. */
    private boolean takes(DatagramLink link, ByteBuffer dst) throws IOException {
        try {
            if (!link.isRaced()) {
                return link.receiver().take(dst);
            }
            if (!takesRaced(link)) {
                return false;
            }
        } catch (LinkErrorException e) {
            whenFailed.accept(link, e.getCause());
            return false;
        } catch (InternalError e) {
            giveUpAfterFault(link, e);
            return false;
        }
        MappedCopy.put(unraced, 0, dst, Math.min(unraced.limit(), dst.remaining()));
        return true;
    }

    private void giveUpAfterFault(DatagramLink link, InternalError e) {
        if (!link.isFaultOf(e)) {
            throw e;
        }
        whenFailed.accept(link, e);
    }

    /** Takes the datagram of a link whole, unless the kernel has brought it. */
    private boolean takesRaced(DatagramLink link) throws IOException {
        if (unraced == null) {
            unraced = ByteBuffer.allocateDirect(DatagramSocket.MOST_IPV4);
        }
        if (!link.receiver().take(unraced.clear())) {
            return false;
        }
        NetworkCopies seen = copies;
        return seen == null || !seen.isSecondFromNetwork(link.remote(), unraced.flip());
    }

    @SuppressWarnings("ReferenceEquality") // it is that very object
    private static boolean isCopy(InetSocketAddress from) {
        return from == COPY;
    }

    private InetSocketAddress receiveFromKernel(ByteBuffer dst) throws IOException {
        kernelMayFail = false;
        if (mirrored.length > 0 || copies != null) {
            return receiveUnlessCopy(dst);
        }
        InetSocketAddress from = (InetSocketAddress) kernel.receive(dst);
        if (from != null) {
            kernelBrought(from);
        }
        return from;
    }

    /** Takes note of the source of a datagram that the kernel has brought. */
    void kernelBrought(InetSocketAddress from) {
        kernelSource = from;
        whenHeard.accept(from);
    }

    /** Receives a datagram whole, since a truncated one cannot be compared. Returns {@link #COPY} if it has a copy thrown away. */
    private InetSocketAddress receiveUnlessCopy(ByteBuffer dst) throws IOException {
        ByteBuffer whole = uncopied();
        InetSocketAddress from = (InetSocketAddress) kernel.receive(whole);
        if (from == null) {
            return null;
        }
        whole.flip();
        for (DatagramLink link : mirrored) {
            if (link.remote().equals(from) && link.pin()) {
                try {
                    if (link.publisher().isCopy(whole)) {
                        return COPY;
                    }
                } finally {
                    link.release();
                }
            }
        }
        NetworkCopies seen = copies;
        if (seen != null && seen.isSecondFromKernel(from, whole)) {
            return COPY;
        }
        kernelBrought(from);
        MappedCopy.put(whole, 0, dst, Math.min(whole.limit(), dst.remaining()));
        return from;
    }

    /** As {@link DatagramSocket#receive(ByteBuffer[], int, int)}. */
    long receive(ByteBuffer[] dsts, int offset, int count) throws IOException {
        JdkBuffers.check(dsts, offset, count);
        long n;
        do {
            n = receiveNext(dsts, offset, count);
        } while (n < 0 && links.wakeResting(emptying));
        emptying = n >= 0;
        return n;
    }

    private long receiveNext(ByteBuffer[] dsts, int offset, int count) throws IOException {
        while (true) {
            DatagramLink link = links.next();
            if (link != null ? isKernelFirst(link) : links.isEmpty() || isKernelDue()) {
                // The kernel's channel scatters only for a connected socket, and does not distinguish an empty datagram
                // from none.
                ByteBuffer whole = unscattered();
                InetSocketAddress from = receiveFromKernel(whole);
                if (isCopy(from)) {
                    continue;
                }
                if (from != null) {
                    return scatter(whole.flip(), dsts, offset, count);
                }
                kernelEmpty(link);
            }
            if (link == null) {
                return -1;
            }
            long n = take(link, dsts, offset, count);
            if (n != DatagramReception.NONE) {
                return n;
            }
        }
    }

    /** As {@link #takes}. */
    private long take(DatagramLink link, ByteBuffer[] dsts, int offset, int count) throws IOException {
        try {
            if (!link.isRaced()) {
                return link.receiver().take(dsts, offset, count);
            }
            if (!takesRaced(link)) {
                return DatagramReception.NONE;
            }
        } catch (LinkErrorException e) {
            whenFailed.accept(link, e.getCause());
            return DatagramReception.NONE;
        } catch (InternalError e) {
            giveUpAfterFault(link, e);
            return DatagramReception.NONE;
        }
        return scatter(unraced, dsts, offset, count);
    }

    private ByteBuffer unscattered() {
        if (unscattered == null) {
            unscattered = ByteBuffer.allocateDirect(DatagramSocket.MOST_IPV6);
        }
        return unscattered.clear();
    }

    private ByteBuffer uncopied() {
        if (uncopied == null) {
            uncopied = ByteBuffer.allocateDirect(DatagramSocket.MOST_IPV6);
        }
        return uncopied.clear();
    }

    private static long scatter(ByteBuffer src, ByteBuffer[] dsts, int offset, int count) throws IOException {
        int whole = src.limit();
        int done = 0;
        for (int i = offset; i < offset + count && done < whole; i++) {
            int n = Math.min(whole - done, dsts[i].remaining());
            MappedCopy.fill(src, done, dsts[i], n);
            done += n;
        }
        Scatter.advance(done, dsts, offset);
        return done;
    }

    /** Whether the kernel's datagrams and errors, if there are any, come before that link's. */
    private boolean isKernelFirst(DatagramLink link) {
        hit = true;
        return --untilKernel <= 0
                || kernelMayFail
                || link.isFresh()
                || link.isRaced()
                || (link.isMirrored() && link.publisher().awaitsCopy());
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
        for (DatagramLink each : mirrored) {
            if (each.isEnding()) {
                whenDrained.accept(each);
            }
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
