// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Answers {@code GET} with a greeting and {@code POST} with the posted body: HTTP/1.1, keep-alive, pipelining, TLS. */
@Command(
        name = "http-server",
        mixinStandardHelpOptions = true,
        description = "Answers GET with a greeting and POST with what was posted.")
public final class HttpServer implements Callable<Integer> {
    private static final int LARGEST_BODY = 16 << 20;

    @Mixin
    private TransportOption option;

    @Parameters(paramLabel = "PORT", description = "The port to listen on, on loopback; 0 for any.")
    private int port;

    @Option(names = "--keystore", paramLabel = "FILE", description = "PKCS #12 with key and certificate: speak TLS.")
    private Path keystore;

    @Option(names = "--password", paramLabel = "TEXT", defaultValue = "changeit", description = "The key store's.")
    private String password;

    @Override
    public Integer call() throws Exception {
        SslContext tls = keystore == null ? null : Tls.server(keystore, password);
        Channel listener = start(option.transport, option.transport.newGroup(2), port, tls);
        System.out.println("listening on " + listener.localAddress() + " by " + option.transport);
        listener.closeFuture().sync();
        return 0;
    }

    /** Listens on loopback; {@code tls} may be null. */
    static Channel start(Transport transport, EventLoopGroup group, int port, SslContext tls)
            throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(transport.serverChannel())
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        ChannelPipeline pipeline = channel.pipeline();
                        if (tls != null) {
                            pipeline.addLast(tls.newHandler(channel.alloc()));
                        }
                        pipeline.addLast(new HttpServerCodec());
                        pipeline.addLast(new HttpObjectAggregator(LARGEST_BODY));
                        pipeline.addLast(new Answers());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .sync()
                .channel();
    }

    private static final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            boolean keepAlive = HttpUtil.isKeepAlive(request);
            FullHttpResponse response =
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, statusOf(request), bodyOf(request));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN);
            HttpUtil.setContentLength(response, response.content().readableBytes());
            HttpUtil.setKeepAlive(response, keepAlive);
            ChannelFuture written = ctx.write(response);
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        private static HttpResponseStatus statusOf(FullHttpRequest request) {
            boolean known =
                    request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.POST);
            return known ? HttpResponseStatus.OK : HttpResponseStatus.METHOD_NOT_ALLOWED;
        }

        private static ByteBuf bodyOf(FullHttpRequest request) {
            if (request.method().equals(HttpMethod.POST)) {
                return request.content().retain(); // the request's body is the answer's body
            }
            return Unpooled.copiedBuffer("Hello, " + request.uri() + "!\n", StandardCharsets.UTF_8);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush(); // all answers to pipelined requests at once
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            System.err.println(ctx.channel() + ": " + cause);
            ChannelFuture unused = ctx.close();
        }
    }
}
