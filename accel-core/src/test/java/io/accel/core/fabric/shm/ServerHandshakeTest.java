// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.fabric.Fabric;
import io.accel.core.jdk.JdkAccess;
import io.accel.testing.OverChannel;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The resources of a handshake that meets an error are freed with it at once, not when the collector finds them. */
class ServerHandshakeTest {
    private static final long NONCE = 0x4711L;
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    @Test
    void withoutMemoryForALinkTheFileIsUnmapped() throws Exception {
        assertNothingIsLeftAfter(() -> new OutOfMemoryError("injected"));
    }

    @Test
    void withAnErrorFromItsSocketTheFileIsUnmapped() throws Exception {
        assertNothingIsLeftAfter(() -> {
            throw new IllegalStateException("injected");
        });
    }

    private static void assertNothingIsLeftAfter(Supplier<Error> failure) throws Exception {
        ShmEnds.Acceptor acceptor = new ShmEnds.Acceptor(1);
        try (ShmEnds ends = new ShmEnds();
                Fabric.Listening listening = ends.fabric().listen(ShmEnds.address("127.0.0.1"), acceptor);
                RawListener other = new RawListener(ends.newRendezvous("127.0.0.2"));
                RawClient client = new RawClient(ends.rendezvous("127.0.0.2"));
                SocketChannel accepted = other.accept()) {
            accepted.configureBlocking(false);
            RendezvousListener listener = (RendezvousListener) listening;
            ServerHandshake handshake =
                    new ServerHandshake(listener, new FailingSocket(accepted, failure), acceptor, PATIENCE_NANOS);
            client.say(RawClient.hello(NONCE).encode());
            assertThat(handshake.advance()).isTrue();
            assertThat(client.status()).isEqualTo(Hello.GO);
            Path file = listener.directory().resolve(RawClient.hello(NONCE).file());
            JdkAccess.unmap(SharedFile.create(file, ShmEnds.RING, NONCE, ""));
            client.say(Hello.MADE);
            assertThat(handshake.advance()).isFalse();
            assertThat(client.status()).isEqualTo(FallbackReason.NO_RESOURCES.code());
            client.awaitHangUp();
            assertThat(mappings(ends.dir)).as("files that are still mapped").isEmpty();
            assertThat(file).doesNotExist();
            assertThat(acceptor.places).hasValue(1);
        }
    }

    private static Stream<String> mappings(Path dir) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream().filter(line -> line.contains(dir + "/"));
    }

    /** A socket that fails when a link is about to own it. */
    private static final class FailingSocket extends OverChannel {
        private final Supplier<Error> failure;

        FailingSocket(SocketChannel socket, Supplier<Error> failure) {
            super(socket);
            this.failure = failure;
        }

        @Override
        protected void implConfigureBlocking(boolean block) {
            throw failure.get();
        }
    }
}
