// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.PlainStream;
import io.accel.profile.Profile;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A blocking write is interrupted just when it goes back to the kernel: nobody who writes afterwards waits for it. */
@Timeout(60)
class InterruptOnTheWayBackTest {
    /** In most rounds the interrupt comes in that moment. */
    private static final int TRIES = 40;
    /** More than the ring and the kernel take. */
    private static final int MUCH = 16 << 20;

    @Test
    void leavesTheKernelsHalf() throws Exception {
        AccelSelectorProvider provider = new AccelSelectorProvider(
                Profile.load("low-cpu", Map.of("handover.after", "connect", "ring.size", "16KiB")));
        try (ServerSocketChannel listener =
                provider.openServerSocketChannel().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            for (int i = 0; i < TRIES; i++) {
                interrupt(provider, listener);
            }
        }
    }

    private static void interrupt(AccelSelectorProvider provider, ServerSocketChannel listener) throws Exception {
        SocketChannel kernel = provider.kernel().openSocketChannel();
        PlainStream stream = new PlainStream(provider.accelerator(), new ChannelAnchor(kernel));
        try (SocketChannel client = new AccelSocketChannel(provider, stream, kernel)) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                awaitTrue(() -> stream.socket().attached() != null);
                FutureTask<Integer> write = new FutureTask<>(() -> client.write(ByteBuffer.allocateDirect(MUCH)));
                Thread writer = new Thread(write);
                writer.start();
                InputStream came = server.socket().getInputStream();
                awaitTrue(() -> came.available() > 0);
                awaitTrue(() -> stream.socket().outgoing().link() == null);
                assertThatThrownBy(() -> interrupted(writer, write))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(ClosedByInterruptException.class);
                FutureTask<Integer> next = new FutureTask<>(() -> client.write(ByteBuffer.allocate(1)));
                Thread other = new Thread(next);
                other.setDaemon(true); // which may wait for ever
                other.start();
                assertThatThrownBy(() -> next.get(10, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(ClosedChannelException.class);
                assertThat(server.isOpen()).isTrue();
            }
        }
    }

    /**
     * Interrupts it, and again if necessary: {@link Thread#interrupt} of JDK 17 looks for a channel to close before it sets the
     * flag, and so misses a thread that enters the channel in between.
     */
    private static int interrupted(Thread writer, FutureTask<Integer> write) throws Exception {
        for (int tries = 1; ; tries++) {
            writer.interrupt();
            try {
                return write.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (tries == 100) {
                    throw e;
                }
            }
        }
    }

    /** Looks without a pause: the moment is short. */
    private static void awaitTrue(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.call()) {
            assertThat(System.nanoTime() - end).isNegative();
            Thread.onSpinWait();
        }
    }
}
