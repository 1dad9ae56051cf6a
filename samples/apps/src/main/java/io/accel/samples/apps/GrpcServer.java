// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A gRPC server with the event loops and executors that it has by default. Argument: {@code netty}, which is {@code shaded} for the Netty
 * of {@code grpc-netty-shaded}, or {@code own} for the Netty of {@code grpc-netty}.
 */
public final class GrpcServer {
    private GrpcServer() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        ServerBuilder<?> builder = Parameters.parse(args).text("netty").equals("shaded")
                ? io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder.forAddress(address)
                : NettyServerBuilder.forAddress(address);
        Server server = builder.addService(ServerServiceDefinition.builder(GrpcService.NAME)
                        .addMethod(GrpcService.ECHO, ServerCalls.asyncUnaryCall((request, answer) -> {
                            answer.onNext(request);
                            answer.onCompleted();
                        }))
                        .build())
                .build()
                .start();
        ServerMain.serve(server.getPort());
    }
}
