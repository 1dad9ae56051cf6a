// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A writer whose peer reads nothing goes back to the kernel's path, and comes to the link again when the peer reads. */
@Timeout(60)
class GoingBackTest {
    private static final int RING = 16 * 1024;
    /** More than the ring, and less than any kernel takes. */
    private static final int MUCH = 10 * RING;

    private Lab lab;
    private BlockingWaits waits;
    private Lab.Pair pair;

    @BeforeEach
    void connect() throws Exception {
        lab = new Lab("balanced", Map.of("ring.size", "16KiB"));
        waits = lab.accelerator.waits();
        pair = lab.connect();
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
        await().until(() -> lab.mappings() == 0);
        lab.close();
    }

    private FutureTask<Long> send(StreamSocket from, long total) {
        return Streams.start(() -> {
            Streams.send(waits, from, total, 7);
            return total;
        });
    }

    private void goBack() throws Exception {
        assertThat(send(pair.client(), MUCH).get(20, TimeUnit.SECONDS)).isEqualTo(MUCH);
        assertThat(pair.client().outgoing().link()).as("a path that is full").isNull();
    }

    /** Bytes that one kernel has sent may reach the other a moment later. */
    private void awaitBothAvailable() {
        await().untilAsserted(() ->
                assertThat(pair.server().incoming().available()).as("both").isBetween(RING + 1, MUCH));
    }

    private int read(StreamSocket to) throws IOException {
        return Streams.read(waits, to, ByteBuffer.allocate(MUCH));
    }

    @Test
    void whatTheRingDoesNotHoldTheKernelTakes() throws Exception {
        goBack();
        awaitBothAvailable();
        assertThat(Streams.receive(waits, pair.server(), MUCH, 7)).isEqualTo(MUCH);
        assertThat(pair.server().incoming().link()).isNull();
        assertThat(pair.server().incoming().available()).isZero();
    }

    @Test
    void theNextWriteAfterThePeerHasReadGoesByTheLink() throws Exception {
        for (int round = 0; round < 2; round++) {
            goBack();
            assertThat(Streams.receive(waits, pair.server(), MUCH, 7)).isEqualTo(MUCH);
            assertThat(send(pair.client(), 100).get(20, TimeUnit.SECONDS)).isEqualTo(100);
            assertThat(pair.client().outgoing().link()).isNotNull();
            assertThat(Streams.receive(waits, pair.server(), 100, 7)).isEqualTo(100);
            assertThat(pair.server().incoming().link()).isNotNull();
        }
    }

    /** A program that always writes more than the ring holds before the peer reads would wait each time. */
    @Test
    void aLinkThatIsInVainAgainAndAgainIsLeftAlone() throws Exception {
        for (int round = 0; round < 6; round++) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (pair.client().outgoing().link() == null) {
                assertThat(System.nanoTime() - end).as("round %s", round).isNegative();
                roundTrip();
            }
            goBack();
            assertThat(Streams.receive(waits, pair.server(), MUCH, 7)).isEqualTo(MUCH);
        }
        roundTrip();
        assertThat(pair.client().outgoing().link()).isNull();
    }

    private void roundTrip() throws Exception {
        assertThat(send(pair.client(), 100).get(20, TimeUnit.SECONDS)).isEqualTo(100);
        assertThat(Streams.receive(waits, pair.server(), 100, 7)).isEqualTo(100);
    }

    @Test
    void bothEndsWriteMuchBeforeEitherReads() throws Exception {
        FutureTask<Long> there = send(pair.client(), MUCH);
        FutureTask<Long> back = send(pair.server(), MUCH);
        assertThat(there.get(20, TimeUnit.SECONDS)).isEqualTo(MUCH);
        assertThat(back.get(20, TimeUnit.SECONDS)).isEqualTo(MUCH);
        assertThat(Streams.receive(waits, pair.server(), MUCH, 7)).isEqualTo(MUCH);
        assertThat(Streams.receive(waits, pair.client(), MUCH, 7)).isEqualTo(MUCH);
    }

    /** The kernel has the announcement, and behind it bytes that come only after all the bytes in the link. */
    @Test
    void aReaderWhoComesLateReadsAllInItsOrder() throws Exception {
        pair.close();
        pair = lab.connectOnly();
        assertThat(send(pair.client(), MUCH).get(20, TimeUnit.SECONDS)).isEqualTo(MUCH);
        assertThat(pair.client().outgoing().link()).isNull();
        assertThat(pair.server().incoming().link()).isNull();
        awaitBothAvailable();
        assertThat(Streams.receive(waits, pair.server(), MUCH, 7)).isEqualTo(MUCH);
    }

    @Test
    void anEndAfterwardsComesAfterTheLastByte() throws Exception {
        goBack();
        Lab.close(pair.client());
        assertThat(Streams.receive(waits, pair.server(), MUCH, 7)).isEqualTo(MUCH);
        assertThat(read(pair.server())).isEqualTo(-1);
    }

    @Test
    void aResetComesBehindWhatTheKernelHas() throws Exception {
        goBack();
        Lab.close(pair.client(), true, false);
        AtomicInteger came = new AtomicInteger();
        assertThatThrownBy(() -> {
                    while (came.addAndGet(read(pair.server())) > 0) {}
                })
                .isInstanceOf(SocketException.class)
                .hasMessage("Connection reset");
        assertThat(came.get()).as("a ring and something").isGreaterThan(RING);
    }

    @Test
    void aCloseWithBytesUnreadIsAReset() throws Exception {
        goBack();
        FutureTask<Integer> reader = Streams.start(() -> read(pair.client()));
        Lab.close(pair.server());
        assertThatThrownBy(() -> reader.get(20, TimeUnit.SECONDS)).hasRootCauseMessage("Connection reset");
    }

    /** The kernel reports a reset once; a write that the link had taken in part could not report it. */
    @ParameterizedTest(name = "who asks next reads: {0}")
    @ValueSource(booleans = {true, false})
    void aResetThatNobodyCouldBeToldIsTold(boolean reads) throws Exception {
        pair.close();
        pair = lab.connectOnly();
        goBack();
        Lab.channel(pair.server()).setOption(StandardSocketOptions.SO_LINGER, 0);
        Lab.channel(pair.server()).close();
        Outgoing out = pair.client().outgoing();
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(out.enter(true)).isNull();
        // The reset may come a moment later.
        await().pollInSameThread().pollInterval(Duration.ofMillis(1)).untilAsserted(() -> assertThatThrownBy(
                        () -> Lab.channel(pair.client()).write(ByteBuffer.allocate(1)))
                .satisfies(e -> out.failedBehind((IOException) e)));
        out.leave();
        if (reads) {
            assertThatThrownBy(() -> read(pair.client())).hasMessage("Connection reset");
            assertThatThrownBy(() -> Streams.write(waits, pair.client(), one)).hasMessage("Broken pipe");
        } else {
            assertThatThrownBy(() -> Streams.write(waits, pair.client(), one)).hasMessage("Connection reset by peer");
            assertThat(read(pair.client())).isEqualTo(-1);
        }
    }

    /** The link may report a reset before the kernel does, which would take bytes that are written meanwhile. */
    @Test
    void aWriteBehindAResetThatAReadHasMetIsRefused() throws Exception {
        LinkWriter writer = pair.server().attached().writer();
        writer.wayBack().makeDue();
        assertThat(writer.goBackForWriter()).isTrue();
        pair.client().attached().close("of a test", false);
        assertThatThrownBy(() -> read(pair.server()))
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage("Connection reset");
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThatThrownBy(() -> Streams.write(waits, pair.server(), one)).hasMessage("Broken pipe");
        assertThat(one.remaining()).as("bytes left, of one refused").isEqualTo(1);
    }

    /** The kernel would accept the second write after a close as well, as the first that it sees. */
    @ParameterizedTest(name = "the peer closes: {0}")
    @ValueSource(booleans = {true, false})
    void aDirectionThatSendsToNobodyStays(boolean closes) throws Exception {
        if (closes) {
            Lab.close(pair.server());
        } else {
            Lab.channel(pair.server()).shutdownInput();
            pair.server().shutdownInput();
            pair.server().shutdownOutput();
        }
        await().until(() -> pair.client().attached().peer().hasEnded());
        Streams.write(waits, pair.client(), ByteBuffer.allocate(1));
        LinkWriter writer = pair.client().attached().writer();
        writer.wayBack().makeDue();
        assertThat(writer.goBackForWriter()).isFalse();
        assertThatThrownBy(() -> Streams.write(waits, pair.client(), ByteBuffer.allocate(1)))
                .hasMessage("Broken pipe");
        assertThat(pair.client().outgoing().link()).isNotNull();
    }

    @Test
    void aDirectionThatIsFixedStaysAndWaits() throws Exception {
        assertThat(pair.client().outgoing().fix()).isNotNull();
        FutureTask<Long> sent = send(pair.client(), MUCH);
        assertThat(pair.server().incoming().link()).isNotNull();
        assertThat(Streams.receive(waits, pair.server(), MUCH, 7)).isEqualTo(MUCH);
        assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo(MUCH);
        assertThat(pair.client().outgoing().link()).isNotNull();
    }
}
