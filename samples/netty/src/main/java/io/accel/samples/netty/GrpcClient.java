// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Calls {@link Greeter}. */
public final class GrpcClient implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 30;

    private final EventLoopGroup group;
    private final ManagedChannel channel;

    /** Connects at the first call. */
    GrpcClient(Transport transport, InetSocketAddress server) {
        group = transport.newGroup(1);
        channel = NettyChannelBuilder.forAddress(server)
                .channelType(transport.channel(), InetSocketAddress.class)
                .eventLoopGroup(group)
                .usePlaintext()
                .build();
    }

    /** One call. */
    String greet(String name) {
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return ClientCalls.blockingUnaryCall(channel, Greeter.GREET, options, name);
    }

    /** One call with many messages in either direction. */
    List<String> greetAll(List<String> names) throws Exception {
        List<String> greetings = new ArrayList<>();
        CompletableFuture<List<String>> all = new CompletableFuture<>();
        StreamObserver<String> requests = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(Greeter.GREET_ALL, CallOptions.DEFAULT), new StreamObserver<>() {
                    @Override
                    public void onNext(String greeting) {
                        greetings.add(greeting);
                    }

                    @Override
                    public void onError(Throwable cause) {
                        all.completeExceptionally(cause);
                    }

                    @Override
                    public void onCompleted() {
                        all.complete(greetings);
                    }
                });
        names.forEach(requests::onNext);
        requests.onCompleted();
        return all.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** {@code grpc-client}. */
    @Command(name = "grpc-client", mixinStandardHelpOptions = true, description = "Has itself greeted by gRPC.")
    static final class Main implements Callable<Integer> {
        @Mixin
        private TransportOption option;

        @Parameters(index = "0", paramLabel = "PORT", description = "The server's port on loopback.")
        private int port;

        @Parameters(index = "1", paramLabel = "NAME", defaultValue = "world", description = "Whom to greet.")
        private String name;

        @Override
        public Integer call() {
            InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            try (GrpcClient client = new GrpcClient(option.transport, server)) {
                System.out.println(client.greet(name));
            }
            return 0;
        }
    }
}
