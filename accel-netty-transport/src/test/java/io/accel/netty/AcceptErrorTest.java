// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Anchor;
import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.StreamSocket;
import io.accel.testing.ClientsEnd;
import io.accel.testing.InjectedErrors.Kind;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory runs out between the JDK's accept and the channel: the connection is closed, the listener is told, as by Netty's own, and goes on. */
@Timeout(60)
class AcceptErrorTest {
    private final Queue<Throwable> told = new ConcurrentLinkedQueue<>();
    private final Queue<SocketChannel> accepted = new ConcurrentLinkedQueue<>();
    private volatile boolean fails = true;

    @Test
    void theNextClientIsServed() throws Exception {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());
        try {
            Channel listener = new ServerBootstrap()
                    .group(loop)
                    .channelFactory(Failing::new)
                    .handler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                            told.add(cause);
                        }
                    })
                    .childHandler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            ChannelFuture unused = context.writeAndFlush(message);
                        }
                    })
                    .bind(TestedPath.ADDRESS, 0)
                    .sync()
                    .channel();
            try (SocketChannel client = JdkAccess.kernelProvider().openSocketChannel()) {
                client.connect(listener.localAddress());
                assertThat(ClientsEnd.isMet(client)).isTrue();
            }
            assertThat(accepted.remove().isOpen()).isFalse();
            loop.submit(() -> {}).sync(); // the turn of the accept is over
            assertThat(told).singleElement().satisfies(e -> assertThat(e).hasMessage(Kind.MEMORY.message()));
            fails = false;
            try (SocketChannel client = JdkAccess.kernelProvider().openSocketChannel()) {
                client.connect(listener.localAddress());
                assertThat(client.write(ByteBuffer.wrap(new byte[] {1}))).isEqualTo(1);
                assertThat(client.read(ByteBuffer.allocate(9))).isEqualTo(1);
            }
            listener.close().sync();
        } finally {
            loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** A listener that cannot make channels of the connections that it accepts. */
    private final class Failing extends AbstractAccelServerChannel {
        private final ChannelConfig config = new DefaultChannelConfig(this);
        /** Shown to programs alone. */
        private final AccelServerSocketChannel parent = new AccelServerSocketChannel();

        Failing() {
            super(open(() -> JdkAccess.kernelProvider().openServerSocketChannel()));
        }

        @Override
        SocketAddress listen(SocketAddress local) throws IOException {
            kernel.bind(local);
            return kernel.getLocalAddress();
        }

        @Override
        Anchor anchor(SocketChannel channel) {
            accepted.add(channel);
            return new ChannelAnchor(channel);
        }

        @Override
        AbstractAccelSocketChannel wrap(StreamSocket socket, SocketChannel channel) throws IOException {
            if (fails) {
                throw new OutOfMemoryError(Kind.MEMORY.message());
            }
            return new AccelSocketChannel(parent, socket, channel);
        }

        @Override
        protected void doClose() throws Exception {
            parent.kernel.close();
            super.doClose();
        }

        @Override
        public ChannelConfig config() {
            return config;
        }
    }
}
