// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Objects;

/** The multicast methods of a datagram channel, in all their forms. Any thread. */
abstract class AbstractAccelDatagramChannel extends AbstractAccelChannel implements DatagramChannel {
    private final MulticastMemberships memberships;

    AbstractAccelDatagramChannel(MulticastMemberships memberships) {
        super(null, AccelIoOps.READ);
        this.memberships = memberships;
    }

    @Override
    public abstract InetSocketAddress localAddress();

    @Override
    public abstract InetSocketAddress remoteAddress();

    private interface Change {
        void run() throws IOException;
    }

    private static ChannelFuture run(ChannelPromise promise, Change change) {
        try {
            change.run();
        } catch (IOException | RuntimeException e) {
            return promise.setFailure(e);
        }
        return promise.setSuccess();
    }

    /** The interface for groups that are named without one. */
    private NetworkInterface defaultInterface(InetAddress group) throws SocketException {
        NetworkInterface chosen = config().getNetworkInterface();
        InetSocketAddress local = localAddress();
        if (chosen == null && local != null) {
            chosen = NetworkInterface.getByInetAddress(local.getAddress());
        }
        if (chosen == null) {
            throw new SocketException("no network interface for group " + group + ": the channel is bound to " + local
                    + "; name an interface, or set ChannelOption.IP_MULTICAST_IF");
        }
        return chosen;
    }

    // ---- join

    @Override
    public ChannelFuture joinGroup(InetAddress group) {
        return joinGroup(group, newPromise());
    }

    @Override
    public ChannelFuture joinGroup(InetAddress group, ChannelPromise promise) {
        return run(promise, () -> memberships.join(group, defaultInterface(group), null));
    }

    @Override
    public ChannelFuture joinGroup(InetSocketAddress group, NetworkInterface at) {
        return joinGroup(group, at, newPromise());
    }

    @Override
    public ChannelFuture joinGroup(InetSocketAddress group, NetworkInterface at, ChannelPromise promise) {
        return joinGroup(group.getAddress(), at, null, promise);
    }

    @Override
    public ChannelFuture joinGroup(InetAddress group, NetworkInterface at, InetAddress source) {
        return joinGroup(group, at, source, newPromise());
    }

    @Override
    public ChannelFuture joinGroup(InetAddress group, NetworkInterface at, InetAddress source, ChannelPromise promise) {
        check(group, at);
        return run(promise, () -> memberships.join(group, at, source));
    }

    // ---- leave

    @Override
    public ChannelFuture leaveGroup(InetAddress group) {
        return leaveGroup(group, newPromise());
    }

    @Override
    public ChannelFuture leaveGroup(InetAddress group, ChannelPromise promise) {
        return run(promise, () -> memberships.leave(group, defaultInterface(group), null));
    }

    @Override
    public ChannelFuture leaveGroup(InetSocketAddress group, NetworkInterface at) {
        return leaveGroup(group, at, newPromise());
    }

    @Override
    public ChannelFuture leaveGroup(InetSocketAddress group, NetworkInterface at, ChannelPromise promise) {
        return leaveGroup(group.getAddress(), at, null, promise);
    }

    @Override
    public ChannelFuture leaveGroup(InetAddress group, NetworkInterface at, InetAddress source) {
        return leaveGroup(group, at, source, newPromise());
    }

    @Override
    public ChannelFuture leaveGroup(
            InetAddress group, NetworkInterface at, InetAddress source, ChannelPromise promise) {
        check(group, at);
        return run(promise, () -> memberships.leave(group, at, source));
    }

    // ---- block

    @Override
    public ChannelFuture block(InetAddress group, NetworkInterface at, InetAddress source) {
        return block(group, at, source, newPromise());
    }

    @Override
    public ChannelFuture block(InetAddress group, NetworkInterface at, InetAddress source, ChannelPromise promise) {
        check(group, at);
        Objects.requireNonNull(source, "source");
        return run(promise, () -> memberships.block(group, at, source));
    }

    @Override
    public ChannelFuture block(InetAddress group, InetAddress source) {
        return block(group, source, newPromise());
    }

    @Override
    public ChannelFuture block(InetAddress group, InetAddress source, ChannelPromise promise) {
        Objects.requireNonNull(source, "source");
        return run(promise, () -> memberships.block(group, defaultInterface(group), source));
    }

    private static void check(InetAddress group, NetworkInterface at) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(at, "network interface");
    }
}
