// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.grpc;

import io.accel.netty.Accel;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.ServerProvider;
import io.grpc.netty.NettyServerBuilder;

/**
 * Has {@code Grpc.newServerBuilderForPort} and {@code ServerBuilder} make servers on Accel's transport. The provider is not available
 * in profile {@code off}, nor where the transport is not; gRPC then uses its own provider. gRPC makes an instance through the service
 * loader. Stateless.
 */
public final class AccelServerProvider extends ServerProvider {
    /** Called by the service loader. */
    public AccelServerProvider() {}

    @Override
    protected boolean isAvailable() {
        return Accel.isOn();
    }

    @Override
    protected int priority() {
        return AccelChannelProvider.PRIORITY;
    }

    @Override
    protected ServerBuilder<?> builderForPort(int port) {
        return AccelGrpc.accelerated(NettyServerBuilder.forPort(port));
    }

    @Override
    protected NewServerBuilderResult newServerBuilderForPort(int port, ServerCredentials credentials) {
        try {
            return NewServerBuilderResult.serverBuilder(
                    AccelGrpc.accelerated(NettyServerBuilder.forPort(port, credentials)));
        } catch (IllegalArgumentException e) {
            return NewServerBuilderResult.error(e.getMessage()); // credentials that Netty's servers do not know
        }
    }
}
