// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.PortSpace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rendezvous of connections that have no addresses: who is asked, the order in which numbers are taken, and the cost of a
 * mistake at either end.
 */
@Timeout(60)
class UnixRendezvousTest {
    private static final long SECONDS_5 = 5_000_000_000L;
    private static final int RING = 1 << 16;

    @TempDir
    private Path dir;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final AtomicReference<Link> given = new AtomicReference<>();
    /** The verdict of the listener's lineup; null for a find. */
    private volatile FallbackReason verdict;
    /** Whether the connection has ended by the time that there is a link for it. */
    private volatile boolean hasEnded;

    private volatile Beginnings listeners = new Same(3, 5, 7);

    private ShmFabric fabric;
    private Fabric.Listening listening;

    /** Beginnings with a given number as each sum, and so many bytes in each direction. */
    private record Same(int sent, int received, int sum) implements Beginnings {
        @Override
        public int sumOfSent(int length) {
            return sum + length;
        }

        @Override
        public int sumOfReceived(int length) {
            return sum + length;
        }
    }

    private static InetSocketAddress name(int last) throws IOException {
        byte[] raw = new byte[16];
        raw[0] = (byte) 0xfd;
        raw[15] = (byte) last;
        return new InetSocketAddress(InetAddress.getByAddress(raw), 1);
    }

    private final class Acceptor implements Fabric.Acceptor {
        @Override
        public Known known(InetSocketAddress local, InetSocketAddress remote) {
            return new Known(local, listeners);
        }

        @Override
        public Lineup lineup(InetSocketAddress local, InetSocketAddress remote) {
            events.add("lineup");
            return (connectedAt, received, sent) -> {
                events.add("name " + connectedAt + " " + received + " " + sent);
                if (verdict != null) {
                    throw new FallbackException(verdict, "as the test wants it");
                }
            };
        }

        @Override
        public boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again) {
            return true;
        }

        @Override
        public void unreserve(InetSocketAddress local, InetSocketAddress remote) {
            events.add("unreserve");
        }

        @Override
        public boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote) {
            if (!hasEnded) {
                given.set(link);
            }
            return !hasEnded;
        }

        @Override
        public boolean isSettled(Link link) {
            return true;
        }

        @Override
        public void confirmed(Link link) {}

        @Override
        public void withdrawn(Link link) {
            link.free();
        }
    }

    /** The client's end. */
    private final class Source implements Fabric.Source, Fabric.Traits {
        private final int process;
        private final long sent;

        Source(int process, long sent) {
            this.process = process;
            this.sent = sent;
        }

        @Override
        public InetSocketAddress bind(InetAddress address) throws IOException {
            return name(9);
        }

        @Override
        public Beginnings beginnings() {
            return new Same(5, 3, 7);
        }

        @Override
        public Fabric.Traits traits() {
            return this;
        }

        @Override
        public int listeningProcess() {
            return process;
        }

        @Override
        public long connectedAt() {
            return 11;
        }

        @Override
        public long receivedAtLeast() {
            events.add("received");
            return 22;
        }

        @Override
        public long sentAtMost() {
            events.add("sent");
            return sent;
        }
    }

    @BeforeEach
    void listen() throws IOException {
        java.nio.file.Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
        fabric = new ShmFabric(new ShmConfig(PortSpace.UNIX, dir, "", SECONDS_5, SECONDS_5, 0));
        listening = fabric.listen(name(1), new Acceptor());
    }

    @AfterEach
    void close() {
        listening.close();
        Link link = given.get();
        if (link != null) {
            link.free();
        }
    }

    private static int self() {
        return (int) ProcessHandle.current().pid();
    }

    private Link connect(Source source) throws IOException {
        Connecting connecting = fabric.connect(name(1), source, RING);
        return await("an answer")
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .until(connecting::advance, Objects::nonNull);
    }

    private void assertRefused(Source source, FallbackReason reason, boolean passing) {
        assertThatThrownBy(() -> connect(source)).isInstanceOfSatisfying(FallbackException.class, e -> {
            assertThat(e.reason()).isEqualTo(reason);
            assertThat(e.isPassing()).isEqualTo(passing);
        });
    }

    /** The client's received bytes are counted before the listener looks, and its sent bytes after that. */
    @Test
    void numbersAreTakenBeforeAndAfter() throws IOException {
        Link link = connect(new Source(self(), 33));
        link.free();
        assertThat(events).containsExactly("received", "lineup", "sent", "name 11 22 33");
    }

    @Test
    void anotherProcessIsNotAsked() {
        assertRefused(new Source(self() + 1, 33), FallbackReason.PEER_NOT_ACCELERATED, false);
        assertThat(events).doesNotContain("lineup");
    }

    @Test
    void nobodyIsAskedForAnUnknownProcess() {
        assertRefused(new Source(0, 33), FallbackReason.PEER_NOT_ACCELERATED, false);
        assertThat(events).isEmpty();
    }

    @Test
    void anotherFileHasNoRendezvous() {
        assertThatThrownBy(() -> fabric.connect(name(2), new Source(self(), 33), RING))
                .isInstanceOfSatisfying(FallbackException.class, e -> assertThat(e.reason())
                        .isEqualTo(FallbackReason.PEER_NOT_ACCELERATED));
    }

    @Test
    void anUncertainFindIsWorthAskingAgain() {
        verdict = FallbackReason.NOT_YET;
        assertRefused(new Source(self(), 33), FallbackReason.NOT_YET, true);
        assertThat(events).doesNotContain("unreserve");
    }

    @Test
    void aClientThatIsJustWritingAsksAgain() {
        assertRefused(new Source(self(), -1), FallbackReason.NOT_YET, true);
        assertThat(events).containsExactly("received", "lineup", "sent");
    }

    /** Without an answer, the client would say that the peer speaks another protocol. */
    @Test
    void aConnectionThatHasJustEndedIsNoFault() {
        hasEnded = true;
        assertRefused(new Source(self(), 33), FallbackReason.NOT_YET, true);
    }

    @Test
    void otherBytesAreAnotherConnections() {
        listeners = new Same(3, 5, 8);
        assertRefused(new Source(self(), 33), FallbackReason.PROXIED, false);
    }
}
