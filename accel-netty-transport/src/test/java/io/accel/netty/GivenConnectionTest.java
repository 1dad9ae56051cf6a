// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.nio.AccelSelectorProvider;
import io.accel.testing.ChildJvm;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program's own connections, registered with event loops of Accel's. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is missed at the other end
class GivenConnectionTest {
    private static final int PATIENCE_SECONDS = 30;
    private static final int LARGE = 8 << 20;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, AccelIoHandler.newFactory());
    private Channel listener;

    @TempDir
    private Path dir;

    /** Sends back what comes. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ctx.writeAndFlush(msg);
        }

        @Override
        public boolean isSharable() {
            return true;
        }
    }

    private static final class Collector extends ChannelInboundHandlerAdapter {
        final BlockingQueue<byte[]> bytes = new LinkedBlockingQueue<>();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            bytes.add(ByteBufUtil.getBytes(buffer));
            buffer.release();
        }

        byte[] take(int length) throws InterruptedException {
            ByteBuffer all = ByteBuffer.allocate(length);
            while (all.hasRemaining()) {
                byte[] next = bytes.poll(PATIENCE_SECONDS, SECONDS);
                assertThat(next).as("more than %s bytes", all.position()).isNotNull();
                all.put(next);
            }
            return all.array();
        }
    }

    @BeforeEach
    void listen() throws InterruptedException {
        listener = new ServerBootstrap()
                .group(loops)
                .channel(AccelServerSocketChannel.class)
                .childHandler(new Echo())
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
    }

    @AfterEach
    void close() {
        listener.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
    }

    private static void exchange(SocketChannel plain, String text) throws Exception {
        ByteBuffer out = ByteBuffer.wrap(text.getBytes(US_ASCII));
        while (out.hasRemaining()) {
            plain.write(out);
        }
        ByteBuffer in = ByteBuffer.allocate(text.length());
        while (in.hasRemaining()) {
            assertThat(plain.read(in)).isNotNegative();
        }
        assertThat(new String(in.array(), US_ASCII)).isEqualTo(text);
    }

    private AccelSocketChannel register(SocketChannel given) throws InterruptedException {
        AccelSocketChannel channel = new AccelSocketChannel(given);
        assertThat(channel.isActive()).isTrue();
        channel.pipeline().addLast(new Collector());
        loops.register(channel).sync();
        return channel;
    }

    private static void echo(AccelSocketChannel channel, int seed, int length) throws Exception {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
        assertThat(Arrays.equals(channel.pipeline().get(Collector.class).take(length), bytes))
                .isTrue();
    }

    /** It has carried bytes of which Accel knows nothing, and a switch would be made at a wrong place. */
    @Test
    void oneOfTheJdksGoesOnThroughTheKernel() throws Exception {
        SocketChannel plain = SocketChannel.open(listener.localAddress());
        exchange(plain, "before it is given");
        AccelSocketChannel channel = register(plain);
        assertThat(channel.localAddress()).isEqualTo(plain.getLocalAddress());
        assertThat(channel.remoteAddress()).isEqualTo(listener.localAddress());
        for (int i = 1; i < 100; i++) {
            echo(channel, i, 100 * i);
        }
        echo(channel, 0, LARGE);
        assertThat(channel.path().isAccelerated()).isFalse();
        assertThat(channel.path().reason()).isEqualTo(FallbackReason.FOREIGN_CHANNEL);
        assertThat(plain.isBlocking()).isFalse();
        channel.close().sync();
        assertThat(plain.isOpen()).isFalse();
    }

    @Test
    void oneThatAListenerOfTheJdksHasAcceptedGoesOnThroughTheKernel() throws Exception {
        try (ServerSocketChannel plain = ServerSocketChannel.open()) {
            plain.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel client = SocketChannel.open(plain.getLocalAddress())) {
                AccelSocketChannel accepted = new AccelSocketChannel(plain.accept());
                accepted.pipeline().addLast(new Echo());
                loops.register(accepted).sync();
                exchange(client, "to a channel that was accepted");
                assertThat(accepted.path().reason()).isEqualTo(FallbackReason.FOREIGN_CHANNEL);
                client.shutdownOutput();
                assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                accepted.closeFuture().sync();
            }
        }
    }

    @Test
    void oneOfAccelsGoesOnWhereItIs() throws Exception {
        SocketChannel given = new AccelSelectorProvider().openSocketChannel();
        given.connect(listener.localAddress());
        exchange(given, "before it is given");
        AccelSocketChannel channel = register(given);
        await().atMost(PATIENCE_SECONDS, SECONDS).untilAsserted(() -> {
            echo(channel, 1, 10);
            assertThat(channel.path()).hasToString("shm");
        });
        for (int i = 1; i < 100; i++) {
            echo(channel, i, 100 * i);
        }
        echo(channel, 0, LARGE);
        channel.close().sync();
        assertThat(given.isOpen()).isFalse();
    }

    @Test
    void oneOfAccelsMayBeGivenAtTheAcceptingEnd() throws Exception {
        AccelSelectorProvider provider = new AccelSelectorProvider();
        try (ServerSocketChannel accelerated = provider.openServerSocketChannel()) {
            accelerated.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel client = provider.openSocketChannel()) {
                client.configureBlocking(false);
                client.connect(accelerated.getLocalAddress());
                AccelSocketChannel accepted = new AccelSocketChannel(accelerated.accept());
                accepted.pipeline().addLast(new Echo());
                loops.register(accepted).sync();
                await().atMost(PATIENCE_SECONDS, SECONDS).until(client::finishConnect);
                await().atMost(PATIENCE_SECONDS, SECONDS).untilAsserted(() -> {
                    exchange(client, "over either path");
                    assertThat(accepted.path()).hasToString("shm");
                });
            }
        }
    }

    @Test
    void whatCannotBeTakenIsRefusedWithTheReason() throws Exception {
        try (SocketChannel unconnected = SocketChannel.open()) {
            assertThatThrownBy(() -> new AccelSocketChannel(unconnected))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not connected");
            assertThat(unconnected.isOpen()).isTrue();
        }
        SocketChannel closed = SocketChannel.open(listener.localAddress());
        closed.close();
        assertThatThrownBy(() -> new AccelSocketChannel(closed))
                .isInstanceOf(ChannelException.class)
                .hasMessageContaining("cannot take over");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(dir.resolve("app.sock"));
        try (ServerSocketChannel unixListener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                SocketChannel unix = SocketChannel.open(StandardProtocolFamily.UNIX);
                SocketChannel tcp = SocketChannel.open(listener.localAddress())) {
            unixListener.bind(address);
            unix.connect(address);
            assertThatThrownBy(() -> new AccelSocketChannel(unix))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("use AccelDomainSocketChannel");
            assertThatThrownBy(() -> new AccelDomainSocketChannel(tcp))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("use AccelSocketChannel");
        }
    }

    @Test
    void isRefusedWhereAFallBackIsAFailure() throws Exception {
        assertThat(new ChildJvm(Failing.class)
                        .with("-Daccel.fallback=fail")
                        .run()
                        .orderly())
                .contains(
                        "ChannelException",
                        ConnectException.class.getName() + ": not accelerated, and fallback=fail: FOREIGN_CHANNEL",
                        "open: false");
    }

    /** Gives a connection of the JDK's away. */
    static final class Failing {
        private Failing() {}

        public static void main(String[] args) throws Exception {
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel plain = SocketChannel.open(server.getLocalAddress());
                try {
                    System.out.println(new AccelSocketChannel(plain));
                } catch (ChannelException e) {
                    System.out.println(e + " " + e.getCause());
                }
                System.out.println("open: " + plain.isOpen());
            }
        }
    }
}
