package io.accel.samples.apps;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A gRPC server of {@code grpc-netty-shaded}, with the event loops and executors that it has by default. */
public final class GrpcServer {
    private GrpcServer() {}

    public static void main(String[] args) throws Exception {
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(ServerServiceDefinition.builder(GrpcService.NAME)
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
