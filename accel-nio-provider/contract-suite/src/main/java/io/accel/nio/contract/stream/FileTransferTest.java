// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** FileChannel.transferTo and transferFrom with channels. */
@Tag("stream")
class FileTransferTest extends ContractSupport {
    private static final int LENGTH = 9_000_001;

    @TempDir
    Path directory;

    private final byte[] content = Bytes.random(1, LENGTH);
    private FileChannel source;
    private FileChannel target;

    @BeforeEach
    void openFiles() throws IOException {
        Path file = directory.resolve("source");
        Files.write(file, content);
        source = closing(FileChannel.open(file, READ));
        target = closing(FileChannel.open(directory.resolve("target"), READ, WRITE, CREATE));
    }

    @Test
    void wholeFileToABlockingChannel() throws Exception {
        Pair pair = pair();
        Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server()));
        long at = 0;
        while (at < LENGTH) {
            long n = source.transferTo(at, LENGTH - at, pair.client());
            assertThat(n).isPositive();
            at += n;
        }
        assertThat(source.transferTo(LENGTH, 100, pair.client())).isZero();
        assertThat(source.position()).isZero();
        pair.client().shutdownOutput();
        Bytes.assertSame(reader.result(), content);
    }

    @Test
    void partOfAFile() throws Exception {
        Pair pair = pair();
        assertThat(source.transferTo(12_345, 6_789, pair.client())).isEqualTo(6_789);
        Bytes.assertSame(Bytes.read(pair.server(), 6_789), Arrays.copyOfRange(content, 12_345, 12_345 + 6_789));
        assertThat(pair.nonBlocking().server().read(ByteBuffer.allocate(1))).isZero();
    }

    @Test
    void wholeFileToANonBlockingChannel() throws Exception {
        Pair pair = pair();
        pair.client().configureBlocking(false);
        Selector selector = selector();
        SelectionKey key = register(pair.client(), selector, SelectionKey.OP_WRITE);
        Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server()));
        long at = 0;
        while (at < LENGTH) {
            awaitReady(key, SelectionKey.OP_WRITE);
            at += source.transferTo(at, LENGTH - at, pair.client());
        }
        pair.client().shutdownOutput();
        Bytes.assertSame(reader.result(), content);
    }

    @Test
    void nonBlockingChannelThatIsFullTakesNothing() throws Exception {
        Pair pair = fullPair();
        pair.client().configureBlocking(false);
        // A kernel that has moved bytes has room again, and single bytes would never fill it.
        eventually().until(() -> {
            Bytes.writeWhatFits(pair.client());
            return source.transferTo(0, 1, pair.client()) == 0;
        });
    }

    @Test
    void wholeFileFromABlockingChannel() throws Exception {
        Pair pair = pair();
        Task<Void> writer = run(() -> {
            Bytes.write(pair.client(), content);
            pair.client().shutdownOutput();
        });
        long at = 0;
        while (at < LENGTH) {
            long n = target.transferFrom(pair.server(), at, LENGTH - at);
            assertThat(n).isPositive();
            at += n;
        }
        assertThat(target.transferFrom(pair.server(), at, 10)).as("at the end").isZero();
        writer.result();
        Bytes.assertSame(Files.readAllBytes(directory.resolve("target")), content);
    }

    @Test
    void transferFromTakesNoMoreThanAskedFor() throws Exception {
        Pair pair = pair();
        Bytes.write(pair.client(), Arrays.copyOf(content, 20_000));
        long at = 0;
        while (at < 15_000) {
            at += target.transferFrom(pair.server(), at, 15_000 - at);
        }
        assertThat(target.size()).isEqualTo(15_000);
        Bytes.assertSame(Bytes.read(pair.server(), 5_000), Arrays.copyOfRange(content, 15_000, 20_000));
    }

    @Test
    void wholeFileFromANonBlockingChannel() throws Exception {
        Pair pair = pair();
        Task<Void> writer = run(() -> Bytes.write(pair.client(), content));
        SelectionKey key = register(pair.server(), selector(), SelectionKey.OP_READ);
        assertThat(target.transferFrom(pair().nonBlocking().server(), 0, 10))
                .as("from a channel that has nothing")
                .isZero();
        long at = 0;
        while (at < LENGTH) {
            awaitReady(key, SelectionKey.OP_READ);
            at += target.transferFrom(pair.server(), at, LENGTH - at);
        }
        writer.result();
        Bytes.assertSame(Files.readAllBytes(directory.resolve("target")), content);
    }

    @Test
    void transferIsMixedWithWrites() throws Exception {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("header "));
        assertThat(source.transferTo(0, 1000, pair.client())).isEqualTo(1000);
        Bytes.write(pair.client(), Bytes.ascii(" trailer"));
        assertThat(Bytes.readAscii(pair.server(), 7)).isEqualTo("header ");
        Bytes.assertSame(Bytes.read(pair.server(), 1000), Arrays.copyOf(content, 1000));
        assertThat(Bytes.readAscii(pair.server(), 8)).isEqualTo(" trailer");
    }

    @Test
    void transferToAClosedOrShutDownChannelIsRefused() throws Exception {
        Pair pair = pair();
        pair.client().shutdownOutput();
        assertThatThrownBy(() -> source.transferTo(0, 10, pair.client())).isInstanceOf(IOException.class);
        pair.server().close();
        assertThatThrownBy(() -> source.transferTo(0, 10, pair.server())).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> target.transferFrom(pair.server(), 0, 10)).isInstanceOf(ClosedChannelException.class);
    }
}
