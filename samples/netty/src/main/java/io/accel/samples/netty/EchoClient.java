// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Sends a line to an {@link EchoServer}, and prints what comes back. */
@Command(name = "echo-client", mixinStandardHelpOptions = true, description = "Sends a line, prints what comes back.")
public final class EchoClient implements Callable<Integer> {
    @Mixin
    private TransportOption option;

    @Parameters(index = "0", paramLabel = "PORT", description = "The server's port on loopback.")
    private int port;

    @Parameters(index = "1", paramLabel = "TEXT", defaultValue = "hello", description = "What to send.")
    private String text;

    @Override
    public Integer call() throws Exception {
        byte[] answer = exchange(
                option.transport,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                text.getBytes(StandardCharsets.UTF_8));
        System.out.println(new String(answer, StandardCharsets.UTF_8));
        return 0;
    }

    /** Sends a message and waits until as many bytes have come back. */
    static byte[] exchange(Transport transport, SocketAddress server, byte[] message)
            throws IOException, InterruptedException {
        EventLoopGroup group = transport.newGroup(1);
        try {
            Collector collector = new Collector(message.length);
            Channel channel = new Bootstrap()
                    .group(group)
                    .channel(transport.channel())
                    .handler(collector)
                    .connect(server)
                    .sync()
                    .channel();
            channel.writeAndFlush(Unpooled.wrappedBuffer(message)).sync();
            byte[] answer = collector.all.get(30, TimeUnit.SECONDS);
            channel.close().sync();
            return answer;
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("no answer from " + server + " of " + message.length + " bytes", e);
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    private static final class Collector extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<byte[]> all = new CompletableFuture<>();
        private final byte[] bytes;
        private int got;

        Collector(int length) {
            bytes = new byte[length];
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf msg) {
            int n = Math.min(msg.readableBytes(), bytes.length - got);
            msg.readBytes(bytes, got, n);
            got += n;
            if (got == bytes.length) {
                all.complete(bytes);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            all.completeExceptionally(new IOException("the server closed after " + got + " bytes"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            all.completeExceptionally(cause);
            ChannelFuture unused = ctx.close();
        }
    }
}
