// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Threads read as an adapter does while another makes the socket: never two are in the half, and each byte is counted once. */
class PlainStreamStressTest {
    private static final int ROUNDS = 2_000;
    private static final int READERS = 3;
    private static final int READS = 6;

    private final Accelerator accelerator = new Accelerator(Profile.load("balanced", Map.of()));
    private final AtomicInteger inside = new AtomicInteger();

    @Test
    void theSocketIsMadeAtAnyMoment() throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < ROUNDS; round++) {
            PlainStream stream = new PlainStream(accelerator, new ChannelAnchor(SocketChannel.open()));
            List<FutureTask<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(Streams.start(() -> readAll(stream)));
            }
            int pauses = random.nextInt(300);
            for (int i = 0; i < pauses; i++) {
                Thread.onSpinWait();
            }
            StreamSocket socket = stream.socket();
            int brought = 0;
            for (FutureTask<Integer> each : readers) {
                brought += each.get(20, TimeUnit.SECONDS);
            }
            assertThat(socket.incoming().taken()).isEqualTo(brought);
            assertThat(socket.incoming().reads()).isEqualTo(READERS * READS);
            socket.close(false, false);
            ((ChannelAnchor) stream.optionsMonitor()).close();
        }
    }

    private int readAll(PlainStream stream) throws IOException {
        int brought = 0;
        ByteBuffer dst = ByteBuffer.allocate(READS);
        for (int n = 1; n <= READS; n++) {
            if (stream.beginRead()) {
                read(dst, n);
                if (!stream.endRead(n)) {
                    stream.socketOrNull().incoming().adopt();
                    account(stream.socketOrNull(), dst, n);
                }
            } else {
                StreamSocket socket = stream.socket();
                assertThat(socket.incoming().enter()).isNull();
                read(dst, n);
                account(socket, dst, n);
            }
            brought += n;
        }
        return brought;
    }

    private void read(ByteBuffer dst, int n) {
        assertThat(inside.incrementAndGet()).isEqualTo(1);
        dst.clear().position(n);
        Thread.yield();
        inside.decrementAndGet();
    }

    private static void account(StreamSocket socket, ByteBuffer dst, int n) throws IOException {
        try {
            assertThat(socket.incoming().took(n, dst)).isEqualTo(n);
        } finally {
            socket.incoming().leave();
        }
    }
}
