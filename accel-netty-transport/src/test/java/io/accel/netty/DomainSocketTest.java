// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.testing.ChildJvm;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unix-domain channels beyond what Netty's suite tests of every transport. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is missed at the other end
class DomainSocketTest {
    private static final int PATIENCE_SECONDS = 30;
    /** More than any socket buffer and any ring. */
    private static final int LARGE = 24 << 20;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, AccelIoHandler.newFactory());
    private final Deque<Channel> open = new ArrayDeque<>();
    private final BlockingQueue<AccelDomainSocketChannel> arrived = new LinkedBlockingQueue<>();

    @TempDir
    private Path dir;

    private static final AttributeKey<Seen> SEEN = AttributeKey.valueOf(DomainSocketTest.class, "SEEN");

    /** What the handlers of one end have seen. A channel still tells when its pipeline is empty. */
    private static final class Seen extends ChannelInboundHandlerAdapter {
        final BlockingQueue<byte[]> bytes = new LinkedBlockingQueue<>();
        final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        final CountDownLatch inactive = new CountDownLatch(1);

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            ctx.channel().attr(SEEN).set(this);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            bytes.add(ByteBufUtil.getBytes(buffer));
            buffer.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failures.add(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            inactive.countDown();
        }

        byte[] take(int length) throws InterruptedException {
            byte[] all = new byte[length];
            int at = 0;
            while (at < length) {
                byte[] next = bytes.poll(PATIENCE_SECONDS, SECONDS);
                assertThat(next).as("bytes after %s of %s", at, length).isNotNull();
                System.arraycopy(next, 0, all, at, next.length);
                at += next.length;
            }
            return all;
        }
    }

    private static Seen seen(Channel channel) {
        return channel.attr(SEEN).get();
    }

    @AfterEach
    void closeAll() {
        for (Channel each : open) {
            each.close().syncUninterruptibly();
        }
        loops.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
    }

    private <C extends Channel> C closing(C one) {
        open.push(one);
        return one;
    }

    private UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(dir.resolve("app.sock"));
    }

    private ServerBootstrap server() {
        return new ServerBootstrap()
                .group(loops)
                .channel(AccelServerDomainSocketChannel.class)
                .childHandler(new ChannelInitializer<AccelDomainSocketChannel>() {
                    @Override
                    protected void initChannel(AccelDomainSocketChannel channel) {
                        channel.pipeline().addLast(new Seen());
                        arrived.add(channel);
                    }
                });
    }

    private AccelServerDomainSocketChannel listen() throws InterruptedException {
        return (AccelServerDomainSocketChannel)
                closing(server().bind(address()).sync().channel());
    }

    private Bootstrap bootstrap() {
        return new Bootstrap()
                .group(loops)
                .channel(AccelDomainSocketChannel.class)
                .handler(new Initializer());
    }

    private static final class Initializer extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            channel.pipeline().addLast(new Seen());
        }
    }

    private AccelDomainSocketChannel client() throws InterruptedException {
        return (AccelDomainSocketChannel)
                closing(bootstrap().connect(address()).sync().channel());
    }

    private AccelDomainSocketChannel accepted() throws InterruptedException {
        AccelDomainSocketChannel accepted = arrived.poll(PATIENCE_SECONDS, SECONDS);
        assertThat(accepted).isNotNull();
        return closing(accepted);
    }

    private static void send(Channel from, Channel to, byte[] bytes) throws InterruptedException {
        from.writeAndFlush(Unpooled.wrappedBuffer(bytes)).sync();
        assertThat(seen(to).take(bytes.length)).isEqualTo(bytes);
    }

    private static void talkUntilMoved(AccelDomainSocketChannel client, AccelDomainSocketChannel accepted) {
        await().atMost(PATIENCE_SECONDS, SECONDS).untilAsserted(() -> {
            send(client, accepted, new byte[] {1, 2, 3});
            send(accepted, client, new byte[] {4, 5});
            assertThat(client.path()).hasToString("shm");
            assertThat(accepted.path()).hasToString("shm");
        });
    }

    // ---- the path

    @Test
    void movesToSharedMemoryWithoutASetting() throws Exception {
        AccelServerDomainSocketChannel listener = listen();
        assertThat(listener.isAccelerated()).isTrue();
        assertThat(listener.localAddress()).isEqualTo(address());
        assertThat(listener.remoteAddress()).isNull();
        AccelDomainSocketChannel client = client();
        AccelDomainSocketChannel accepted = accepted();
        assertThat(client.remoteAddress()).isEqualTo(address());
        assertThat(accepted.localAddress()).isEqualTo(address());
        assertThat(accepted.parent()).isSameAs(listener);
        talkUntilMoved(client, accepted);
    }

    @Test
    void carriesMuchMoreThanARingInBothDirections() throws Exception {
        listen();
        AccelDomainSocketChannel client = client();
        AccelDomainSocketChannel accepted = accepted();
        talkUntilMoved(client, accepted);
        byte[] there = new byte[LARGE];
        byte[] back = new byte[LARGE];
        new Random(1).nextBytes(there);
        new Random(2).nextBytes(back);
        var sentThere = client.writeAndFlush(Unpooled.wrappedBuffer(there));
        var sentBack = accepted.writeAndFlush(Unpooled.wrappedBuffer(back));
        assertThat(Arrays.equals(seen(accepted).take(LARGE), there)).isTrue();
        assertThat(Arrays.equals(seen(client).take(LARGE), back)).isTrue();
        sentThere.sync();
        sentBack.sync();
    }

    @Test
    void aPeerWithoutAccelJustWorks() throws Exception {
        AccelServerDomainSocketChannel listener = listen();
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            Channel plain = new Bootstrap()
                    .group(nio)
                    .channel(NioDomainSocketChannel.class)
                    .handler(new Initializer())
                    .connect(listener.localAddress())
                    .sync()
                    .channel();
            AccelDomainSocketChannel accepted = accepted();
            for (int i = 0; i < 50; i++) {
                send(plain, accepted, new byte[] {(byte) i});
                send(accepted, plain, new byte[] {(byte) i, 1});
            }
            assertThat(accepted.path().reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            plain.close().sync();
            assertThat(seen(accepted).inactive.await(PATIENCE_SECONDS, SECONDS)).isTrue();
        } finally {
            nio.shutdownGracefully(0, 5, SECONDS).sync();
        }
    }

    @Test
    void theProfileMayKeepThemWithTheKernel() throws Exception {
        assertThat(new ChildJvm(PathsOfOneConnection.class)
                        .with("-Daccel.unix.streams=false", "-Daccel.handover.after=connect")
                        .run(dir.resolve("said.sock").toString())
                        .orderly())
                .contains("listener: false", "kernel (RULE: -Daccel.unix.streams: unix.streams=false)");
        assertThat(new ChildJvm(PathsOfOneConnection.class)
                        .with("-Daccel.profile=off")
                        .run(dir.resolve("off.sock").toString())
                        .orderly())
                .contains("listener: false", "kernel (RULE: no rule matches)");
        assertThat(new ChildJvm(PathsOfOneConnection.class)
                        .with("-Daccel.rule.1=kernel * unix:" + dir.resolve("*"), "-Daccel.handover.after=connect")
                        .run(dir.resolve("rule.sock").toString())
                        .orderly())
                .contains("listener: false", "kernel (RULE: ");
    }

    /** Connects, exchanges some messages, and prints the paths. */
    static final class PathsOfOneConnection {
        private PathsOfOneConnection() {}

        public static void main(String[] args) throws Exception {
            EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, AccelIoHandler.newFactory());
            SocketAddress address = UnixDomainSocketAddress.of(args[0]);
            AccelServerDomainSocketChannel listener = (AccelServerDomainSocketChannel) new ServerBootstrap()
                    .group(loops)
                    .channel(AccelServerDomainSocketChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext ctx, Object msg) {
                            ctx.writeAndFlush(msg);
                        }
                    })
                    .bind(address)
                    .sync()
                    .channel();
            Seen seen = new Seen();
            AccelDomainSocketChannel client = (AccelDomainSocketChannel) new Bootstrap()
                    .group(loops)
                    .channel(AccelDomainSocketChannel.class)
                    .handler(seen)
                    .connect(address)
                    .sync()
                    .channel();
            for (int i = 0; i < 20; i++) {
                client.writeAndFlush(Unpooled.buffer().writeInt(i)).sync();
                seen.take(Integer.BYTES);
            }
            System.out.println("listener: " + listener.isAccelerated());
            System.out.println(client.path());
            loops.shutdownGracefully(0, 5, SECONDS).sync();
        }
    }

    // ---- ends

    @Test
    void halfOfTheConnectionGoesOn() throws Exception {
        closing(server().childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind(address())
                .sync()
                .channel());
        AccelDomainSocketChannel client = client();
        AccelDomainSocketChannel accepted = accepted();
        client.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        talkUntilMoved(client, accepted);
        client.shutdownOutput().sync();
        assertThat(client.isOutputShutdown()).isTrue();
        assertThat(seen(accepted).events.poll(PATIENCE_SECONDS, SECONDS)).isSameAs(ChannelInputShutdownEvent.INSTANCE);
        assertThat(seen(client).events.poll(PATIENCE_SECONDS, SECONDS)).isInstanceOf(ChannelOutputShutdownEvent.class);
        send(accepted, client, new byte[1000]);
        assertThat(client.isActive()).isTrue();
        accepted.close().sync();
        assertThat(seen(client).events.poll(PATIENCE_SECONDS, SECONDS)).isSameAs(ChannelInputShutdownEvent.INSTANCE);
    }

    @Test
    void withAutoReadOffNothingIsReadBeforeItIsAskedFor() throws Exception {
        closing(server().childOption(ChannelOption.AUTO_READ, false)
                .bind(address())
                .sync()
                .channel());
        AccelDomainSocketChannel client = client();
        AccelDomainSocketChannel accepted = accepted();
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {7, 8})).sync();
        assertThat(seen(accepted).bytes.poll(200, MILLISECONDS)).isNull();
        accepted.read();
        assertThat(seen(accepted).take(2)).containsExactly(7, 8);
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {9})).sync();
        client.close().sync();
        assertThat(seen(accepted).inactive.await(200, MILLISECONDS)).isFalse();
        accepted.read();
        assertThat(seen(accepted).take(1)).containsExactly(9);
        assertThat(seen(accepted).inactive.await(PATIENCE_SECONDS, SECONDS)).isTrue();
    }

    /** As the kernel does; over TCP Netty's transports end in order there. */
    @Test
    void aCloseWithBytesUnreadResetsOnEitherPath() throws Exception {
        listen();
        for (boolean moved : new boolean[] {false, true}) {
            AccelDomainSocketChannel client = client();
            AccelDomainSocketChannel accepted = accepted();
            if (moved) {
                talkUntilMoved(client, accepted);
            }
            accepted.config().setAutoRead(false);
            accepted.eventLoop().submit(() -> {}).sync();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100])).sync();
            accepted.close().sync();
            if (moved) {
                assertThat(seen(client).failures.poll(PATIENCE_SECONDS, SECONDS))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("Connection reset");
            }
            assertThat(seen(client).inactive.await(PATIENCE_SECONDS, SECONDS)).isTrue();
        }
    }

    // ---- files and addresses

    @Test
    void theFileGoesWithTheListener() throws Exception {
        AccelServerDomainSocketChannel listener = listen();
        assertThat(address().getPath()).exists();
        listener.close().sync();
        assertThat(address().getPath()).doesNotExist();
    }

    @Test
    void aFileThatAnotherHasBoundMeanwhileStays() throws Exception {
        AccelServerDomainSocketChannel listener = listen();
        Files.delete(address().getPath());
        AccelServerDomainSocketChannel second = listen();
        listener.close().sync();
        AccelDomainSocketChannel client = client();
        AccelDomainSocketChannel accepted = accepted();
        assertThat(accepted.parent()).isSameAs(second);
        talkUntilMoved(client, accepted);
    }

    @Test
    void aConnectionOutlivesItsFile() throws Exception {
        listen();
        AccelDomainSocketChannel client = client();
        AccelDomainSocketChannel accepted = accepted();
        Files.delete(address().getPath());
        talkUntilMoved(client, accepted);
        assertThatThrownBy(this::client).isInstanceOf(IOException.class);
    }

    @Test
    void aFileLeftOverIsNamedWithTheRemedy() throws Exception {
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(address()); // the JDK leaves the file
        }
        assertThatThrownBy(this::client).isInstanceOf(ConnectException.class);
        assertThatThrownBy(this::listen)
                .isInstanceOf(BindException.class)
                .hasMessageContaining(address().getPath() + " exists")
                .hasMessageContaining("delete it first");
        assertThat(address().getPath()).exists();
        Files.delete(address().getPath());
        listen();
        talkUntilMoved(client(), accepted());
    }

    @Test
    void anAddressOfAnotherTypeIsRefusedWithARemedy() {
        SocketAddress internet = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        SocketAddress natives = new SocketAddress() {
            private static final long serialVersionUID = 1L;

            @Override
            public String toString() {
                return "/run/app.sock";
            }
        };
        assertThatThrownBy(() -> bootstrap().connect(internet).sync())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.net.UnixDomainSocketAddress")
                .hasMessageContaining("internet addresses are for AccelSocketChannel");
        assertThatThrownBy(() -> server().bind(internet).sync())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("internet addresses are for AccelServerSocketChannel");
        assertThatThrownBy(() -> bootstrap().connect(natives).sync())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pass UnixDomainSocketAddress.of(\"/run/app.sock\")");
        assertThatThrownBy(() -> server().bind(natives).sync())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pass UnixDomainSocketAddress.of(\"/run/app.sock\")");
    }

    // ---- options

    @Test
    void hasTheKernelsOptions() throws Exception {
        AccelServerDomainSocketChannel listener = listen();
        AccelDomainSocketChannel client = client();
        AccelDomainSocketChannel accepted = accepted();
        assertThat(client.config().setOption(ChannelOption.SO_SNDBUF, 1 << 16)).isTrue();
        assertThat(client.config().getOption(ChannelOption.SO_SNDBUF)).isGreaterThanOrEqualTo(1 << 16);
        assertThat(client.config().setOption(ChannelOption.TCP_NODELAY, true)).isFalse();
        assertThat(client.config().setOption(AccelChannelOption.TCP_KEEPIDLE, 5))
                .isFalse();
        assertThat(client.config().getOptions()).containsKey(AccelChannelOption.RECEIVE_SLICES);
        UnixDomainPrincipal peer =
                accepted.config().getOption(AccelChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
        assertThat(peer.user().getName()).isEqualTo(System.getProperty("user.name"));
        assertThat(listener.config().getOption(ChannelOption.SO_BACKLOG)).isPositive();
        assertThat(listener.config().setOption(ChannelOption.SO_BACKLOG, 9)).isTrue();
        assertThat(listener.config().getOption(ChannelOption.SO_BACKLOG)).isEqualTo(9);
        assertThat(listener.config().setOption(ChannelOption.TCP_NODELAY, true)).isFalse();
        assertThat(listener.config().setOption(AccelChannelOption.of(StandardSocketOptions.SO_RCVBUF), 1 << 16))
                .isTrue();
    }

    // ---- connections that a program has made

    @Test
    void takesAConnectionOfTheJdksOver() throws Exception {
        listen();
        SocketChannel plain = SocketChannel.open(address());
        plain.write(ByteBuffer.wrap(new byte[] {1}));
        AccelDomainSocketChannel accepted = accepted();
        AccelDomainSocketChannel client = closing(new AccelDomainSocketChannel(plain));
        client.pipeline().addLast(new Seen());
        loops.register(client).sync();
        assertThat(seen(accepted).take(1)).containsExactly(1);
        for (int i = 0; i < 20; i++) {
            send(client, accepted, new byte[] {2, 3});
            send(accepted, client, new byte[] {4});
        }
        assertThat(client.path().reason()).isEqualTo(FallbackReason.FOREIGN_CHANNEL);
        client.close().sync();
        assertThat(plain.isOpen()).isFalse();
        assertThat(seen(accepted).inactive.await(PATIENCE_SECONDS, SECONDS)).isTrue();
        assertThat(accepted.parent()).isInstanceOf(ServerChannel.class);
    }
}
