// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.observe.PathName;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Accepts one fabric's links to a datagram socket that was bound. */
final class DatagramArrivals implements Fabric.Acceptor {
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private final DatagramSocket socket;
    private final String fabric;
    private final InetSocketAddress bound;
    private static final Warnings ERRORS = new Warnings(Log.of(DatagramArrivals.class));
    private static final int THE_END = Link.FIN | Link.CLOSED;

    /** The offers that clients have not confirmed yet; the fabric's thread only. */
    private final Map<Link, Offer> offers = new ConcurrentHashMap<>();

    private record Offer(InetSocketAddress local, InetSocketAddress remote) {}

    DatagramArrivals(DatagramSocket socket, String fabric, InetSocketAddress bound) {
        this.socket = socket;
        this.fabric = fabric;
        this.bound = bound;
    }

    @Override
    public boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again) throws FallbackException {
        if (!socket.reserve()) {
            throw new FallbackException(FallbackReason.BACKLOG_FULL, null);
        }
        return true;
    }

    @Override
    public int ringSize(int asked) {
        return Math.max(asked, socket.ringSize());
    }

    @Override
    public Object waiter(InetSocketAddress local, InetSocketAddress remote) {
        return socket;
    }

    @Override
    public void unreserve(InetSocketAddress local, InetSocketAddress remote) {
        socket.unreserve();
    }

    @Override
    public boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote) {
        offers.put(link, new Offer(local, remote));
        return true;
    }

    @Override
    public boolean isSettled(Link link) {
        if (!offers.containsKey(link)) {
            return true; // an error has ended it, and it may be freed
        }
        try {
            boolean unused = link.drainDoorbell();
            if ((link.peerState() & Link.ATTACHED) != 0) {
                confirmed(link);
            } else if (link.peerGone()) {
                withdrawn(link);
            }
        } catch (RuntimeException | Error e) {
            takeBack(link, e);
        }
        return !offers.containsKey(link);
    }

    @Override
    public void withdrawn(Link link) {
        offers.remove(link);
        socket.unreserve();
        link.free();
    }

    /** Frees a link that has met an error, and over which the peer may be sending: it hears of the end with its next datagram. */
    private void takeBack(Link link, Throwable why) {
        ERRORS.warn("a link for datagrams was taken back, since taking it met an error", why);
        if (offers.remove(link) == null) {
            return; // it is freed
        }
        socket.unreserve();
        try {
            link.signal(THE_END);
        } finally {
            link.free();
        }
    }

    @Override
    public void confirmed(Link link) {
        Offer offer = offers.get(link);
        if (offer == null) {
            return; // an error has ended it
        }
        try {
            take(link, offer.local(), offer.remote());
        } catch (RuntimeException | Error e) {
            takeBack(link, e);
        }
    }

    private void take(Link link, InetSocketAddress local, InetSocketAddress remote) {
        InetSocketAddress at = new InetSocketAddress(local.getAddress(), bound.getPort());
        boolean answers = answersFrom(local.getAddress(), remote.getAddress());
        // As long as anything may fail, the offer is there to be taken back.
        DatagramLink made = new DatagramLink(link, fabric, at, remote);
        DatagramPath path = answers ? socket.pathBack(made) : null;
        offers.remove(link);
        socket.arrived(made, path); // which frees it after an error
    }

    /**
     * Whether the kernel, too, would answer from the address that the peer sent to. For a socket that is bound to all addresses, the kernel
     * answers from the address by which it reaches the peer.
     */
    private boolean answersFrom(InetAddress local, InetAddress remote) {
        if (!bound.getAddress().isAnyLocalAddress()) {
            return true;
        }
        if (remote.isLoopbackAddress()) {
            return Arrays.equals(local.getAddress(), LOOPBACK)
                    || (local.isLoopbackAddress() && local instanceof Inet6Address);
        }
        return fabric.equals(PathName.SHM.text()) ? local.equals(remote) : !local.isLoopbackAddress();
    }
}
