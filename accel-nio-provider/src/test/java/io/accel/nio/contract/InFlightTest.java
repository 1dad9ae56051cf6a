package io.accel.nio.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a connection takes while nobody reads: what the kernel takes, so that no program waits that would not without Accel. */
class InFlightTest extends ContractSupport {
    private static final int MIB = 1 << 20;
    private static final int MESSAGE = 1;
    /** In MiB. Not every kernel takes it: 6.1 on a machine with little memory takes 2.5. Five are more than any takes that was tried. */
    private static final int LARGE = 3;

    /** A connection that has taken nothing for so long takes no more. */
    private static final int QUIET_MILLIS = 500;

    /** In MiB, for buffers that are asked for. What they say then to be, both together, that hold them. */
    private static final int MORE = 5;

    private static final int ENOUGH_FOR_MORE = (MORE + MORE / 2) * MIB;
    private static final int BUFFER = 4 * MIB;

    @ParameterizedTest(name = "{0} MiB")
    @ValueSource(ints = {1, 2, 3})
    void bothEndsWriteAllBeforeEitherReads(int mib) throws Exception {
        assumeTrue(mib < LARGE || kernelTakes(mib * MIB) >= mib * MIB, "the kernel takes less here");
        Pair pair = pair();
        byte[] there = Bytes.random(1, mib * MIB);
        byte[] back = Bytes.random(2, mib * MIB);
        List<Task<byte[]>> ends =
                List.of(start(() -> exchange(pair.client(), there)), start(() -> exchange(pair.server(), back)));
        Bytes.assertSame(ends.get(0).result(), back);
        Bytes.assertSame(ends.get(1).result(), there);
    }

    /** What a connection of the JDK's own takes, of which both ends are written to and neither is read, in the direction that takes less. */
    private int kernelTakes(int most) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, host())) {
            Socket client = closing(new Socket(listener.getInetAddress(), listener.getLocalPort()));
            Socket server = closing(listener.accept());
            AtomicInteger there = new AtomicInteger();
            AtomicInteger back = new AtomicInteger();
            run(() -> fill(client, most, there));
            run(() -> fill(server, most, back));
            int taken = -1;
            while (taken < most && Math.min(there.get(), back.get()) > taken) {
                taken = Math.min(there.get(), back.get());
                Thread.sleep(QUIET_MILLIS);
            }
            client.close();
            server.close();
            return taken;
        }
    }

    private static void fill(Socket socket, int most, AtomicInteger taken) {
        byte[] piece = new byte[64 * 1024];
        try {
            while (taken.get() < most) {
                socket.getOutputStream().write(piece);
                taken.addAndGet(piece.length);
            }
        } catch (IOException e) {
            // It took no more, and was closed.
        }
    }

    private static byte[] exchange(SocketChannel channel, byte[] mine) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(mine);
        for (int at = 0; at < mine.length; at += 64 * 1024) {
            Bytes.write(channel, all.slice(at, 64 * 1024));
        }
        return Bytes.read(channel, mine.length);
    }

    /** The first messages make the connection one that is worth a faster path. */
    @Test
    void aConversationBeforeThatMakesNoDifference() throws Exception {
        Pair pair = pair();
        for (int i = 0; i < 100; i++) {
            Bytes.write(pair.client(), new byte[MESSAGE]);
            assertThat(Bytes.read(pair.server(), MESSAGE)).hasSize(MESSAGE);
            Bytes.write(pair.server(), new byte[MESSAGE]);
            assertThat(Bytes.read(pair.client(), MESSAGE)).hasSize(MESSAGE);
        }
        byte[] there = Bytes.random(1, MIB);
        byte[] back = Bytes.random(2, MIB);
        List<Task<byte[]>> ends =
                List.of(start(() -> exchange(pair.client(), there)), start(() -> exchange(pair.server(), back)));
        Bytes.assertSame(ends.get(0).result(), back);
        Bytes.assertSame(ends.get(1).result(), there);
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
        Pair pair = pair();
        assertTakes(pair, 2 * MIB);
    }

    @Test
    void whatIsTakenForAPeerThatHasShutItsInput() throws Exception {
        Pair pair = pair();
        Bytes.write(pair.client(), new byte[MESSAGE]);
        assertThat(Bytes.read(pair.server(), MESSAGE)).hasSize(MESSAGE);
        pair.server().shutdownInput();
        pair.client().configureBlocking(false);
        assertThat(Bytes.fill(pair.client())).isGreaterThan(2 * MIB);
    }

    @Test
    void buffersThatAreAskedForAreThere() throws Exception {
        Pair pair = pairWithLargeBuffers();
        assertTakes(pair, buffers(pair.client(), pair.server()));
    }

    @Test
    void buffersThatAreAskedForAreThereForAPeerThatHasShutItsInput() throws Exception {
        Pair pair = pairWithLargeBuffers();
        Bytes.write(pair.client(), new byte[MESSAGE]);
        assertThat(Bytes.read(pair.server(), MESSAGE)).hasSize(MESSAGE);
        pair.server().shutdownInput();
        assertThat(Bytes.fill(pair.client())).isGreaterThan(buffers(pair.client(), pair.server()));
    }

    /** More than a connection takes whose program has asked for nothing. */
    @Test
    void bothEndsWriteMoreBeforeEitherReadsIntoBuffersThatAreAskedFor() throws Exception {
        Pair pair = pairWithLargeBuffers();
        assumeTrue(
                buffers(pair.client(), pair.server()) >= ENOUGH_FOR_MORE
                        && buffers(pair.server(), pair.client()) >= ENOUGH_FOR_MORE,
                "the kernel gives smaller buffers here");
        byte[] there = Bytes.random(1, MORE * MIB);
        byte[] back = Bytes.random(2, MORE * MIB);
        List<Task<byte[]>> ends =
                List.of(start(() -> exchange(pair.client(), there)), start(() -> exchange(pair.server(), back)));
        Bytes.assertSame(ends.get(0).result(), back);
        Bytes.assertSame(ends.get(1).result(), there);
    }

    /** The kernel cuts what is asked for to its own limits. */
    private Pair pairWithLargeBuffers() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER).bind(anyPort());
            SocketChannel client = channel()
                    .setOption(StandardSocketOptions.SO_SNDBUF, BUFFER)
                    .setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
            Set<String> before = MappedRings.names();
            client.connect(destination(listener));
            SocketChannel server = closing(listener.accept());
            MappedRings.assertOnPath(before, client);
            return new Pair(client, server.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER));
        }
    }

    /** For the bytes from one end to the other. The kernel has twice as much, for its own book-keeping. */
    private static int buffers(SocketChannel from, SocketChannel to) throws IOException {
        return from.getOption(StandardSocketOptions.SO_SNDBUF) + to.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    private static void assertTakes(Pair pair, int least) throws IOException {
        int taken = Bytes.fill(pair.client());
        assertThat(taken).isGreaterThan(least);
        pair.client().shutdownOutput();
        assertThat(Bytes.readToEnd(pair.server())).hasSize(taken);
    }

    /** Where nothing is read for a while and then all, again and again, each byte arrives once and in order. */
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
