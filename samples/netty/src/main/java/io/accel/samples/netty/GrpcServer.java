// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Serves {@link Greeter}. */
@Command(name = "grpc-server", mixinStandardHelpOptions = true, description = "Greets by gRPC.")
public final class GrpcServer implements Callable<Integer> {
    @Mixin
    private TransportOption option;

    @Parameters(paramLabel = "PORT", description = "The port to listen on, on loopback; 0 for any.")
    private int port;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Server server = start(option.transport, option.transport.newGroup(2), port);
        System.out.println("listening on port " + server.getPort() + " by " + option.transport);
        server.awaitTermination();
        return 0;
    }

    /** Listens on loopback. gRPC wants the event loops and the channel's class, and needs no more to run over Accel. */
    static Server start(Transport transport, EventLoopGroup group, int port) throws IOException {
        return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .channelType(transport.serverChannel())
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .addService(ServerServiceDefinition.builder(Greeter.NAME)
                        .addMethod(Greeter.GREET, ServerCalls.asyncUnaryCall(GrpcServer::greet))
                        .addMethod(Greeter.GREET_ALL, ServerCalls.asyncBidiStreamingCall(GrpcServer::greetAll))
                        .build())
                .build()
                .start();
    }

    private static void greet(String name, StreamObserver<String> answer) {
        answer.onNext("Hello, " + name + "!");
        answer.onCompleted();
    }

    private static StreamObserver<String> greetAll(StreamObserver<String> answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(String name) {
                answers.onNext("Hello, " + name + "!");
            }

            @Override
            public void onError(Throwable cause) {
                System.err.println("a client gave up: " + cause);
            }

            @Override
            public void onCompleted() {
                answers.onCompleted();
            }
        };
    }
}
