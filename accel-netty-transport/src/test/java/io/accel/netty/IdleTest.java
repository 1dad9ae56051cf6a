package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.FallbackReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A connection that gave its memory back, and got some again: what handlers have kept of it stays theirs. */
class IdleTest {
    @Test
    void linksComeAndGo() throws Exception {
        String output = ChildJvm.run(
                Program.class,
                "-Daccel.handover.idle=50ms",
                "-Daccel.handover.after=0",
                "-Daccel.fabric.order=shm",
                "-Dio.netty.leakDetection.level=paranoid");
        assertThat(output).contains("all is well").doesNotContain("WARN", "ERROR", "LEAK", "Exception");
    }

    /** Sends and keeps, is silent, and sends again. */
    static final class Program {
        private static final int BYTES = 100_000;
        private static final int ROUNDS = 3;

        private Program() {}

        private static final class Echo extends ChannelInboundHandlerAdapter {
            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // a write that fails is missed at the other end
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ctx.writeAndFlush(msg);
            }
        }

        private static final class Keeper extends ChannelInboundHandlerAdapter {
            final BlockingQueue<ByteBuf> kept = new LinkedBlockingQueue<>();

            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                kept.add((ByteBuf) msg);
            }
        }

        public static void main(String[] args) throws Exception {
            Keeper keeper = new Keeper();
            try (Pair pair = new Pair(new Echo())) {
                pair.client.pipeline().addLast(keeper);
                for (int round = 0; round < ROUNDS; round++) {
                    // The first may still go by the kernel.
                    for (int i = 0; i < 2; i++) {
                        roundTrip(pair, keeper, round);
                        check(
                                () -> pair.client.path().isAccelerated(),
                                "a faster path",
                                () -> pair.client.path() + ", " + pair.accepted.path());
                    }
                    check(
                            () -> pair.client.path().reason() == FallbackReason.IDLE,
                            "an idle client",
                            () -> pair.client.path() + ", " + pair.accepted.path());
                    check(
                            () -> pair.accepted.path().reason() == FallbackReason.IDLE,
                            "an idle server",
                            () -> pair.client.path() + ", " + pair.accepted.path());
                    check(() -> !isMapped(), "no memory", () -> pair.client.path() + ", " + pair.accepted.path());
                }
            }
            System.out.println("all is well");
        }

        private static void roundTrip(Pair pair, Keeper keeper, int seed) throws Exception {
            byte[] sent = new byte[BYTES];
            new Random(seed).nextBytes(sent);
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
            ByteBuf all = Unpooled.buffer(BYTES);
            ByteBuf slice = null;
            int begin = 0;
            while (all.readableBytes() < BYTES) {
                ByteBuf part = keeper.kept.poll(10, TimeUnit.SECONDS);
                if (part == null) {
                    throw new IllegalStateException(all.readableBytes() + " bytes within ten seconds");
                }
                if (slice == null) {
                    slice = part.retain();
                    begin = all.readableBytes();
                }
                all.writeBytes(part.duplicate());
                part.release();
            }
            expect(java.util.Arrays.equals(ByteBufUtil.getBytes(all), sent), "the bytes that were sent");
            // What is kept is copied out when the ring is wanted; here that is when it is given back, or before.
            byte[] kept = ByteBufUtil.getBytes(slice);
            expect(
                    java.util.Arrays.equals(kept, 0, kept.length, sent, begin, begin + kept.length),
                    "the bytes that were kept");
            slice.release();
        }

        private static boolean isMapped() {
            try {
                return Files.readString(Path.of("/proc/self/maps")).contains("/ring-");
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        private static void check(BooleanSupplier condition, String what, Supplier<String> state)
                throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
            while (!condition.getAsBoolean()) {
                expect(System.nanoTime() - end < 0, what + ": " + state.get());
                Thread.sleep(5);
            }
        }

        private static void expect(boolean holds, String what) {
            if (!holds) {
                throw new IllegalStateException("not " + what);
            }
        }
    }
}
