// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Profile;
import io.accel.testing.Background;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the transfer of a file to a channel says and does as under the agent, beside the same of the JDK's channels: of nothing, and to
 * a connection that has ended in one way or another.
 */
@Timeout(60)
class TransferOutcomesTest {
    private static final int SIZE = 100;

    @TempDir
    Path directory;

    private Path path;
    private Path empty;

    /** The states of the connection at the transfer. */
    enum State {
        OPEN {
            @Override
            void bringAbout(SocketChannel sender, SocketChannel receiver) {}
        },
        OUTPUT_SHUT {
            @Override
            void bringAbout(SocketChannel sender, SocketChannel receiver) throws IOException {
                sender.shutdownOutput();
            }
        },
        INPUT_SHUT {
            @Override
            void bringAbout(SocketChannel sender, SocketChannel receiver) throws IOException {
                sender.shutdownInput();
            }
        },
        CLOSED {
            @Override
            void bringAbout(SocketChannel sender, SocketChannel receiver) throws IOException {
                sender.close();
            }
        },
        PEER_HAS_RESET {
            @Override
            void bringAbout(SocketChannel sender, SocketChannel receiver) throws Exception {
                receiver.setOption(StandardSocketOptions.SO_LINGER, 0).close();
                awaitReadable(sender);
            }
        },
        RESET_WAS_READ {
            @Override
            void bringAbout(SocketChannel sender, SocketChannel receiver) throws Exception {
                receiver.setOption(StandardSocketOptions.SO_LINGER, 0).close();
                awaitReadable(sender);
                assertThat(said(() -> sender.read(ByteBuffer.allocate(1)))).contains("Connection reset");
            }
        },
        PEER_HAS_CLOSED {
            @Override
            void bringAbout(SocketChannel sender, SocketChannel receiver) throws Exception {
                receiver.close();
                awaitReadable(sender);
            }
        };

        abstract void bringAbout(SocketChannel sender, SocketChannel receiver) throws Exception;
    }

    private static void awaitReadable(SocketChannel channel) throws IOException {
        boolean blocks = channel.isBlocking();
        channel.configureBlocking(false);
        try (Selector selector = channel.provider().openSelector()) {
            channel.register(selector, SelectionKey.OP_READ);
            assertThat(selector.select(TimeUnit.SECONDS.toMillis(10))).isEqualTo(1);
        }
        channel.configureBlocking(blocks);
    }

    private static String said(Callable<?> action) {
        try {
            return "" + action.call();
        } catch (Exception e) {
            return e.getClass().getName() + ": " + e.getMessage();
        }
    }

    private static final class Pair implements AutoCloseable {
        final SocketChannel sender;
        final SocketChannel receiver;

        Pair(SelectorProvider provider) throws IOException {
            try (ServerSocketChannel listener = provider.openServerSocketChannel()
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                sender = provider.openSocketChannel();
                sender.connect(listener.getLocalAddress());
                receiver = listener.accept();
            }
        }

        void roundTrips(int count) throws IOException {
            for (int i = 0; i < count; i++) {
                carry(sender, receiver);
                carry(receiver, sender);
            }
        }

        private static void carry(SocketChannel from, SocketChannel to) throws IOException {
            assertThat(from.write(ByteBuffer.allocate(1))).isEqualTo(1);
            assertThat(to.read(ByteBuffer.allocate(1))).isEqualTo(1);
        }

        long transfer(FileChannel file, long position, long count) throws IOException {
            return sender instanceof AccelSocketChannel own
                    ? own.writeFrom(file, position, count)
                    : file.transferTo(position, count, sender);
        }

        @Override
        public void close() throws IOException {
            sender.close();
            receiver.close();
        }
    }

    @BeforeEach
    void makeFiles() throws IOException {
        path = Files.write(directory.resolve("file"), new byte[SIZE]);
        empty = Files.createFile(directory.resolve("empty"));
    }

    private static AccelSelectorProvider accel(String profile, String handover) {
        return new AccelSelectorProvider(Profile.load(profile, Map.of("handover.after", handover)));
    }

    @ParameterizedTest
    @EnumSource(State.class)
    void aTransferSaysWhatTheJdksSays(State state) throws Exception {
        for (boolean blocks : new boolean[] {true, false}) {
            for (int roundTrips : new int[] {0, 2}) {
                List<String> expected = outcomes(JdkAccess.kernelProvider(), state, blocks, roundTrips);
                for (String handover : List.of("connect", "1000000/1GiB")) {
                    assertThat(outcomes(accel("balanced", handover), state, blocks, roundTrips))
                            .as("blocking %s, %s round trips, handover %s", blocks, roundTrips, handover)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private List<String> outcomes(SelectorProvider provider, State state, boolean blocks, int roundTrips)
            throws Exception {
        List<String> all = new ArrayList<>();
        try (FileChannel file = FileChannel.open(path);
                FileChannel nothing = FileChannel.open(empty)) {
            for (long position : new long[] {0, SIZE - 1, SIZE, SIZE + 1}) {
                for (long count : new long[] {0, 1, 1000}) {
                    try (Pair pair = new Pair(provider)) {
                        pair.roundTrips(roundTrips);
                        pair.sender.configureBlocking(blocks);
                        state.bringAbout(pair.sender, pair.receiver);
                        all.add("%s+%s: %s, of an empty file %s, then %s"
                                .formatted(
                                        position,
                                        count,
                                        said(() -> pair.transfer(file, position, count)),
                                        said(() -> pair.transfer(nothing, position, count)),
                                        said(() -> pair.sender.write(ByteBuffer.allocate(1)))));
                    }
                }
            }
        }
        return all;
    }

    /** The connection moves, or not, before, at or after the transfer. */
    @ParameterizedTest
    @CsvSource({
        "balanced, connect, 0",
        "balanced, connect, 1",
        "balanced, 8/64KiB, 12",
        "latency, connect, 0",
        "latency, 8/64KiB, 12",
        "low-cpu, connect, 1"
    })
    void theEndComesBehindATransferOfNothing(String profile, String handover, int mostRoundTrips) throws Exception {
        AccelSelectorProvider provider = accel(profile, handover);
        try (FileChannel file = FileChannel.open(path);
                FileChannel nothing = FileChannel.open(empty)) {
            for (int roundTrips = 0; roundTrips <= mostRoundTrips; roundTrips++) {
                for (long position : new long[] {SIZE, SIZE + 1}) {
                    meetEnd(provider, roundTrips, pair -> pair.transfer(file, position, 10));
                }
                meetEnd(provider, roundTrips, pair -> pair.transfer(file, 0, 0));
                meetEnd(provider, roundTrips, pair -> pair.transfer(nothing, 0, 10));
                meetEnd(provider, roundTrips, pair -> pair.sender.write(ByteBuffer.allocate(0)));
                meetEnd(provider, roundTrips, pair -> pair.sender.write(new ByteBuffer[0]));
                meetEnd(
                        provider,
                        roundTrips,
                        pair -> pair.sender.write(new ByteBuffer[] {ByteBuffer.allocate(0), ByteBuffer.allocate(0)}));
                meetEnd(provider, roundTrips, pair -> {
                    // The last buffer has bytes, so the writer comes to the link before it finds the first.
                    assertThat(said(() -> pair.sender.write(new ByteBuffer[] {null, ByteBuffer.allocate(1)})))
                            .contains("NullPointerException");
                    return 0L;
                });
                meetEnd(provider, roundTrips, pair -> {
                    pair.sender.socket().getOutputStream().write(new byte[0]);
                    return 0L;
                });
            }
        }
    }

    private interface Writer {
        Number write(Pair pair) throws Exception;
    }

    private static void meetEnd(SelectorProvider provider, int roundTrips, Writer nothing) throws Exception {
        try (Pair pair = new Pair(provider)) {
            pair.roundTrips(roundTrips);
            Background<Integer> reader = Background.start(() -> pair.receiver.read(ByteBuffer.allocate(1)));
            assertThat(nothing.write(pair).longValue()).isZero();
            pair.sender.shutdownOutput();
            assertThat(reader.get(10, TimeUnit.SECONDS))
                    .as("after %s round trips", roundTrips)
                    .isEqualTo(-1);
        }
        try (Pair pair = new Pair(provider)) {
            pair.roundTrips(roundTrips);
            assertThat(nothing.write(pair).longValue()).isZero();
            pair.sender.shutdownOutput();
            awaitReadable(pair.receiver);
            assertThat(pair.receiver.read(ByteBuffer.allocate(1)))
                    .as("selected after %s round trips", roundTrips)
                    .isEqualTo(-1);
        }
    }
}
