// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.netty.Accel;
import io.accel.profile.Role;
import io.accel.testing.ChildJvm;
import io.accel.testing.RealProgram;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs of gRPC as they would be without Accel; only the code that counts the paths knows of Accel. */
@RealProgram(
        name = "gRPC for Java on Accel's transport",
        artifact = "io.grpc:grpc-netty",
        how = "calls without a change to the program, with one added line, and from clients on NIO")
@Timeout(30)
class GrpcTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final MethodDescriptor<String, String> GREET = MethodDescriptor.<String, String>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("test/greet")
            .setRequestMarshaller(new Text())
            .setResponseMarshaller(new Text())
            .build();

    private static final ServerServiceDefinition SERVICE = ServerServiceDefinition.builder("test")
            .addMethod(GREET, ServerCalls.asyncUnaryCall((request, observer) -> {
                observer.onNext("hello " + request);
                observer.onCompleted();
            }))
            .build();

    private static Server serverByItself() throws IOException {
        return Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .addService(SERVICE)
                .build()
                .start();
    }

    private static ManagedChannel channelByItself(int port) {
        return Grpc.newChannelBuilder("dns:///127.0.0.1:" + port, InsecureChannelCredentials.create())
                .build();
    }

    private static long accelerated(Role role) {
        return ProcessCounters.connections(role, PathName.SHM);
    }

    private static void call(ManagedChannel channel) {
        for (int i = 0; i < 50; i++) {
            String request = i + " " + "0123456789".repeat(i * 50);
            assertThat(ClientCalls.blockingUnaryCall(
                            channel, GREET, CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS), request))
                    .isEqualTo("hello " + request);
        }
    }

    private static void callAccelerated(Server server, ManagedChannel channel) throws InterruptedException {
        long clients = accelerated(Role.CLIENT);
        long servers = accelerated(Role.SERVER);
        try {
            call(channel);
            await().atMost(LIMIT).untilAsserted(() -> {
                assertThat(accelerated(Role.CLIENT)).isEqualTo(clients + 1);
                assertThat(accelerated(Role.SERVER)).isEqualTo(servers + 1);
            });
        } finally {
            stop(server, channel);
        }
    }

    private static void stop(Server server, ManagedChannel channel) throws InterruptedException {
        channel.shutdownNow();
        server.shutdownNow();
        assertThat(channel.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(server.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void callsAreAcceleratedWithoutAWordOfIt() throws Exception {
        Server server = serverByItself();
        callAccelerated(server, channelByItself(server.getPort()));
    }

    @Test
    void nettysBuildersAreAcceleratedByALine() throws Exception {
        Server server = AccelGrpc.accelerated(NettyServerBuilder.forPort(0))
                .addService(SERVICE)
                .build()
                .start();
        callAccelerated(
                server,
                AccelGrpc.accelerated(NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()))
                        .usePlaintext()
                        .build());
    }

    @Test
    void clientsOnOtherTransportsAreServed() throws Exception {
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Server server = serverByItself();
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .eventLoopGroup(nio)
                .channelType(NioSocketChannel.class)
                .usePlaintext()
                .build();
        try {
            call(channel);
        } finally {
            stop(server, channel);
            nio.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    /** A process has one profile, so this takes another. */
    @Test
    void inProfileOffGrpcTakesItsOwnProvider() throws Exception {
        String output =
                new ChildJvm(Program.class).with("-Daccel.profile=off").run().orderly();
        assertThat(output).contains("to be chosen: false", "answered");
    }

    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            System.out.println("to be chosen: " + Accel.isOn());
            Server server = serverByItself();
            ManagedChannel channel = channelByItself(server.getPort());
            call(channel);
            System.out.println("answered");
            stop(server, channel);
        }
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
