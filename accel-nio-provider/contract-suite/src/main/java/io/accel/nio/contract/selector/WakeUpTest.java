// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No waiter is forgotten, however long it was quiet before. */
@Tag("selector")
class WakeUpTest extends ContractSupport {
    /** Long enough for any implementation to have stopped looking and to wait for a wake-up. */
    private static final long SILENCE_MILLIS = 1500;

    private static final int ROUNDS = 3000;

    @Test
    void afterALongSilence() throws Exception {
        Pair reading = pair();
        Pair full = fullPair();
        Pair selecting = pair();
        Pair timed = pair();
        ServerSocketChannel accepting = listener();
        ServerSocketChannel selectedListener = listener();
        Selector readSelector = selector();
        Selector acceptSelector = selector();
        register(selecting.server(), readSelector, OP_READ);
        register(selectedListener, acceptSelector, OP_ACCEPT);
        timed.server().socket().setSoTimeout(60_000);

        Task<byte[]> reader = start(() -> Bytes.read(reading.server(), 1)).awaitInside("read");
        Task<Void> writer =
                run(() -> Bytes.write(full.client(), new byte[1_000_000])).awaitInside("write");
        Task<Integer> timedReader =
                start(() -> timed.server().socket().getInputStream().read()).awaitInside("read");
        Task<Integer> select = start(readSelector::select).awaitInside("select");
        Task<Integer> acceptSelect = start(() -> acceptSelector.select(60_000)).awaitInside("select");
        Task<SocketChannel> acceptor = start(accepting::accept).awaitInside("accept");
        Thread.sleep(SILENCE_MILLIS);

        Bytes.write(reading.client(), new byte[] {1});
        assertThat(reader.result()).containsExactly(1);
        Bytes.write(selecting.client(), new byte[] {2});
        assertThat(select.result()).isEqualTo(1);
        Bytes.write(timed.client(), new byte[] {3});
        assertThat(timedReader.result()).isEqualTo(3);
        SocketChannel client = closing(SocketChannel.open(destination(accepting)));
        assertThat(clientOf(closing(acceptor.result()))).isEqualTo(client.getLocalAddress());
        closing(SocketChannel.open(destination(selectedListener)));
        assertThat(acceptSelect.result()).isEqualTo(1);
        Task<byte[]> drain = start(() -> Bytes.readToEnd(full.server()));
        writer.result();
        full.client().close();
        assertThat(drain.result()).hasSizeGreaterThan(1_000_000);
    }

    @Test
    void endOfStreamAfterALongSilence() throws Exception {
        Pair blocking = pair();
        Pair selected = pair();
        Selector selector = selector();
        register(selected.server(), selector, OP_READ);
        Task<byte[]> reader = start(() -> Bytes.readToEnd(blocking.server())).awaitInside("read");
        Task<Integer> select = start(selector::select).awaitInside("select");
        Thread.sleep(SILENCE_MILLIS);
        blocking.client().close();
        selected.client().close();
        assertThat(reader.result()).isEmpty();
        assertThat(select.result()).isEqualTo(1);
        assertThat(selected.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    /** The pauses are about as long as an implementation looks before it goes to sleep: some fall on the edge. */
    @ParameterizedTest(name = "pauses up to {0} us")
    @ValueSource(ints = {1, 50, 200})
    void blockingReadersWithPauses(int micros) throws Exception {
        Pair pair = promptPair();
        Task<Void> echo = run(() -> {
            Random random = new Random(1);
            for (int i = 0; i < ROUNDS; i++) {
                byte[] bytes = Bytes.read(pair.server(), 3);
                pause(random, micros);
                Bytes.write(pair.server(), bytes);
            }
        });
        Random random = new Random(2);
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = Bytes.random(i, 3);
            Bytes.write(pair.client(), bytes);
            pause(random, micros);
            assertThat(Bytes.read(pair.client(), 3)).isEqualTo(bytes);
        }
        echo.result();
    }

    @ParameterizedTest(name = "pauses up to {0} us")
    @ValueSource(ints = {1, 50, 200})
    void selectorsWithPauses(int micros) throws Exception {
        Pair pair = promptPair();
        SelectionKey serverKey = register(pair.server(), selector(), OP_READ);
        SelectionKey clientKey = register(pair.client(), selector(), OP_READ);
        Task<Void> echo = run(() -> {
            Random random = new Random(3);
            for (int i = 0; i < ROUNDS; i++) {
                awaitSelected(serverKey);
                byte[] bytes = Bytes.read(pair.server(), 3);
                pause(random, micros);
                Bytes.write(pair.server(), bytes);
            }
        });
        Random random = new Random(4);
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = Bytes.random(i, 3);
            Bytes.write(pair.client(), bytes);
            pause(random, micros);
            awaitSelected(clientKey);
            assertThat(Bytes.read(pair.client(), 3)).isEqualTo(bytes);
        }
        echo.result();
    }

    /** A reader that takes a little at a time wakes a writer that sleeps on a full connection. */
    @Test
    void fullConnectionWithASlowReader() throws Exception {
        Pair pair = fullPair();
        SelectionKey key = register(pair.client(), selector(), OP_WRITE);
        int more = 500_000;
        Task<byte[]> reader = start(() -> {
            Random random = new Random(5);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            ByteBuffer buffer = ByteBuffer.allocate(700);
            while (pair.server().read(buffer.clear()) >= 0) {
                all.write(buffer.array(), 0, buffer.position());
                if (random.nextInt(20) == 0) {
                    pause(random, 100);
                }
            }
            return all.toByteArray();
        });
        ByteBuffer source = ByteBuffer.allocate(more);
        while (source.hasRemaining()) {
            awaitSelected(key);
            pair.client().write(source);
        }
        pair.client().close();
        assertThat(reader.result()).hasSizeGreaterThan(more);
    }

    /**
     * Without the kernel's delays: if a direction goes back to the kernel, the second of two short writes would wait 40 ms for
     * the first one's acknowledgement, and no pause would be short.
     */
    private Pair promptPair() throws IOException {
        Pair pair = pair();
        pair.client().setOption(StandardSocketOptions.TCP_NODELAY, true);
        pair.server().setOption(StandardSocketOptions.TCP_NODELAY, true);
        return pair;
    }

    /** Waits in one call without a limit, so that a lost wake-up is a failure and not only a delay. */
    private static void awaitSelected(SelectionKey key) throws IOException {
        Selector selector = key.selector();
        do {
            selector.selectedKeys().clear();
            selector.select();
        } while (!selector.selectedKeys().contains(key));
    }

    private static void pause(Random random, int micros) {
        long end = System.nanoTime() + random.nextInt(1 + micros) * 1000L;
        if (random.nextInt(4) == 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }
}
