// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.grpc;

import io.accel.netty.Accel;
import io.grpc.ChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelProvider;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.Set;

/**
 * Has {@code Grpc.newChannelBuilder} and {@code ManagedChannelBuilder} make channels on Accel's transport. The provider is not
 * available in profile {@code off}, nor where the transport is not; gRPC then uses its own provider, as it always does for Unix-domain
 * sockets. gRPC makes an instance through the service loader. Stateless.
 */
public final class AccelChannelProvider extends ManagedChannelProvider {
    /** The priority; it is above that of gRPC's own provider for Netty, which is 5. */
    static final int PRIORITY = 7;

    /** Called by the service loader. */
    public AccelChannelProvider() {}

    @Override
    protected boolean isAvailable() {
        return Accel.isOn();
    }

    @Override
    protected int priority() {
        return PRIORITY;
    }

    @Override
    protected ManagedChannelBuilder<?> builderForAddress(String name, int port) {
        return AccelGrpc.accelerated(NettyChannelBuilder.forAddress(name, port));
    }

    @Override
    protected ManagedChannelBuilder<?> builderForTarget(String target) {
        return AccelGrpc.accelerated(NettyChannelBuilder.forTarget(target));
    }

    @Override
    protected NewChannelBuilderResult newChannelBuilder(String target, ChannelCredentials credentials) {
        try {
            return NewChannelBuilderResult.channelBuilder(
                    AccelGrpc.accelerated(NettyChannelBuilder.forTarget(target, credentials)));
        } catch (IllegalArgumentException e) {
            return NewChannelBuilderResult.error(e.getMessage()); // credentials that Netty's channels do not know
        }
    }

    @Override
    protected Collection<Class<? extends SocketAddress>> getSupportedSocketAddressTypes() {
        return Set.of(InetSocketAddress.class);
    }
}
