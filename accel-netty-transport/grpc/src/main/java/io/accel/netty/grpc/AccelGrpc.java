package io.accel.netty.grpc;

import io.accel.netty.Accel;
import io.accel.netty.AccelIoHandler;
import io.accel.netty.AccelServerSocketChannel;
import io.accel.netty.AccelSocketChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * Puts gRPC's builders on Accel's transport:
 *
 * <pre>{@code
 * ManagedChannel channel = AccelGrpc.accelerated(NettyChannelBuilder.forTarget(target)).build();
 * Server server = AccelGrpc.accelerated(NettyServerBuilder.forPort(port)).addService(service).build();
 * }</pre>
 *
 * <p>All channels and servers share event loops, as many as processors, on daemon threads, which sleep when there is nothing to do
 * and end with the process. A builder may be given other loops after that, whose handler is {@link AccelIoHandler}. Thread-safe.
 */
public final class AccelGrpc {
    private AccelGrpc() {}

    /**
     * Sets a client's loops and channel class.
     *
     * @param builder of a target whose addresses are of the internet, not of Unix-domain sockets
     * @return the builder
     * @throws UnsatisfiedLinkError if the transport {@linkplain Accel#isAvailable() is not available}
     * @throws io.accel.profile.ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static NettyChannelBuilder accelerated(NettyChannelBuilder builder) {
        return builder.eventLoopGroup(Loops.WORKERS).channelType(AccelSocketChannel.class);
    }

    /**
     * Sets a server's loops and channel class.
     *
     * @param builder of a server whose addresses are of the internet, not of Unix-domain sockets
     * @return the builder
     * @throws UnsatisfiedLinkError if the transport {@linkplain Accel#isAvailable() is not available}
     * @throws io.accel.profile.ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static NettyServerBuilder accelerated(NettyServerBuilder builder) {
        return builder.bossEventLoopGroup(Loops.ACCEPTORS)
                .workerEventLoopGroup(Loops.WORKERS)
                .channelType(AccelServerSocketChannel.class);
    }

    /** Made when somebody needs them. */
    private static final class Loops {
        static final EventLoopGroup WORKERS = group("grpc-accel", 0);
        static final EventLoopGroup ACCEPTORS = group("grpc-accel-acceptor", 1);

        private Loops() {}

        private static EventLoopGroup group(String name, int threads) {
            return new MultiThreadIoEventLoopGroup(
                    threads, new DefaultThreadFactory(name, true), AccelIoHandler.newFactory());
        }
    }
}
