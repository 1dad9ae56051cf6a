// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.accel.netty.Accel;
import io.accel.netty.AccelIoHandler;
import io.accel.netty.AccelServerSocketChannel;
import io.accel.netty.AccelSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** How a Netty program moves its bytes: an {@code IoHandler} and two channel classes. Nothing else differs. */
public enum Transport {
    /** Accel: shared memory or RDMA if the peer can be reached that way, otherwise the kernel. */
    accel(AccelServerSocketChannel.class, AccelSocketChannel.class),
    /** {@code java.nio}. */
    nio(NioServerSocketChannel.class, NioSocketChannel.class),
    /** Netty's native transport of Linux. */
    epoll(EpollServerSocketChannel.class, EpollSocketChannel.class),
    /** Netty's transport over io_uring, where the kernel allows it. */
    io_uring(IoUringServerSocketChannel.class, IoUringSocketChannel.class),
    /** Unix-domain sockets with Netty's native transport; its addresses are paths. */
    unix(EpollServerDomainSocketChannel.class, EpollDomainSocketChannel.class);

    private final Class<? extends ServerChannel> serverChannel;
    private final Class<? extends Channel> channel;

    Transport(Class<? extends ServerChannel> serverChannel, Class<? extends Channel> channel) {
        this.serverChannel = serverChannel;
        this.channel = channel;
    }

    /** Why this transport does not work here; null if it does. */
    public Throwable unavailabilityCause() {
        return switch (this) {
            case accel -> Accel.unavailabilityCause();
            case nio -> null;
            case epoll, unix -> Epoll.unavailabilityCause();
            case io_uring -> IoUring.unavailabilityCause();
        };
    }

    /**
     * Event loops of this transport, in daemon threads.
     *
     * @param threads how many
     * @return the group, for the caller to shut down
     */
    public EventLoopGroup newGroup(int threads) {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name(), true), handler());
    }

    private IoHandlerFactory handler() {
        return switch (this) {
            case accel -> AccelIoHandler.newFactory();
            case nio -> NioIoHandler.newFactory();
            case epoll, unix -> EpollIoHandler.newFactory();
            case io_uring -> IoUringIoHandler.newFactory();
        };
    }

    /** The class of its listeners. */
    public Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    /** The class of its connections. */
    public Class<? extends Channel> channel() {
        return channel;
    }
}
