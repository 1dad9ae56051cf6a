// SPDX-License-Identifier: Apache-2.0
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
 * <p>All channels and servers share event loops, one for each processor. Their daemon threads sleep when there is nothing to do, and
 * end with the process. A builder may be given other loops afterwards; their handler must be {@link AccelIoHandler}. Thread-safe.
 */
public final class AccelGrpc {
    private AccelGrpc() {}

    /**
     * Sets a client's loops and channel class.
     *
     * @param builder the builder, for a target with internet addresses, not Unix-domain sockets
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
     * @param builder the builder, for a server with internet addresses, not Unix-domain sockets
     * @return the builder
     * @throws UnsatisfiedLinkError if the transport {@linkplain Accel#isAvailable() is not available}
     * @throws io.accel.profile.ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static NettyServerBuilder accelerated(NettyServerBuilder builder) {
        return builder.bossEventLoopGroup(Loops.ACCEPTORS)
                .workerEventLoopGroup(Loops.WORKERS)
                .channelType(AccelServerSocketChannel.class);
    }

    /** The shared loops, made at the first use. */
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
