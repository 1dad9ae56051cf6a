// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.testing.Background;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two listeners share a port, and one of them will never have the connection, nor know that. */
@SuppressWarnings("try") // some resources are only held
@Timeout(30)
class SharedPortTest {
    /** Far more than the few milliseconds that a listener may be undecided here; that nothing happens shows in time alone. */
    private static final Duration LONGER_THAN_ANY_TURN = Duration.ofMillis(100);

    private ShmEnds ends;
    private RawListener undecided;
    private RawListener decisive;
    private Background<Void> forEver;
    /** How many times the one that never decides was asked. */
    private final AtomicInteger asked = new AtomicInteger();

    @BeforeEach
    void listen() throws IOException {
        ends = new ShmEnds();
        undecided = new RawListener(ends.newRendezvous("127.0.0.1"));
        decisive = new RawListener(ends.newRendezvous("127.0.0.1"));
        forEver = Background.start(() -> {
            try {
                while (true) {
                    SocketChannel client = undecided.answer(Hello.answer(Hello.PENDING));
                    asked.incrementAndGet();
                    awaitGone(client);
                }
            } catch (ClosedChannelException e) {
                return null; // the test is over
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        undecided.close();
        decisive.close();
        ends.close();
        assertThat(forEver.get(10, TimeUnit.SECONDS)).isNull();
    }

    private static void awaitGone(SocketChannel client) throws IOException {
        try (client) {
            ByteBuffer unread = ByteBuffer.allocate(Hello.MAX);
            int n;
            do {
                n = client.read(unread.clear());
            } while (n >= 0);
        } catch (SocketException e) {
            // The client has left before it read the answer.
            assertThat(e).hasMessage("Connection reset");
        }
    }

    /** Another listener may be asked only while this one has not said that it has the connection, however long the rest takes. */
    @Test
    void whoHasTheConnectionIsLeftNoMore() throws Exception {
        CountDownLatch decided = new CountDownLatch(1);
        CountDownLatch rest = new CountDownLatch(1);
        Background<SocketChannel> answers = Background.start(() -> {
            SocketChannel client = decisive.answer(Hello.answer(Hello.PENDING));
            client.write(Hello.answer(Hello.GO));
            decided.countDown();
            assertThat(rest.await(20, TimeUnit.SECONDS)).isTrue();
            client.write(Hello.answer(Hello.DONE));
            return client;
        });
        Connecting connecting = ends.begin("127.0.0.1");
        awaitWithoutLink(connecting, () -> decided.getCount() == 0);
        await().pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .during(LONGER_THAN_ANY_TURN)
                .until(() -> connecting.advance() == null);
        rest.countDown();
        Link link = ShmEnds.finish(connecting);
        try (SocketChannel client = answers.get(10, TimeUnit.SECONDS)) {
            assertThat(link.peerGone()).isFalse();
        }
        link.free();
    }

    /** The listener may still know the client that has left, which was the same one. */
    @Test
    void whoRefusesARepetitionIsAskedAgain() throws Exception {
        Background<Void> answers = Background.start(() -> {
            awaitGone(decisive.answer(Hello.answer(Hello.PENDING)));
            decisive.answer(Hello.answer(FallbackReason.BACKLOG_FULL.code())).close();
            return null;
        });
        Connecting connecting = ends.begin("127.0.0.1");
        FallbackException e = Fallbacks.of(() -> ShmEnds.finish(connecting));
        assertThat(e.reason()).isEqualTo(FallbackReason.BACKLOG_FULL);
        assertThat(e.isPassing()).isTrue();
        assertThat(answers.get(10, TimeUnit.SECONDS)).isNull();
    }

    /** A listener that closes says nothing about the connection. */
    @Test
    void anotherIsAskedWhenOneCloses() throws Exception {
        Background<Integer> answers = Background.start(() -> {
            awaitGone(decisive.answer(Hello.answer(Hello.PENDING)));
            SocketChannel client = decisive.answer(Hello.answer(FallbackReason.PEER_NOT_ACCELERATED.code()));
            int before = asked.get();
            client.close();
            return before;
        });
        Connecting connecting = ends.begin("127.0.0.1");
        awaitWithoutLink(connecting, () -> answers.isDone() && asked.get() > answers.get());
        connecting.abort();
    }

    private static void awaitWithoutLink(Connecting connecting, Callable<Boolean> condition) {
        await().pollInSameThread().pollInterval(Duration.ofMillis(1)).until(() -> {
            assertThat(connecting.advance()).isNull();
            return condition.call();
        });
    }
}
