// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.accel.netty.AccelIoHandler;
import io.accel.netty.AccelServerSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.testsuite.transport.AbstractSingleThreadEventLoopTest;
import java.util.concurrent.Executor;

/** Netty's test of event loops, over Accel's. */
class AccelEventLoopTest extends AbstractSingleThreadEventLoopTest {
    @Override
    protected EventLoopGroup newEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(AccelIoHandler.newFactory());
    }

    @Override
    protected EventLoopGroup newAutoScalingEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(
                SCALING_MAX_THREADS, (Executor) null, AUTO_SCALING_CHOOSER_FACTORY, AccelIoHandler.newFactory());
    }

    @Override
    protected Channel newChannel() {
        return new AccelServerSocketChannel();
    }

    @Override
    protected Class<? extends ServerChannel> serverChannelClass() {
        return AccelServerSocketChannel.class;
    }
}
