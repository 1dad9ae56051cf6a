// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.unix;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.MappedRings;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/** Base of the classes about Unix-domain streams, whose sockets are files of a directory of the test's own. */
abstract class UnixSupport extends ContractSupport {
    @TempDir
    private Path dir;

    private int files;

    /** A path in the test's directory that no other call returns. */
    final UnixDomainSocketAddress freshAddress() {
        return UnixDomainSocketAddress.of(dir.resolve("s" + files++));
    }

    final Path dir() {
        return dir;
    }

    final ServerSocketChannel unixListener() throws IOException {
        return closing(ServerSocketChannel.open(StandardProtocolFamily.UNIX)).bind(freshAddress());
    }

    final SocketChannel unixChannel() throws IOException {
        return closing(SocketChannel.open(StandardProtocolFamily.UNIX));
    }

    /** A new connection, both ends in blocking mode, that has carried nothing. */
    final Pair unixPair() throws IOException {
        ServerSocketChannel listener = unixListener();
        Pair pair = unixPair(listener);
        listener.close();
        return pair;
    }

    final Pair unixPair(ServerSocketChannel listener) throws IOException {
        SocketChannel client = unixChannel();
        client.connect(listener.getLocalAddress());
        return new Pair(client, closing(listener.accept()));
    }

    /** Like {@link #unixPair()}, but both ends have sent bytes: if this run has a faster path, both directions are on it. */
    final Pair unixPairThatHasTalked() throws IOException {
        ServerSocketChannel listener = unixListener();
        Pair pair = unixPairThatHasTalked(listener);
        listener.close();
        return pair;
    }

    final Pair unixPairThatHasTalked(ServerSocketChannel listener) throws IOException {
        Set<String> before = MappedRings.names();
        Pair pair = unixPair(listener);
        talk(pair);
        if (io.accel.nio.contract.Path.carriesUnixStreams() && MappedRings.areKnown()) {
            // A connection may not be recognised before it has carried more than others that have just ended.
            eventually().untilAsserted(() -> {
                talk(pair);
                assertThat(MappedRings.pathOfNew(before))
                        .as("the path of %s", pair.client())
                        .isEqualTo(io.accel.nio.contract.Path.SHM);
            });
        }
        talk(pair);
        talk(pair);
        return pair;
    }

    /** A pair whose ends have sent bytes or not. */
    final Pair unixPair(boolean hasTalked) throws IOException {
        return hasTalked ? unixPairThatHasTalked() : unixPair();
    }

    /** Makes each end, in blocking mode, send a byte, which the other reads. */
    static void talk(Pair pair) throws IOException {
        sendByte(pair.client(), pair.server());
        sendByte(pair.server(), pair.client());
    }

    private static void sendByte(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer one = ByteBuffer.wrap(new byte[] {42});
        assertThat(from.write(one)).isEqualTo(1);
        assertThat(Bytes.read(to, 1)).containsExactly(42);
    }

    static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }
}
