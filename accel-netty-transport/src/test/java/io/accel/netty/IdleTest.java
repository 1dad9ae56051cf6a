// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.testing.ChildJvm;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A connection gave its memory back, and got memory again: buffers that handlers have kept stay theirs. */
class IdleTest {
    @Test
    void linksComeAndGo() throws Exception {
        String output = new ChildJvm(Program.class)
                .with(
                        "-Daccel.handover.idle=50ms",
                        "-Daccel.handover.after=0",
                        "-Daccel.fabric.order=shm",
                        "-Dio.netty.leakDetection.level=paranoid")
                .run()
                .output();
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

        public static void main(String[] args) throws Exception {
            Keeper keeper = new Keeper();
            try (Pair pair = new Pair(new Echo())) {
                pair.client.pipeline().addLast(keeper);
                for (int round = 0; round < ROUNDS; round++) {
                    comeAndGo(pair, keeper, round);
                }
            }
            System.out.println("all is well");
        }

        private static void comeAndGo(Pair pair, Keeper keeper, int seed) throws Exception {
            Supplier<String> paths = () -> pair.client.path() + ", " + pair.accepted.path();
            byte[] sent = new byte[BYTES];
            new Random(seed).nextBytes(sent);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
            do { // one may still go through the kernel, and on a busy machine a link may be idle before it is used
                expect(System.nanoTime() - end < 0, "a faster path: " + paths.get());
                roundTrip(pair, keeper, sent).release();
            } while (!pair.client.path().isAccelerated());
            ByteBuf kept = roundTrip(pair, keeper, sent);
            check(() -> pair.client.path().reason() == FallbackReason.IDLE, "an idle client", paths);
            check(() -> pair.accepted.path().reason() == FallbackReason.IDLE, "an idle server", paths);
            check(() -> !isMapped(), "no memory", paths);
            expect(Arrays.equals(ByteBufUtil.getBytes(kept), sent), "the bytes that were kept");
            kept.release();
        }

        /** The bytes that came back, in the buffers in which they came. */
        private static ByteBuf roundTrip(Pair pair, Keeper keeper, byte[] sent) throws Exception {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
            ByteBuf back = keeper.take(BYTES);
            expect(Arrays.equals(ByteBufUtil.getBytes(back), sent), "the bytes that were sent");
            return back;
        }

        private static boolean isMapped() {
            try {
                return Files.readString(Path.of("/proc/self/maps")).contains("/ring-");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void check(BooleanSupplier condition, String what, Supplier<String> state) {
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> expect(condition.getAsBoolean(), what + ": " + state.get()));
        }

        private static void expect(boolean holds, String what) {
            if (!holds) {
                throw new AssertionError("not " + what);
            }
        }
    }
}
