// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One connection to an {@link HttpServer}. One thread at a time. */
public final class HttpClient implements AutoCloseable {
    private static final int LARGEST_BODY = 16 << 20;
    private static final int PATIENCE_SECONDS = 30;

    private final EventLoopGroup group;
    private final Channel channel;
    private final BlockingQueue<Object> answers = new LinkedBlockingQueue<>();

    /** An answer: status, and body as text. */
    record Answer(int status, String body) {}

    /** Connects; {@code tls} may be null. */
    HttpClient(Transport transport, InetSocketAddress server, SslContext tls) throws InterruptedException {
        group = transport.newGroup(1);
        channel = new Bootstrap()
                .group(group)
                .channel(transport.channel())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                        ChannelPipeline pipeline = made.pipeline();
                        if (tls != null) {
                            pipeline.addLast(tls.newHandler(made.alloc(), server.getHostString(), server.getPort()));
                        }
                        pipeline.addLast(new HttpClientCodec());
                        pipeline.addLast(new HttpObjectAggregator(LARGEST_BODY));
                        pipeline.addLast(new Answers());
                    }
                })
                .connect(server)
                .sync()
                .channel();
    }

    Channel channel() {
        return channel;
    }

    /** Sends a request without waiting for its answer; answers come in the order of the requests. */
    void send(HttpMethod method, String path, String body) {
        ByteBuf content = Unpooled.copiedBuffer(body, StandardCharsets.UTF_8);
        FullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, method, path, content);
        request.headers().set(HttpHeaderNames.HOST, "localhost");
        HttpUtil.setContentLength(request, content.readableBytes());
        channel.writeAndFlush(request).addListener(future -> {
            if (!future.isSuccess()) {
                answers.add(future.cause());
            }
        });
    }

    /** Waits for the next answer. */
    Answer receive() throws IOException, InterruptedException {
        Object next = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (next instanceof Answer answer) {
            return answer;
        }
        throw new IOException("no answer on " + channel, (Throwable) next);
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private final class Answers extends SimpleChannelInboundHandler<FullHttpResponse> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse msg) {
            answers.add(new Answer(msg.status().code(), msg.content().toString(StandardCharsets.UTF_8)));
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            answers.add(new IOException("the server closed the connection"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            answers.add(cause);
            ChannelFuture unused = ctx.close();
        }
    }

    /** {@code http-client}. */
    @Command(name = "http-client", mixinStandardHelpOptions = true, description = "Gets a path, prints the answer.")
    static final class Main implements Callable<Integer> {
        @Mixin
        private TransportOption option;

        @Parameters(index = "0", paramLabel = "PORT", description = "The server's port on loopback.")
        private int port;

        @Parameters(index = "1", paramLabel = "PATH", defaultValue = "/world", description = "What to get.")
        private String path;

        @Option(names = "--truststore", paramLabel = "FILE", description = "PKCS #12 with what to trust: speak TLS.")
        private Path truststore;

        @Option(names = "--password", paramLabel = "TEXT", defaultValue = "changeit", description = "The store's.")
        private String password;

        @Override
        public Integer call() throws Exception {
            SslContext tls = truststore == null ? null : Tls.client(truststore, password);
            InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            try (HttpClient client = new HttpClient(option.transport, server, tls)) {
                client.send(HttpMethod.GET, path, "");
                Answer answer = client.receive();
                System.out.print(answer.status() + " " + answer.body());
                return answer.status() == 200 ? 0 : 1;
            }
        }
    }
}
