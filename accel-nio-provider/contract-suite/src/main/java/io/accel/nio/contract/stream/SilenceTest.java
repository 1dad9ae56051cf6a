// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections that are silent for a while, again and again. In the runs that move them at random they have moved meanwhile. */
@Tag("stream")
class SilenceTest extends ContractSupport {
    private static final int ROUNDS = 4;
    private static final int SILENCE_MILLIS = 150;

    private static void beSilent() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(SILENCE_MILLIS);
    }

    @Test
    void ofBlockedReaders() throws Exception {
        Pair pair = pair();
        Task<Void> echo = run(() -> {
            ByteBuffer buffer = ByteBuffer.allocate(50_000);
            while (pair.server().read(buffer) >= 0) {
                Bytes.write(pair.server(), buffer.flip());
                buffer.clear();
            }
            pair.server().shutdownOutput();
        });
        for (int round = 0; round < ROUNDS; round++) {
            byte[] sent = Bytes.random(round, 40_000);
            Task<Void> writer = run(() -> Bytes.write(pair.client(), sent));
            Bytes.assertSame(Bytes.read(pair.client(), sent.length), sent);
            writer.result();
            beSilent();
        }
        pair.client().shutdownOutput();
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        echo.result();
    }

    @Test
    void ofASelector() throws Exception {
        Pair pair = pair();
        SocketChannel server = pair.server();
        server.configureBlocking(false);
        Selector selector = selector();
        SelectionKey key = server.register(selector, SelectionKey.OP_READ);
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(selector.select(SILENCE_MILLIS)).as("nothing has come").isZero();
            Bytes.write(pair.client(), Bytes.random(round, 1_000));
            int left = 1_000;
            while (left > 0) {
                assertThat(selector.select(LIMIT_MILLIS)).isEqualTo(1);
                assertThat(selector.selectedKeys()).containsExactly(key);
                selector.selectedKeys().clear();
                left -= server.read(ByteBuffer.allocate(left));
            }
            Bytes.write(server, Bytes.random(round, 1_000));
            Bytes.assertSame(Bytes.read(pair.client(), 1_000), Bytes.random(round, 1_000));
        }
    }
}
