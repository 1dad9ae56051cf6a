// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.PortSpace;
import io.accel.core.runtime.AccelRuntime;
import io.accel.core.socket.Accelerator;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import io.accel.testing.ChildJvm;
import io.accel.testing.InjectedErrors;
import io.accel.testing.InjectedErrors.Kind;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An error at any call into a link that an event loop makes ends one connection at most. The loop serves the others, and nothing leaks. */
@Timeout(120)
class EventLoopErrorsTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thatConcernsOneConnection(boolean slices) throws Exception {
        String output = new ChildJvm(Program.class)
                .with(
                        "-Daccel.profile=low-cpu",
                        "-Daccel.handover.after=connect",
                        "-Daccel.handover.idle=forever",
                        "-Daccel.fabric.order=shm",
                        "-Daccel.ring.initial=16KiB",
                        "-Daccel.ring.size=64KiB",
                        "-Dio.netty.leakDetection.level=paranoid")
                .run(String.valueOf(slices))
                .output();
        assertThat(output).contains("all is well").doesNotContain("LEAK");
    }

    /** A server in the event loop that meets the errors, and clients in another one. */
    static final class Program {
        private static final int FOR_GOOD = 1_000_000;
        private static final List<Kind> KINDS = List.of(Kind.values());
        private static final int BYTES = 60_000;
        private static final int PIECE = 6_000;
        private static final Set<String> AT_LEAST = Set.of(
                "Link.peerState", "Link.published", "Link.publish", "Link.released", "Link.arm", "Link.drainDoorbell");

        private final InjectedErrors errors = new InjectedErrors();
        private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);
        private final EventLoopGroup serverLoop;
        private final EventLoopGroup clientLoop;
        private final Thread looping;
        private final SocketAddress address;

        private Program(boolean slices) throws Exception {
            standBefore();
            serverLoop =
                    new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("server"), AccelIoHandler.newFactory());
            clientLoop =
                    new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("client"), AccelIoHandler.newFactory());
            looping = serverLoop.submit(Thread::currentThread).get();
            address = new ServerBootstrap()
                    .group(serverLoop)
                    .channel(AccelServerSocketChannel.class)
                    .childOption(ChannelOption.ALLOCATOR, buffers)
                    .childOption(AccelChannelOption.RECEIVE_SLICES, slices)
                    .childHandler(new ChannelInitializer<AccelSocketChannel>() {
                        @Override
                        protected void initChannel(AccelSocketChannel channel) {
                            channel.pipeline().addLast(new Echo());
                        }
                    })
                    .bind(TestedPath.ADDRESS, 0)
                    .sync()
                    .channel()
                    .localAddress();
        }

        /** Puts the errors before the links of this process, whose profile no adapter has asked for so far. */
        private void standBefore() throws Exception {
            AccelRuntime runtime = AccelRuntime.get();
            Accelerator usual = runtime.accelerator();
            Method all = Class.forName("io.accel.core.socket.Fabrics")
                    .getDeclaredMethod("all", Profile.class, PortSpace.class);
            all.setAccessible(true);
            Object shm = ((Map<?, ?>) all.invoke(null, usual.profile(), PortSpace.TCP)).get(FabricName.SHM);
            Constructor<Accelerator> made = Accelerator.class.getDeclaredConstructor(Profile.class, Map.class);
            made.setAccessible(true);
            Field field = AccelRuntime.class.getDeclaredField("accelerator");
            field.setAccessible(true);
            field.set(
                    runtime, made.newInstance(usual.profile(), Map.of(FabricName.SHM, errors.over(Fabric.class, shm))));
        }

        public static void main(String[] arguments) throws Exception {
            Program program = new Program(Boolean.parseBoolean(arguments[0]));
            program.run();
            System.out.println("all is well");
        }

        private boolean isLooping(Thread thread) {
            return thread == looping;
        }

        private void run() throws Exception {
            Conversation beside = new Conversation();
            beside.exchange(1);
            Set<String> calls = new TreeSet<>();
            await().atMost(30, TimeUnit.SECONDS).until(() -> {
                errors.aimAtNew();
                errors.watch(this::isLooping);
                assertThat(new Conversation().end()).isTrue();
                calls.addAll(errors.met());
                errors.disarm();
                return calls.containsAll(AT_LEAST);
            });
            int turn = 0;
            for (String call : calls) {
                for (int times : new int[] {1, FOR_GOOD}) {
                    Kind kind = KINDS.get(turn++ % KINDS.size());
                    String what = kind + " at " + call + ", times " + times;
                    errors.aimAtNew();
                    errors.arm(this::isLooping, call::equals, kind, 1, times);
                    try {
                        boolean unused = new Conversation().end();
                    } catch (AssertionError | TimeoutException | ExecutionException e) {
                        throw new AssertionError(what + ", first at " + errors.where(), e);
                    }
                    errors.disarm();
                    try {
                        beside.exchange(1);
                        assertThat(new Conversation().end()).isTrue();
                        onlyIsLeft(2);
                        noBufferIsLeft();
                        assertThat(looping.isAlive()).isTrue();
                        assertThat(errors.misuse()).isEmpty();
                    } catch (Throwable e) {
                        throw new AssertionError("after " + what, e);
                    }
                }
            }
            assertThat(beside.end()).isTrue();
            onlyIsLeft(0);
            serverLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
            clientLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }

        private void noBufferIsLeft() {
            await("buffers")
                    .pollDelay(Duration.ZERO)
                    .atMost(10, TimeUnit.SECONDS)
                    .untilAsserted(() -> {
                        assertThat(buffers.metric().usedHeapMemory()).as("heap").isZero();
                        assertThat(buffers.metric().usedDirectMemory())
                                .as("direct")
                                .isZero();
                    });
        }

        private void onlyIsLeft(int links) {
            await("the end of the others")
                    .pollDelay(Duration.ZERO)
                    .atMost(20, TimeUnit.SECONDS)
                    .until(() -> errors.linksOut() == links);
        }

        /** A client. It is over when everything has come back, or when it was told of the end. */
        private final class Conversation extends ChannelInboundHandlerAdapter {
            private final Channel channel;
            private final AtomicInteger awaited = new AtomicInteger();
            private volatile CompletableFuture<Boolean> done = new CompletableFuture<>();

            Conversation() throws InterruptedException {
                channel = new Bootstrap()
                        .group(clientLoop)
                        .channel(AccelSocketChannel.class)
                        .handler(this)
                        .connect(address)
                        .sync()
                        .channel();
            }

            boolean exchange(int bytes) throws Exception {
                awaited.set(bytes);
                done = new CompletableFuture<>();
                for (int left = bytes; left > 0; left -= PIECE) {
                    ChannelFuture unused =
                            channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[Math.min(PIECE, left)]));
                }
                if (!channel.isActive()) {
                    return false;
                }
                return done.get(20, TimeUnit.SECONDS);
            }

            /** Exchanges the rest, and closes. Returns whether everything has come back. */
            boolean end() throws Exception {
                boolean whole = exchange(BYTES);
                channel.close().sync();
                return whole;
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf bytes = (ByteBuf) message;
                int left = awaited.addAndGet(-bytes.readableBytes());
                bytes.release();
                if (left <= 0) {
                    done.complete(left == 0);
                }
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                done.complete(false);
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                ChannelFuture unused = context.close();
            }
        }
    }

    /** Sends back what it gets. As programs do, it closes a connection that has failed. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ChannelFuture unused = context.writeAndFlush(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            ChannelFuture unused = context.close();
        }
    }
}
