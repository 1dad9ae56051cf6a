// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every byte arrives once and in order, however much there is and however it is cut up. */
@Tag("stream")
class BulkTransferTest extends ContractSupport {
    private static final int MIB = 1 << 20;

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(
            ints = {1, 2, 63, 64, 65, 4095, 4096, 4097, 65_535, 65_536, 65_537, MIB - 1, MIB, MIB + 1, 9 * MIB + 7})
    void oneWrite(int length) throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(length, length);
        Task<Void> writer = run(send(pair.client(), expected));
        Bytes.assertSame(Bytes.read(pair.server(), length), expected);
        writer.result();
        assertThat(pair.nonBlocking().server().read(ByteBuffer.allocate(1)))
                .as("nothing follows")
                .isZero();
    }

    @Test
    void bothDirectionsAtOnce() throws Exception {
        Pair pair = pair();
        byte[] there = Bytes.random(1, 6 * MIB + 1);
        byte[] back = Bytes.random(2, 6 * MIB + 3);
        List<Task<Void>> writers = List.of(run(send(pair.client(), there)), run(send(pair.server(), back)));
        List<Task<byte[]>> readers = List.of(
                start(() -> Bytes.read(pair.server(), there.length)),
                start(() -> Bytes.read(pair.client(), back.length)));
        for (Task<Void> writer : writers) {
            writer.result();
        }
        Bytes.assertSame(readers.get(0).result(), there);
        Bytes.assertSame(readers.get(1).result(), back);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void randomSizesAndKindsOfBuffers(long seed) throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(seed, 3 * MIB);
        Task<Void> writer = run(() -> {
            writeInPieces(pair.client(), expected, new Random(seed));
            pair.client().shutdownOutput();
        });
        Bytes.assertSame(readInPieces(pair.server(), expected.length, new Random(-seed)), expected);
        writer.result();
    }

    @Test
    void manySmallMessagesPipelined() throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(11, 50_000 * 16);
        Task<Void> writer = run(() -> {
            ByteBuffer all = ByteBuffer.wrap(expected);
            for (int at = 0; at < expected.length; at += 16) {
                Bytes.write(pair.client(), all.slice(at, 16));
            }
        });
        Bytes.assertSame(Bytes.read(pair.server(), expected.length), expected);
        writer.result();
    }

    @Test
    void slowReaderLosesNothing() throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(12, 8 * MIB);
        Task<Void> writer = run(send(pair.client(), expected)).awaitInside("write");
        assertThat(writer.isDone()).as("the writer waits for the reader").isFalse();
        Bytes.assertSame(Bytes.read(pair.server(), expected.length), expected);
        writer.result();
    }

    @Test
    void severalThreadsWriteWholeBuffersOfAByteEach() throws Exception {
        Pair pair = pair();
        int perWriter = 20_000;
        List<Task<Void>> writers = List.of('a', 'b', 'c').stream()
                .map(letter -> run(() -> {
                    for (int i = 0; i < perWriter; i++) {
                        Bytes.write(pair.client(), new byte[] {(byte) letter.charValue()});
                    }
                }))
                .toList();
        byte[] received = Bytes.read(pair.server(), 3 * perWriter);
        for (Task<Void> writer : writers) {
            writer.result();
        }
        int[] counts = new int[128];
        for (byte b : received) {
            counts[b]++;
        }
        assertThat(new int[] {counts['a'], counts['b'], counts['c']}).containsOnly(perWriter);
    }

    @Test
    void severalThreadsReadEveryByteOnce() throws Exception {
        Pair pair = pair();
        byte[] expected = new byte[4 * MIB];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = (byte) i;
        }
        List<Task<byte[]>> readers =
                List.of(start(() -> Bytes.readToEnd(pair.server())), start(() -> Bytes.readToEnd(pair.server())));
        Bytes.write(pair.client(), expected);
        pair.client().shutdownOutput();
        long[] counts = new long[256];
        for (Task<byte[]> reader : readers) {
            for (byte b : reader.result()) {
                counts[b & 0xff]++;
            }
        }
        assertThat(counts).containsOnly(expected.length / 256);
    }

    private static Task.Action send(SocketChannel channel, byte[] bytes) {
        return () -> Bytes.write(channel, bytes);
    }

    private static void writeInPieces(SocketChannel channel, byte[] bytes, Random random) throws IOException {
        int at = 0;
        while (at < bytes.length) {
            int length = Math.min(bytes.length - at, 1 + random.nextInt(1 << (1 + random.nextInt(17))));
            if (random.nextBoolean()) {
                Bytes.write(channel, ByteBuffer.wrap(bytes, at, length));
            } else {
                int half = length / 2;
                ByteBuffer[] sources = {
                    ByteBuffer.allocateDirect(half).put(bytes, at, half).flip(),
                    ByteBuffer.wrap(bytes, at + half, length - half)
                };
                while (sources[1].hasRemaining()) {
                    channel.write(sources);
                }
            }
            at += length;
        }
    }

    private static byte[] readInPieces(SocketChannel channel, int length, Random random) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(length + 1);
        while (true) {
            int size = 1 + random.nextInt(1 << (1 + random.nextInt(17)));
            ByteBuffer first = random.nextBoolean() ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
            ByteBuffer second = ByteBuffer.allocate(1 + random.nextInt(100));
            long n = random.nextBoolean() ? channel.read(first) : channel.read(new ByteBuffer[] {first, second});
            if (n < 0) {
                return Arrays.copyOf(all.array(), all.position());
            }
            all.put(first.flip()).put(second.flip());
        }
    }
}
