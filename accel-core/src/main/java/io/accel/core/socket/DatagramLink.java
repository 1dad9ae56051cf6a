// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.capture.Capture;
import io.accel.core.capture.UdpFlow;
import io.accel.core.datagram.DatagramReceiver;
import io.accel.core.datagram.DatagramReception;
import io.accel.core.datagram.DatagramSender;
import io.accel.core.datagram.GroupReceiver;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.Subscription;
import io.accel.core.jdk.MemoryFaults;
import io.accel.core.observe.ConnectionState;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The accelerated path between a datagram socket and one peer: in both directions, or from a publisher to a member of a multicast group.
 *
 * <p><b>Lifetime.</b> The link is freed by the user that gives back its last share. The socket's receiving and sending halves have one
 * each, given back in that half once the path was given up. Each doorbell that a poller watches has one. Any other thread that looks at the
 * link {@linkplain #pin pins} it for that moment.
 */
final class DatagramLink extends CapturedLink {
    /** The place of a link in {@link DatagramLinks}. */
    enum Place {
        NONE,
        RESTING,
        BUSY
    }

    /** So long lasts a link that only sends, unless something is wrong with it. */
    private static final long LASTS_NANOS = 1_000_000_000L;

    private final Link link;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final DatagramReception receiver;
    /** Null for a publisher's datagrams. */
    private final DatagramSender sender;
    /** The receiver, if the peer is a publisher; otherwise null. */
    private final GroupReceiver publisher;

    private final DatagramRecord record;
    private final boolean mirrored;
    private final boolean raced;
    private final boolean isRemote;
    private final long madeAt = System.nanoTime();
    private final UseCount users = new UseCount(2);
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean closed;

    /** Whether nothing was received yet. Written in the receiving half; read elsewhere without order, where that costs no more than a moment. */
    private boolean fresh = true;
    /** Receiving half only. */
    private boolean ending;

    /** Written under the monitor of {@link DatagramLinks}; read without it where a race costs only a look. */
    private volatile Place place = Place.NONE;
    /**
     * Whether the link had a datagram since this flag was last cleared. Set in the receiving half, and under the monitor of {@link
     * DatagramLinks}; cleared in both.
     */
    private boolean heard;

    /** The path whose datagrams may go over this link; null for none. Under the socket's monitor. */
    private DatagramPath path;

    /** Set by users of the link, cleared by the sweep for idle links; a race loses one look. */
    private boolean used = true;
    /** When the peer was told the end, 0 if it was not. Used by the sweep alone. */
    private long endingSince;
    /** Since when nobody has used the link. Used by the sweep alone. */
    private long idleSince;

    DatagramLink(Link link, String fabric, InetSocketAddress local, InetSocketAddress remote) {
        this.link = link;
        this.local = local;
        this.remote = withoutName(remote);
        this.receiver = new DatagramReceiver(link);
        this.sender = new DatagramSender(link);
        this.publisher = null;
        this.isRemote = link.isRemote();
        this.mirrored = false;
        this.raced = false;
        this.record = new DatagramRecord(this, fabric, local, remote);
    }

    /** The path from a publisher. */
    DatagramLink(Subscription subscription, String fabric, long from) {
        this.link = subscription;
        this.isRemote = subscription.isRemote();
        this.local = subscription.flow().group();
        this.remote = subscription.flow().source();
        this.publisher = new GroupReceiver(subscription, from);
        this.receiver = publisher;
        this.sender = null;
        this.record = new DatagramRecord(this, fabric, local, remote);
        boolean fromNetwork = subscription instanceof GroupRing.End;
        this.mirrored = subscription.flow().kernelToo() && !fromNetwork;
        this.raced = subscription.flow().kernelToo() && fromNetwork;
    }

    /** Whether the peer is on another host. */
    boolean isRemote() {
        return isRemote;
    }

    /** The address as programs are told it for a sender: like the kernel's, without the host name that they may have used to send to it. */
    private static InetSocketAddress withoutName(InetSocketAddress address) {
        byte[] bytes = address.getAddress().getAddress();
        try {
            InetAddress nameless = address.getAddress() instanceof Inet6Address internet6
                    ? Inet6Address.getByAddress(null, bytes, internet6.getScopeId())
                    : InetAddress.getByAddress(bytes);
            return new InetSocketAddress(nameless, address.getPort());
        } catch (UnknownHostException e) {
            throw new AssertionError("an address has as many bytes as an address has", e);
        }
    }

    Link link() {
        return link;
    }

    /** The address that the peer knows this end by. */
    InetSocketAddress local() {
        return local;
    }

    InetSocketAddress remote() {
        return remote;
    }

    DatagramReception receiver() {
        return receiver;
    }

    /** Null for a publisher's datagrams. */
    DatagramSender sender() {
        return sender;
    }

    /** The receiver of a publisher's datagrams; null for a link in both directions. */
    GroupReceiver publisher() {
        return publisher;
    }

    /** Whether the kernel brings a copy of each datagram that this link brings. */
    boolean isMirrored() {
        return mirrored;
    }

    /** Whether the kernel and this link bring the same datagrams, whichever is first. */
    boolean isRaced() {
        return raced;
    }

    /** Whether the kernel may still have copies of datagrams that this link has brought, though the link is at its end. */
    boolean isEnding() {
        return ending;
    }

    void ending() {
        ending = true;
    }

    DatagramRecord record() {
        return record;
    }

    /** The path that has sent over this link, or null. Under the socket's monitor. */
    DatagramPath path() {
        return path;
    }

    void path(DatagramPath only) {
        path = only;
    }

    /** Whether datagrams that the kernel brought before this path was found may still be unread. */
    boolean isFresh() {
        return fresh;
    }

    void delivers() {
        fresh = false;
    }

    /** Whether the link has brought a datagram, or has lasted. Any thread. */
    boolean wasOfUse(long now) {
        return !fresh || now - madeAt >= LASTS_NANOS;
    }

    Place place() {
        return place;
    }

    void place(Place now) {
        place = now;
    }

    void heard() {
        if (!heard) {
            heard = true;
        }
    }

    /** Whether the link had a datagram since the last call. */
    boolean forgetHeard() {
        boolean was = heard;
        heard = false;
        return was;
    }

    void use() {
        if (!used) {
            used = true;
        }
    }

    /** Whether the link was unused for so long, as far as the looks in between can tell. */
    boolean isIdle(long now, long idleNanos) {
        if (used) {
            used = false;
            idleSince = now;
        }
        return publisher == null && now - idleSince >= idleNanos; // nobody else ends a publication
    }

    void endingSince(long now) {
        if (endingSince == 0) {
            endingSince = now | 1;
        }
    }

    /** The nanoseconds for which the peer has known that nothing follows, without saying the same; 0 if it does not know. */
    long endedFor(long now) {
        return endingSince == 0 ? 0 : now - endingSince;
    }

    /** Whether the peer takes nothing any more. In a half, or pinned. */
    boolean isOver() {
        return link.peerGone() || (link.peerState() & Link.ENDED) != 0 || receiver.isDone();
    }

    /** As {@link #isOver}, for a sender, which does not look otherwise. A fabric learns of the peer's end when a thread looks. */
    boolean isOverNow() {
        long unused = link.released();
        return isOver();
    }

    /** Tells the peer once that nothing follows; returns false if it was told before. */
    boolean end() {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        link.signal(Link.FIN | Link.CLOSED);
        return true;
    }

    /** Whether an error of a copy is a fault of the link's memory, and not of the program's. In a half. */
    boolean isFaultOf(InternalError e) {
        return MemoryFaults.isFault(e) && !link.isIntact();
    }

    /** Takes a share, unless the link is freed already. */
    boolean pin() {
        return users.join();
    }

    /** Gives one share back. */
    void release() {
        if (users.leave()) {
            try {
                record.closed();
            } finally {
                link.free();
            }
        }
    }

    /** Takes note that the socket lets go of the link: a thread that is just sending or receiving over it is the last user. Once. */
    void close() {
        closed = true;
        Captures.closed(this);
    }

    @Override
    boolean isClosed() {
        return closed;
    }

    @Override
    Ends ends() {
        return new Ends(false, local, remote);
    }

    @Override
    void tap(Capture capture, Ends ends) {
        if (sender == null) {
            return; // nothing of a publication is captured: it may be overwritten while it is copied
        }
        UdpFlow flow = new UdpFlow(capture, ends.local(), ends.remote());
        sender.tap(flow.outgoing());
        receiver.tap(flow.incoming());
    }

    @Override
    void untap() {
        if (sender == null) {
            return;
        }
        sender.untap();
        receiver.untap();
    }

    ConnectionState state() {
        return ended.get() ? ConnectionState.CLOSING : ConnectionState.ESTABLISHED;
    }
}
