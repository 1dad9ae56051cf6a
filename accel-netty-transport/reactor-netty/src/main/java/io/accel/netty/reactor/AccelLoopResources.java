// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.reactor;

import io.accel.netty.Accel;
import io.accel.netty.AccelDatagramChannel;
import io.accel.netty.AccelDomainSocketChannel;
import io.accel.netty.AccelIoHandler;
import io.accel.netty.AccelServerDomainSocketChannel;
import io.accel.netty.AccelServerSocketChannel;
import io.accel.netty.AccelSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.ServerDomainSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.netty.FutureMono;
import reactor.netty.NettyPipeline;
import reactor.netty.resources.LoopResources;

/**
 * The event loops and channels of Accel's transport, for Reactor Netty's servers and clients of TCP, HTTP and UDP:
 *
 * <pre>{@code
 * LoopResources loops = AccelLoopResources.create("http");
 * HttpServer.create().runOn(loops)...
 * HttpClient.create().runOn(loops)...
 * }</pre>
 *
 * <p>Servers and clients that are given no loops take them from {@code HttpResources}, which a program can set once, before it
 * makes the first of them: {@code HttpResources.set(AccelLoopResources.create("http"))}.
 *
 * <p>The loops carry accelerated connections and the kernel's alike. As with Reactor Netty's own loops, one group serves clients and
 * servers, and a client that is used within a loop stays in it. A program that wants no native transport, and says so with {@code
 * runOn(loops, false)} or {@code -Dreactor.netty.native=false}, gets loops of Netty's NIO transport.
 *
 * <p>Unix-domain sockets take a {@code UnixDomainSocketAddress}, or a {@code DomainSocketAddress} of Netty's native transports, which
 * becomes one: the channel tells its addresses as those of the JDK. As on Reactor Netty's own NIO loops, such a channel is no {@code
 * DomainSocketChannel}; see {@link AccelDomainSocketChannel}. {@code HttpClient} therefore cannot use one: on a channel of another class
 * it writes HTTP/3.0 into its requests. Its connect fails with an error that names Reactor Netty's own loops. Thread-safe.
 */
public final class AccelLoopResources implements LoopResources {
    /** Accel's replacement for one of Netty's kinds of channels. */
    private record Kind(Class<? extends Channel> type, Supplier<Channel> make) {}

    private static final Map<Class<? extends Channel>, Kind> KINDS = Map.of(
            SocketChannel.class, new Kind(AccelSocketChannel.class, AccelSocketChannel::new),
            ServerSocketChannel.class, new Kind(AccelServerSocketChannel.class, AccelServerSocketChannel::new),
            DatagramChannel.class, new Kind(AccelDatagramChannel.class, AccelDatagramChannel::new),
            DomainSocketChannel.class,
                    new Kind(AccelDomainSocketChannel.class, () -> adapted(new AccelDomainSocketChannel())),
            ServerDomainSocketChannel.class,
                    new Kind(
                            AccelServerDomainSocketChannel.class, () -> adapted(new AccelServerDomainSocketChannel())));

    private static Channel adapted(Channel unix) {
        unix.pipeline().addFirst(UnixAdapter.INSTANCE);
        return unix;
    }

    private final String prefix;
    private final boolean daemon;
    private final AtomicLong threads = new AtomicLong();
    private final AtomicBoolean disposed = new AtomicBoolean();

    private final EventLoopGroup servers;
    private final EventLoopGroup acceptors;
    private final EventLoopGroup clients;

    /** The loops for programs that want no native transport; none are made before the first asks. */
    private final LoopResources notNative;

    private AccelLoopResources(String prefix, int selectCount, int workerCount, boolean daemon) {
        this.prefix = prefix;
        this.daemon = daemon;
        this.servers =
                new MultiThreadIoEventLoopGroup(workerCount, threadFactory("-accel-"), AccelIoHandler.newFactory());
        this.acceptors = selectCount == -1
                ? servers
                : new MultiThreadIoEventLoopGroup(
                        selectCount, threadFactory("-select-accel-"), AccelIoHandler.newFactory());
        this.clients = LoopResources.colocate(servers);
        this.notNative = LoopResources.create(prefix, selectCount, workerCount, daemon, true);
    }

    /**
     * Creates as many loops as Reactor Netty does by default, on daemon threads. The properties {@code reactor.netty.ioWorkerCount}
     * and {@code reactor.netty.ioSelectCount} set the numbers.
     *
     * @param prefix the beginning of the threads' names
     * @return the loops
     * @throws IllegalArgumentException if the prefix is empty
     * @throws UnsatisfiedLinkError if the transport {@linkplain Accel#isAvailable() is not available}
     * @throws io.accel.profile.ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static AccelLoopResources create(String prefix) {
        return create(prefix, DEFAULT_IO_SELECT_COUNT, DEFAULT_IO_WORKER_COUNT, true);
    }

    /**
     * Creates the given number of loops.
     *
     * @param prefix the beginning of the threads' names
     * @param selectCount how many loops accept connections and do nothing else; -1 to have the workers do so
     * @param workerCount how many loops serve connections
     * @param daemon whether a program may end while they run
     * @return the loops
     * @throws IllegalArgumentException if the prefix is empty, or a count is not positive
     * @throws UnsatisfiedLinkError if the transport {@linkplain Accel#isAvailable() is not available}
     * @throws io.accel.profile.ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static AccelLoopResources create(String prefix, int selectCount, int workerCount, boolean daemon) {
        if (Objects.requireNonNull(prefix, "prefix").isEmpty()) {
            throw new IllegalArgumentException("the prefix is empty");
        }
        if (workerCount < 1) {
            throw new IllegalArgumentException("workerCount is " + workerCount + ", and has to be positive");
        }
        if (selectCount < 1 && selectCount != -1) {
            throw new IllegalArgumentException("selectCount is " + selectCount + ", and has to be positive or -1");
        }
        return new AccelLoopResources(prefix, selectCount, workerCount, daemon);
    }

    private ThreadFactory threadFactory(String infix) {
        return task -> {
            Thread thread = new LoopThread(task, prefix + infix + threads.incrementAndGet());
            thread.setDaemon(daemon);
            return thread;
        };
    }

    @Override
    public boolean daemon() {
        return daemon;
    }

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return useNative ? servers : notNative.onServer(false);
    }

    @Override
    public EventLoopGroup onServerSelect(boolean useNative) {
        return useNative ? acceptors : notNative.onServerSelect(false);
    }

    @Override
    public EventLoopGroup onClient(boolean useNative) {
        return useNative ? clients : notNative.onClient(false);
    }

    private boolean isAccels(EventLoopGroup group) {
        EventLoopGroup whole = group instanceof EventLoop loop ? loop.parent() : group;
        return whole == servers || whole == acceptors || whole == clients;
    }

    /**
     * {@inheritDoc}
     *
     * <p>For a {@code DomainSocketChannel} or {@code ServerDomainSocketChannel} the result is used as a {@code Channel}: it has the place
     * of such a channel, and not its type.
     *
     * @throws IllegalArgumentException if Accel has no such channel
     */
    @Override
    @SuppressWarnings("unchecked") // Reactor Netty, whose NIO loops do the same, needs no more than a Channel
    public <C extends Channel> C onChannel(Class<C> channelType, EventLoopGroup group) {
        if (!isAccels(group)) {
            return notNative.onChannel(channelType, group);
        }
        return (C) kind(channelType).make().get();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if Accel has no such channel
     */
    @Override
    @SuppressWarnings("unchecked") // as above
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> channelType, EventLoopGroup group) {
        if (!isAccels(group)) {
            return notNative.onChannelClass(channelType, group);
        }
        return (Class<? extends C>) kind(channelType).type();
    }

    private static Kind kind(Class<?> channelType) {
        Kind kind = KINDS.get(channelType);
        if (kind == null) {
            throw new IllegalArgumentException("Accel has no " + channelType.getSimpleName()
                    + "; for these channels use runOn(LoopResources.create(NAME))");
        }
        return kind;
    }

    @Override
    public boolean isDisposed() {
        return disposed.get();
    }

    @Override
    public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
        return Mono.defer(() -> {
            disposed.set(true);
            return Mono.when(
                    shutdown(acceptors, quietPeriod, timeout),
                    shutdown(servers, quietPeriod, timeout),
                    notNative.disposeLater(quietPeriod, timeout));
        });
    }

    @SuppressWarnings("unchecked") // a group's future has no value
    private static Mono<Void> shutdown(EventLoopGroup group, Duration quietPeriod, Duration timeout) {
        return FutureMono.deferFuture(() -> (Future<Void>)
                group.shutdownGracefully(quietPeriod.toMillis(), timeout.toMillis(), TimeUnit.MILLISECONDS));
    }

    @Override
    public String toString() {
        return "AccelLoopResources{prefix=" + prefix + ", daemon=" + daemon + "}";
    }

    /** A loop's thread, in which Reactor refuses to block. */
    private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {
        LoopThread(Runnable task, String name) {
            super(task, name);
        }
    }

    /**
     * Makes the JDK's addresses of those of Netty's native transports, which programs of Reactor Netty pass, and keeps HTTP's client from
     * channels on which it would call its requests HTTP/3.0.
     */
    @ChannelHandler.Sharable
    @SuppressWarnings("FutureReturnValueIgnored") // a handler is given its caller's promise, and passes it on
    private static final class UnixAdapter extends ChannelOutboundHandlerAdapter {
        static final UnixAdapter INSTANCE = new UnixAdapter();

        private static SocketAddress jdks(SocketAddress address) {
            return address instanceof DomainSocketAddress natives
                    ? UnixDomainSocketAddress.of(natives.path())
                    : address;
        }

        @Override
        public void bind(ChannelHandlerContext ctx, SocketAddress local, ChannelPromise promise) {
            ctx.bind(jdks(local), promise);
        }

        @Override
        public void connect(
                ChannelHandlerContext ctx, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            if (ctx.pipeline().get(NettyPipeline.HttpCodec) != null
                    || ctx.pipeline().get(NettyPipeline.H2OrHttp11Codec) != null) {
                promise.setFailure(
                        new UnsupportedOperationException("Reactor Netty's HttpClient writes HTTP/3.0 into its requests"
                                + " on a Unix-domain channel of Accel's; for this client use runOn(LoopResources.create(NAME)), with"
                                + " Netty's epoll transport on the class path"));
                ctx.close();
                return;
            }
            ctx.connect(jdks(remote), jdks(local), promise);
        }
    }
}
