// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.Parameters;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/**
 * Counts the bytes of each client until it ends its output, then answers with the count, in eight bytes. Argument: {@code
 * transport}.
 */
public final class NettyStreamSink {
    private NettyStreamSink() {}

    public static void main(String[] args) throws Exception {
        Ends.serve(Parameters.parse(args), new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
                channel.pipeline().addLast(new Count());
            }
        });
    }

    private static final class Count extends ChannelInboundHandlerAdapter {
        private long bytes;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            bytes += buffer.readableBytes();
            buffer.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                ctx.writeAndFlush(ctx.alloc().buffer(Long.BYTES).writeLong(bytes))
                        .addListener(ChannelFutureListener.CLOSE);
            }
        }
    }
}
