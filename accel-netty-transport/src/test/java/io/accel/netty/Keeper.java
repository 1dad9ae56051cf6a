// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Keeps what it is given. */
final class Keeper extends ChannelInboundHandlerAdapter {
    final BlockingQueue<ByteBuf> kept = new LinkedBlockingQueue<>();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        kept.add((ByteBuf) msg);
    }

    ByteBuf next() throws InterruptedException {
        ByteBuf buffer = kept.poll(10, SECONDS);
        assertThat(buffer).as("a buffer within ten seconds").isNotNull();
        return buffer;
    }

    /** Waits until so many bytes are kept, and takes them as one buffer. */
    ByteBuf take(int bytes) throws InterruptedException {
        CompositeByteBuf all = Unpooled.compositeBuffer(Integer.MAX_VALUE);
        while (all.readableBytes() < bytes) {
            all.addComponent(true, next());
        }
        return all;
    }
}
