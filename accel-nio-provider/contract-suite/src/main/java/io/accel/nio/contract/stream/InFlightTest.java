// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.KernelPair;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection takes as many bytes while nobody reads as the kernel takes, so that no program waits that would not wait without Accel. */
@Tag("stream")
class InFlightTest extends ContractSupport {
    private static final int MIB = 1 << 20;
    private static final int MESSAGE = 1;
    private static final int PIECE = 64 * 1024;
    /** In MiB. Any kernel takes it. */
    private static final int SMALL = 2;

    /** The sizes of buffers that are asked for, in MiB. */
    private static final int MORE = 5;

    /** In bytes, for each of the four. */
    private static final int BUFFER = 4 * MIB;

    /** The length is cut to the room that the kernel has: 6.1 on a machine with little memory takes 2.5 MiB, others 4.2. */
    @ParameterizedTest(name = "{0} MiB")
    @ValueSource(ints = {1, 2, 3, 5})
    void bothEndsWriteAllBeforeEitherReads(int mib) throws Exception {
        int bytes = mib <= SMALL ? mib * MIB : KernelPair.exchanges(mib * MIB, PIECE, 0);
        assertThat(bytes).isGreaterThanOrEqualTo(Math.min(mib, SMALL) * MIB);
        exchange(pair(), bytes);
    }

    private void exchange(Pair pair, int bytes) throws Exception {
        byte[] there = Bytes.random(1, bytes);
        byte[] back = Bytes.random(2, bytes);
        List<Task<byte[]>> ends =
                List.of(start(() -> exchange(pair.client(), there)), start(() -> exchange(pair.server(), back)));
        Bytes.assertSame(ends.get(0).result(), back);
        Bytes.assertSame(ends.get(1).result(), there);
    }

    private static byte[] exchange(SocketChannel channel, byte[] mine) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(mine);
        for (int at = 0; at < mine.length; at += PIECE) {
            Bytes.write(channel, all.slice(at, PIECE));
        }
        return Bytes.read(channel, mine.length);
    }

    /** The first messages make the connection worth a faster path. */
    @Test
    void aConversationBeforeThatMakesNoDifference() throws Exception {
        Pair pair = pair();
        for (int i = 0; i < 100; i++) {
            Bytes.write(pair.client(), new byte[MESSAGE]);
            assertThat(Bytes.read(pair.server(), MESSAGE)).hasSize(MESSAGE);
            Bytes.write(pair.server(), new byte[MESSAGE]);
            assertThat(Bytes.read(pair.client(), MESSAGE)).hasSize(MESSAGE);
        }
        exchange(pair, MIB);
        Bytes.write(pair.client(), new byte[MESSAGE]);
        assertThat(Bytes.read(pair.server(), MESSAGE)).hasSize(MESSAGE);
    }

    @Test
    void anEventLoopThatReadsOnlyWhenAllIsWrittenIsServed() throws Exception {
        Pair pair = pair();
        byte[] there = Bytes.random(1, MIB);
        byte[] back = Bytes.random(2, MIB);
        List<Task<byte[]>> ends =
                List.of(start(() -> select(pair.client(), there)), start(() -> select(pair.server(), back)));
        Bytes.assertSame(ends.get(0).result(), back);
        Bytes.assertSame(ends.get(1).result(), there);
    }

    private byte[] select(SocketChannel channel, byte[] mine) throws IOException {
        Selector selector = selector();
        ByteBuffer toWrite = ByteBuffer.wrap(mine);
        ByteBuffer read = ByteBuffer.allocate(mine.length);
        SelectionKey key = register(channel, selector, SelectionKey.OP_WRITE);
        while (read.hasRemaining()) {
            selector.selectedKeys().clear();
            selector.select(100);
            if (toWrite.hasRemaining()) {
                channel.write(toWrite);
            } else {
                key.interestOps(SelectionKey.OP_READ);
                if (channel.read(read) < 0) {
                    throw new AssertionError("the end after " + read.position() + " bytes");
                }
            }
        }
        return read.array();
    }

    @Test
    void whatIsTakenWithoutAReader() throws Exception {
        int least = KernelPair.takes(0);
        assertTakes(pair(), least);
    }

    @Test
    void whatIsTakenForAPeerThatHasShutItsInput() throws Exception {
        int least = KernelPair.takesForDeaf(0);
        assertTakesForDeaf(pair(), least);
    }

    @Test
    void buffersThatAreAskedForAreThere() throws Exception {
        int least = KernelPair.takes(BUFFER);
        Pair pair = pairWithLargeBuffers();
        assertTakes(pair, Math.max(least, buffers(pair)));
    }

    @Test
    void buffersThatAreAskedForAreThereForAPeerThatHasShutItsInput() throws Exception {
        int least = KernelPair.takesForDeaf(BUFFER);
        Pair pair = pairWithLargeBuffers();
        assertTakesForDeaf(pair, Math.max(least, buffers(pair)));
    }

    /** More than a connection takes whose program has set no buffer sizes, unless the kernel's limits are low, as Debian's are. */
    @Test
    void bothEndsWriteMoreBeforeEitherReadsIntoBuffersThatAreAskedFor() throws Exception {
        int bytes = KernelPair.exchanges(MORE * MIB, PIECE, BUFFER);
        assertThat(bytes).isPositive();
        exchange(pairWithLargeBuffers(), bytes);
    }

    /** The kernel cuts the requested size to its own limits. */
    private Pair pairWithLargeBuffers() throws IOException {
        try (ServerSocketChannel listener = KernelPair.enlarge(ServerSocketChannel.open(), BUFFER)) {
            listener.bind(anyPort());
            SocketChannel client = KernelPair.enlarge(channel(), BUFFER);
            Set<String> before = MappedRings.names();
            client.connect(destination(listener));
            SocketChannel server = closing(listener.accept());
            MappedRings.assertOnPath(before, client);
            return new Pair(client, KernelPair.enlarge(server, BUFFER));
        }
    }

    /**
     * The room for bytes from the client to the server, as far as options show it. The kernel takes twice as much, for its own
     * book-keeping.
     */
    private static int buffers(Pair pair) throws IOException {
        return pair.client().getOption(StandardSocketOptions.SO_SNDBUF)
                + pair.server().getOption(StandardSocketOptions.SO_RCVBUF);
    }

    private static void assertTakes(Pair pair, int least) throws IOException {
        int taken = Bytes.fill(pair.client());
        assertThat(taken).isGreaterThanOrEqualTo(least);
        pair.client().shutdownOutput();
        assertThat(Bytes.readToEnd(pair.server())).hasSize(taken);
    }

    private static void assertTakesForDeaf(Pair pair, int least) throws IOException {
        Bytes.write(pair.client(), new byte[MESSAGE]);
        assertThat(Bytes.read(pair.server(), MESSAGE)).hasSize(MESSAGE);
        pair.server().shutdownInput();
        assertThat(Bytes.fill(pair.client())).isGreaterThanOrEqualTo(least);
    }

    /** If nothing is read for a while and then everything, again and again, each byte arrives once and in order. */
    @Test
    void aReaderThatPausesLosesNothing() throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(3, 6 * MIB);
        Task<Void> writer = run(() -> Bytes.write(pair.client(), expected));
        ByteBuffer all = ByteBuffer.allocate(expected.length);
        while (all.hasRemaining()) {
            Thread.sleep(60);
            all.limit(Math.min(all.capacity(), all.position() + MIB));
            while (all.hasRemaining()) {
                assertThat(pair.server().read(all)).isPositive();
            }
            all.limit(all.capacity());
        }
        writer.result();
        Bytes.assertSame(all.array(), expected);
    }
}
