// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.profile.Profile;
import io.accel.testing.SettledCount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files sent to a channel as under the agent: through the kernel alone, over a link from the beginning or from some byte on, and
 * over both paths in turn.
 */
@Timeout(60)
class WriteFromFileTest {
    private static final String KERNEL = "1000000/1GiB";
    private static final String LINK = "connect";
    private static final String LATER = "8/64KiB";
    private static final String AT_RANDOM = "random";
    /** Nothing tells that a call in the kernel waits, as sendfile does, except that it does not return. */
    private static final Duration UNTIL_ALL_IS_FULL = Duration.ofMillis(300);

    private static final int SIZE = 3 * 1024 * 1024 + 77;

    @TempDir
    Path directory;

    private final byte[] content = new byte[SIZE];
    private Path path;

    /** Two ends of a connection, and a thread that reads all that comes to the second. */
    private static final class Pair implements AutoCloseable {
        private final ServerSocketChannel listener;
        final AccelSocketChannel sender;
        final SocketChannel receiver;

        Pair(String handover) throws IOException {
            AccelSelectorProvider provider =
                    new AccelSelectorProvider(Profile.load("balanced", Map.of("handover.after", handover)));
            listener =
                    provider.openServerSocketChannel().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            receiver = provider.openSocketChannel();
            receiver.connect(listener.getLocalAddress());
            sender = (AccelSocketChannel) listener.accept();
        }

        CompletableFuture<byte[]> read(int count) {
            return CompletableFuture.supplyAsync(() -> {
                ByteBuffer all = ByteBuffer.allocate(count);
                try {
                    while (all.hasRemaining() && receiver.read(all) >= 0) {
                        // more
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return all.hasRemaining() ? Arrays.copyOf(all.array(), all.position()) : all.array();
            });
        }

        @Override
        public void close() throws IOException {
            sender.close();
            receiver.close();
            listener.close();
        }
    }

    @BeforeEach
    void makeFile() throws IOException {
        new Random(1).nextBytes(content);
        path = Files.write(directory.resolve("file"), content);
    }

    @ParameterizedTest
    @ValueSource(strings = {KERNEL, LINK, LATER, AT_RANDOM})
    void aFileIsSentWhole(String handover) throws Exception {
        try (Pair pair = new Pair(handover);
                FileChannel file = FileChannel.open(path)) {
            boolean moves = !handover.equals(KERNEL);
            for (int round = 0; round < 5 || pair.sender.path().isAccelerated() != moves; round++) {
                CompletableFuture<byte[]> received = pair.read(SIZE);
                long done = 0;
                while (done < SIZE) {
                    long n = pair.sender.writeFrom(file, done, Math.min(SIZE - done, 5_001 + round % 5 * 700_001L));
                    assertThat(n).isPositive();
                    done += n;
                }
                assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo(content);
            }
            assertThat(file.position()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KERNEL, LINK})
    void moreThanTheFileHasIsAllThatItHas(String handover) throws Exception {
        try (Pair pair = new Pair(handover);
                FileChannel file = FileChannel.open(path)) {
            CompletableFuture<byte[]> received = pair.read(SIZE);
            assertThat(pair.sender.writeFrom(file, 0, Long.MAX_VALUE)).isEqualTo(SIZE);
            assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo(content);
            assertThat(pair.sender.writeFrom(file, SIZE, 1)).isZero();
            assertThat(pair.sender.writeFrom(file, SIZE + 10L, 1)).isZero();
            assertThat(pair.sender.writeFrom(file, 0, 0)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KERNEL, LINK})
    void aChannelInNonBlockingModeTakesWhatItHasRoomFor(String handover) throws Exception {
        try (Pair pair = new Pair(handover);
                FileChannel file = FileChannel.open(path)) {
            pair.sender.configureBlocking(false);
            AtomicLong written = new AtomicLong();
            // The kernel's buffers grow, and so does the ring, or gives way to them.
            long done = SettledCount.of(() -> {
                while (writeOn(pair, file, written) > 0) {
                    // until there is no room now
                }
                return written.get();
            });
            byte[] received = pair.read((int) done).get(30, TimeUnit.SECONDS);
            assertThat(received).hasSize((int) done);
            for (int i = 0; i < received.length; i++) {
                if (received[i] != content[i % SIZE]) {
                    throw new AssertionError("byte " + i);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KERNEL, LINK})
    void writesBetweenAreWhereTheyWereMade(String handover) throws Exception {
        try (Pair pair = new Pair(handover);
                FileChannel file = FileChannel.open(path)) {
            CompletableFuture<byte[]> received = pair.read(10 + 70_000 + 10);
            pair.sender.write(ByteBuffer.allocate(10));
            assertThat(pair.sender.writeFrom(file, 5, 70_000)).isEqualTo(70_000);
            pair.sender.write(ByteBuffer.allocate(10));
            ByteBuffer expected = ByteBuffer.allocate(10 + 70_000 + 10);
            expected.position(10).put(content, 5, 70_000);
            assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo(expected.array());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KERNEL, LINK})
    void whatIsWrongIsSaidAsTheJdkSaysIt(String handover) throws Exception {
        try (Pair pair = new Pair(handover);
                FileChannel file = FileChannel.open(path);
                FileChannel unreadable = FileChannel.open(path, StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> pair.sender.writeFrom(file, -1, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pair.sender.writeFrom(file, 0, -1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pair.sender.writeFrom(unreadable, 0, 1))
                    .isInstanceOf(NonReadableChannelException.class);
            CompletableFuture<byte[]> received = pair.read(1);
            assertThat(pair.sender.writeFrom(file, 0, 1)).isEqualTo(1); // nothing is held
            assertThat(received.get(30, TimeUnit.SECONDS)).containsExactly(content[0]);
            FileChannel closed = FileChannel.open(path);
            closed.close();
            assertThatThrownBy(() -> pair.sender.writeFrom(closed, 0, 1)).isInstanceOf(ClosedChannelException.class);
            pair.sender.close();
            assertThatThrownBy(() -> pair.sender.writeFrom(file, 0, 1)).isInstanceOf(ClosedChannelException.class);
        }
    }

    /** Writes the file's bytes again and again; returns how many of them fitted now. */
    private static long writeOn(Pair pair, FileChannel file, AtomicLong written) {
        try {
            long at = written.get() % SIZE;
            long n = pair.sender.writeFrom(file, at, SIZE - at);
            written.addAndGet(n);
            return n;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KERNEL, LINK})
    void aPeerThatIsGoneEndsIt(String handover) throws Exception {
        try (Pair pair = new Pair(handover);
                FileChannel file = FileChannel.open(path)) {
            pair.receiver.close();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1000; i++) {
                            pair.sender.writeFrom(file, 0, SIZE);
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(ClosedChannelException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KERNEL, LINK})
    void oneThatWaitsEndsWhenBothEndsHaveClosed(String handover) throws Exception {
        try (Pair pair = new Pair(handover);
                FileChannel file = FileChannel.open(path)) {
            CompletableFuture<Void> endless = CompletableFuture.runAsync(() -> {
                try {
                    while (true) {
                        pair.sender.writeFrom(file, 0, SIZE);
                    }
                } catch (IOException e) {
                    // ended
                }
            });
            await().during(UNTIL_ALL_IS_FULL).until(() -> !endless.isDone());
            pair.sender.close(); // which is not enough for sendfile on older JDKs
            pair.receiver.close();
            endless.get(10, TimeUnit.SECONDS);
            assertThat(file.isOpen()).isTrue();
        }
    }
}
