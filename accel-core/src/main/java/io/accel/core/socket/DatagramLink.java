package io.accel.core.socket;

import io.accel.core.capture.Capture;
import io.accel.core.capture.UdpFlow;
import io.accel.core.datagram.DatagramReceiver;
import io.accel.core.datagram.DatagramSender;
import io.accel.core.fabric.Link;
import io.accel.core.observe.ConnectionState;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The accelerated path between a datagram socket and one peer, in both directions.
 *
 * <p><b>Lifetime.</b> The link is freed by the user that gives back its last share. The socket's receiving and sending halves
 * have one each, given back in that half once the path was given up; each doorbell that a poller watches has one; and
 * whoever else looks {@linkplain #pin pins} it for that moment.
 */
final class DatagramLink extends CapturedLink {
    /** Where a link is in {@link DatagramLinks}. */
    enum Place {
        NONE,
        RESTING,
        BUSY
    }

    private final Link link;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final DatagramReceiver receiver;
    private final DatagramSender sender;
    private final DatagramRecord record;
    private final UseCount users = new UseCount(2);
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean closed;

    /** Whether nothing was received yet. Receiving half only. */
    private boolean fresh = true;

    /** Written under the monitor of {@link DatagramLinks}; read without where a race costs a look. */
    private volatile Place place = Place.NONE;
    /**
     * Whether it had a datagram since this was last forgotten. Set in the receiving half, and under the monitor of {@link
     * DatagramLinks}; forgotten in both.
     */
    private boolean heard;

    /** Which destination's datagrams may go by it; null for none. Under the socket's monitor. */
    private DatagramPath path;

    /** Set by users of the path, cleared by the look for idle ones; a race loses one look. */
    private boolean used = true;
    /** When the peer was told the end, 0 if it was not. Only who looks for idle ones. */
    private long endingSince;
    /** Since when nobody has used it. Only who looks for idle ones. */
    private long idleSince;

    DatagramLink(Link link, String fabric, InetSocketAddress local, InetSocketAddress remote) {
        this.link = link;
        this.local = local;
        this.remote = withoutName(remote);
        this.receiver = new DatagramReceiver(link);
        this.sender = new DatagramSender(link);
        this.record = new DatagramRecord(this, fabric, local, remote);
    }

    /** Programs are told who has sent something, as by the kernel without the name by which they may have sent to it. */
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

    DatagramReceiver receiver() {
        return receiver;
    }

    DatagramSender sender() {
        return sender;
    }

    DatagramRecord record() {
        return record;
    }

    /** The destination that was ever sent to by it, or null. Under the socket's monitor. */
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

    /** Whether it had a datagram since the last time. */
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

    /** Whether it was unused for so long, as far as looks in between can tell. */
    boolean isIdle(long now, long idleNanos) {
        if (used) {
            used = false;
            idleSince = now;
        }
        return now - idleSince >= idleNanos;
    }

    void endingSince(long now) {
        if (endingSince == 0) {
            endingSince = now | 1;
        }
    }

    /** For how many nanoseconds the peer has known that nothing follows, without saying the same; 0 if it does not. */
    long endedFor(long now) {
        return endingSince == 0 ? 0 : now - endingSince;
    }

    /** Whether the peer takes nothing any more. In a half, or pinned. */
    boolean isOver() {
        return link.peerGone() || (link.peerState() & Link.ENDED) != 0;
    }

    /** As {@link #isOver}, for a sender, who does not otherwise look: a fabric learns of the peer's end when it is looked at. */
    boolean isOverNow() {
        long unused = link.released();
        return isOver();
    }

    /** Tells the peer that nothing follows. Once; false if it was told before. */
    boolean end() {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        link.signal(Link.FIN | Link.CLOSED);
        return true;
    }

    /** Takes a share, unless the link is freed already. */
    boolean pin() {
        return users.join();
    }

    /** Gives one share back. */
    void release() {
        if (users.leave()) {
            record.closed();
            link.free();
        }
    }

    /** The socket lets go of it: whoever is just sending or receiving by it is the last. Once. */
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
        UdpFlow flow = new UdpFlow(capture, ends.local(), ends.remote());
        sender.tap(flow.outgoing());
        receiver.tap(flow.incoming());
    }

    @Override
    void untap() {
        sender.untap();
        receiver.untap();
    }

    ConnectionState state() {
        return ended.get() ? ConnectionState.CLOSING : ConnectionState.ESTABLISHED;
    }
}
