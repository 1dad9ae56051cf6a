// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.Parameters;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Echoes. Arguments: {@code transport}, and {@code loops}, 1 without it. */
public final class NettyEchoServer {
    private NettyEchoServer() {}

    public static void main(String[] args) throws Exception {
        Ends.serve(Parameters.parse(args), new Echo());
    }

    @Sharable
    static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ChannelFuture unused = ctx.write(msg, ctx.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }
    }
}
