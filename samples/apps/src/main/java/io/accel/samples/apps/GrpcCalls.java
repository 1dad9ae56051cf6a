// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/** Unary calls with 100 bytes, one after the other, by {@code grpc-netty-shaded} or {@code grpc-netty}. Arguments: {@code port}, and
 * {@code netty} as in {@link GrpcServer}. */
public final class GrpcCalls {
    private static final int MESSAGE_BYTES = 100;

    private GrpcCalls() {}

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), parameters.number("port"));
        ManagedChannelBuilder<?> builder = parameters.text("netty").equals("shaded")
                ? io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder.forAddress(server)
                : NettyChannelBuilder.forAddress(server);
        ManagedChannel channel = builder.usePlaintext().build();
        byte[] message = new byte[MESSAGE_BYTES];
        Arrays.fill(message, (byte) 'x');
        Operations.execute(
                () -> {
                    byte[] answer =
                            ClientCalls.blockingUnaryCall(channel, GrpcService.ECHO, CallOptions.DEFAULT, message);
                    if (!Arrays.equals(answer, message)) {
                        throw new IOException("the answer is not what was sent");
                    }
                },
                parameters);
    }
}
