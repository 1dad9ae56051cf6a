// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time at which connections move, and their new path. A move loses no byte, and not moving costs nothing. */
@Timeout(60)
class UpgradeTest {
    private static final Map<String, String> QUICK = Map.of("connect.probe-timeout", "50ms");

    /** Both directions switch at whatever byte they have reached when both ends have the link. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "1/1B", "5/1GiB", "1000000/100KiB", "random"})
    void noByteIsLostOrDoubledWhereverTheySwitch(String after) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", after, "ring.size", "16KiB"))) {
            BlockingWaits waits = lab.accelerator.waits();
            for (int round = 0; round < 30; round++) {
                Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
                long total = 300_000;
                int seed = round;
                List<FutureTask<Long>> tasks = new ArrayList<>();
                for (boolean forth : new boolean[] {true, false}) {
                    StreamSocket from = forth ? pair.client() : pair.server();
                    StreamSocket to = forth ? pair.server() : pair.client();
                    tasks.add(Streams.start(() -> {
                        Streams.send(waits, from, total, seed);
                        return total;
                    }));
                    tasks.add(Streams.start(() -> Streams.receive(waits, to, total, seed)));
                }
                for (FutureTask<Long> task : tasks) {
                    assertThat(task.get(50, TimeUnit.SECONDS)).isEqualTo(total);
                }
                pair.close();
            }
            await().until(() -> lab.mappings() == 0);
        }
    }

    @Test
    void aConnectionMovesWhenItHasDoneEnough() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "4/1MiB"))) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            roundTrip(waits, pair);
            assertThat(pair.client().attached()).isNull();
            assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.TOO_LITTLE);
            assertThat(lab.mappings()).as("memory before").isZero();
            roundTrip(waits, pair);
            await().until(() ->
                    pair.client().path().isAccelerated() && pair.server().path().isAccelerated());
            roundTrip(waits, pair);
            assertThat(pair.client().incoming().link()).isNotNull();
            assertThat(pair.client().outgoing().link()).isNotNull();
            pair.close();
        }
    }

    /** The doorbell belongs to the server's selector as much as to the thread that waits for the client's word. */
    @Test
    void whoeverTakesTheClientsWordTheServerKnowsOfIt() throws Exception {
        try (Lab lab = new Lab("latency", Map.of("handover.after", "0"));
                Poller poller = lab.accelerator.openPoller()) {
            for (int round = 0; round < 30; round++) {
                StreamSocket client = lab.client();
                FutureTask<StreamSocket> accepting = Streams.start(lab::accept);
                StreamSocket server = accepting.get(10, TimeUnit.SECONDS);
                Lab.channel(server).configureBlocking(false);
                var registration = poller.register(server.readiness(), SelectionKey.OP_READ, null);
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
                while (!server.handover().isSettled() && System.nanoTime() - end < 0) {
                    poller.poll(100_000, (r, ops) -> {});
                }
                assertThat(server.handover().isSettled()).as("round %s", round).isTrue();
                registration.close();
                new Lab.Pair(client, server).close();
            }
        }
    }

    /** Like bytes that came before the input was shut, and as without a link: this end already sends over the link. */
    @Test
    void bytesThatCameByTheKernelBehindAShutInputMakeTheCloseAReset() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = lab.connectOnly();
            Streams.write(waits, pair.server(), ByteBuffer.allocate(3));
            Lab.channel(pair.server()).shutdownInput();
            pair.server().shutdownInput();
            int unread = Lab.channel(pair.client()).write(ByteBuffer.allocate(2)); // as it did when it had no link
            assertThat(unread).isEqualTo(2);
            Lab.close(pair.server());
            assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(9)))
                    .isEqualTo(3);
            assertThatThrownBy(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(9)))
                    .hasMessage("Connection reset");
            Lab.close(pair.client());
        }
    }

    /** Unread bytes make the kernel's close a reset, which a peer hears when the selector selects next, and no sooner for a link. */
    @Test
    void aLinkThatNothingWentByLeavesTheCloseToTheNextPoll() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of());
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = lab.connectOnly();
            Lab.channel(pair.server()).configureBlocking(false);
            var unused = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            assertThat(poller.poll(0, (r, ops) -> {})).isZero();
            SocketChannel client = Lab.channel(pair.client());
            client.write(ByteBuffer.allocate(6)); // as it did when it had no link
            await().until(() -> pair.server().anchor().available() == 6);
            Lab.close(pair.server(), false, true);
            assertThat(client.write(ByteBuffer.allocate(1))).isEqualTo(1);
            assertThat(client.write(ByteBuffer.allocate(1))).isEqualTo(1);
            assertThat(poller.poll(0, (r, ops) -> {})).isZero(); // lets go of the channel
            // The reset may come a moment later.
            await().pollInterval(Duration.ofMillis(1))
                    .untilAsserted(() -> assertThatThrownBy(() -> client.write(ByteBuffer.allocate(1)))
                            .isInstanceOf(IOException.class));
            // The client's link. A daemon that looks at the server's link holds that for a moment.
            await().until(() -> lab.mappings() == 1);
            Lab.close(pair.client());
        }
    }

    /** A thread inside the kernel's read at that moment may yet read the announcement of a switch. */
    @Test
    void anInputThatWasShutBeforeTheLinkCameIsShutForTheLink() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "4/1MiB"))) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            pair.client().shutdownInput();
            for (int i = 0; i < 4; i++) {
                Streams.write(waits, pair.client(), ByteBuffer.wrap(new byte[] {1}));
                assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(2)))
                        .isEqualTo(1);
            }
            await().until(() -> pair.server().path().isAccelerated());
            Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {1}));
            assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(2)))
                    .isEqualTo(-1);
            assertThat(pair.client().incoming().link()).isNotNull();
            pair.close();
        }
    }

    private static void roundTrip(BlockingWaits waits, Lab.Pair pair) throws Exception {
        Streams.write(waits, pair.client(), ByteBuffer.wrap(new byte[] {1}));
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(2))).isEqualTo(1);
        Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {1}));
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(2))).isEqualTo(1);
    }

    /** An end that closes after a switch that its peer has not read of yet has left nothing unread. */
    @Test
    void anEndAfterASwitchIsAnEndInOrder() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = lab.connectOnly();
            Streams.write(waits, pair.client(), ByteBuffer.wrap(new byte[] {1}));
            assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(2)))
                    .isEqualTo(1);
            Lab.close(pair.server());
            assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(2)))
                    .isEqualTo(-1);
            pair.close();
        }
    }

    @Test
    void anUrgentByteLeavesItsDirectionWithTheKernel() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = lab.connectOnly();
            assertThat(pair.client().outgoing().fix()).isNull();
            Lab.channel(pair.client()).socket().sendUrgentData(7);
            roundTrip(waits, pair);
            assertThat(pair.client().outgoing().link()).isNull();
            assertThat(pair.server().outgoing().link()).isNotNull();
            pair.close();
        }
    }

    /** Both ends are in this process, and each counts what it maps: room for one connection, and not for two. */
    @Test
    void beyondTheCapConnectionsStayWithTheKernelUntilOthersEnd() throws Exception {
        Map<String, String> settings = Map.of("handover.after", "connect", "ring.size", "16KiB", "shm.max", "100KiB");
        try (Lab lab = new Lab("balanced", settings)) {
            Lab.Pair first = accelerated(lab);
            Lab.Pair second = new Lab.Pair(lab.client(), lab.accept());
            await().until(() -> second.client().path().reason() == FallbackReason.SHM_CAP);
            roundTrip(lab.accelerator.waits(), second);
            second.close();
            first.close();
            accelerated(lab).close();
            await().until(() -> lab.mappings() == 0);
        }
    }

    /** The resources of other connections may be given back a moment after these have closed. */
    private static Lab.Pair accelerated(Lab lab) throws Exception {
        return await("a connection with a link")
                .pollDelay(Duration.ZERO)
                .atMost(Duration.ofSeconds(20))
                .until(() -> tryAccelerated(lab), Objects::nonNull);
    }

    private static Lab.Pair tryAccelerated(Lab lab) throws IOException {
        Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
        if (pair.client().path().isAccelerated() && pair.server().path().isAccelerated()) {
            return pair;
        }
        pair.close();
        return null;
    }

    /** A rule depends on addresses, which a connection has from its beginning: so its answer holds however much the connection carries. */
    @ParameterizedTest
    @ValueSource(strings = {"kernel client *:*", "kernel * 127.0.0.0/8:*"})
    void aRuleIsAskedWhenTheConnectionIsMadeAndHoldsForGood(String rule) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "4/1MiB", "rule.1", rule))) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            assertThat(pair.client().path().reason()).as("at once").isEqualTo(FallbackReason.RULE);
            assertThat(pair.client().path().detail()).contains(rule);
            for (int i = 0; i < 100; i++) {
                roundTrip(waits, pair);
            }
            assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.RULE);
            assertThat(pair.client().attached()).isNull();
            assertThat(lab.mappings()).isZero();
            pair.close();
        }
    }

    /** Nobody can ask beside a listener that a rule leaves to the kernel. */
    @Test
    void aRuleOfTheListenersIsAskedWhenItIsBound() throws Exception {
        String rule = "kernel server 127.0.0.1:*";
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "4/1MiB", "rule.1", rule))) {
            assertThat(lab.content()).isEmpty();
            assertThat(lab.listener.isAccelerated()).isFalse();
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            assertThat(pair.server().path().reason()).isEqualTo(FallbackReason.RULE);
            for (int i = 0; i < 10; i++) {
                roundTrip(waits, pair);
            }
            await().until(() -> pair.client().path().reason() == FallbackReason.PEER_NOT_ACCELERATED);
            assertThat(pair.server().path().reason()).isEqualTo(FallbackReason.RULE);
            pair.close();
        }
    }

    /** A connection that a rule allows asks again each time that it is worth a link. */
    @Test
    void aRuleThatDoesNotMatchKeepsNoConnectionFromMoving() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "4/1MiB", "rule.1", "kernel client 127.0.0.2:*"))) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.TOO_LITTLE);
            await().until(() -> {
                roundTrip(waits, pair);
                return pair.client().path().isAccelerated();
            });
            pair.close();
        }
    }

    @Test
    void aSilentPeerCostsAConnectionNothing() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("connect.probe-timeout", "50ms", "handover.after", "0"))) {
            lab.silence();
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            roundTrip(lab.accelerator.waits(), pair);
            await().until(() -> pair.client().path().reason() == FallbackReason.TIMEOUT);
            roundTrip(lab.accelerator.waits(), pair);
            assertThat(pair.client().readiness().isPolled())
                    .as("looked at as if it were a link")
                    .isFalse();
            pair.close();
        }
    }

    /** A selector may come late with news of bytes that another thread has read up to the switch. */
    @Test
    void anAnnouncementThatHasNotComeIsNotForgotten() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            Lab.Pair pair = lab.connectOnly();
            Incoming in = pair.server().incoming();
            LinkStream switched = pair.client().outgoing().enter(true);
            assertThat(switched).isSameAs(pair.client().attached());
            assertThat(in.enter()).isNull();
            assertThat(in.took(0, ByteBuffer.allocate(1))).isZero(); // as a read of nothing that looks for a switch
            in.leave();
            assertThat(in.isAnnouncementDue()).isTrue();
            assertThat(pair.server().readiness().kernelReady(SelectionKey.OP_READ, SelectionKey.OP_READ))
                    .isZero();
            assertThat(in.isAnnouncementDue()).as("due, since it has not come").isTrue();
            Streams.write(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(1));
            await().until(() -> {
                int unused = pair.server().readiness().kernelReady(SelectionKey.OP_READ, SelectionKey.OP_READ);
                return !in.isAnnouncementDue();
            });
            assertThat(pair.server().anchor().available())
                    .as("bytes that the kernel has left")
                    .isZero();
            pair.close();
        }
    }

    /** It may have been stopped, or without a processor for a moment. */
    @Test
    void aPeerThatDidNotAnswerInTimeIsAskedAgain() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("connect.probe-timeout", "50ms", "handover.after", "0"))) {
            lab.silence();
            StreamSocket client = lab.client();
            Streams.write(lab.accelerator.waits(), client, ByteBuffer.allocate(1));
            await().until(() -> client.path().reason() == FallbackReason.TIMEOUT);
            lab.speak();
            Lab.Pair pair = new Lab.Pair(client, lab.accept());
            assertThat(Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(1)))
                    .isOne();
            await().until(() -> {
                roundTrip(lab.accelerator.waits(), pair);
                return client.path().isAccelerated();
            });
            pair.close();
        }
    }

    @Test
    void whereFallingBackIsForbiddenItFails() throws Exception {
        Map<String, String> failing =
                Map.of("connect.probe-timeout", "50ms", "fallback", "fail", "log.connections", "true");
        try (Lab lab = new Lab("balanced", failing);
                LogLines log = new LogLines(line -> line.contains(":" + lab.address.getPort()))) {
            lab.silence();
            assertThatThrownBy(lab::client)
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("fallback=fail: TIMEOUT");
            await().untilAsserted(() -> assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .matches("accel: refused .* by kernel \\(TIMEOUT.*, because of fallback=fail"));
        }
    }

    /** Part of a file was sent before the reset, which the program's next operation reports. */
    @Test
    void aResetBehindWhatWasSentIsTheKernelsToTellWhereThereWasNoLink() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "1000000/1GiB"))) {
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            Lab.channel(pair.server())
                    .setOption(StandardSocketOptions.SO_LINGER, 0)
                    .close();
            pair.client().outgoing().failedBehind(new SocketException("Connection reset by peer"));
            assertThatThrownBy(() -> Streams.read(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(1)))
                    .hasMessage("Connection reset");
            pair.close();
        }
    }

    @Test
    void aListenerThatIsGoneIsNotAccelerated() throws Exception {
        try (Lab lab = new Lab("balanced", QUICK)) {
            lab.listener.close();
            StreamSocket client = lab.client();
            await().until(() -> client.path().reason() == FallbackReason.PEER_NOT_ACCELERATED);
            assertThat(client.path().detail()).contains(lab.dir.toString()).contains("shm.dir");
            Lab.close(client);
        }
    }

    /** Each of many connections that close while a link is looked for takes back what was begun. */
    @Test
    void closedWhileALinkIsLookedForNothingIsLeft() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "0"))) {
            for (int i = 0; i < 200; i++) {
                StreamSocket client = lab.client();
                if (i % 2 == 0) {
                    Lab.close(client);
                    Lab.close(lab.accept());
                } else {
                    StreamSocket server = lab.accept();
                    for (int spin = i * 97 % 20_000; spin > 0; spin--) {
                        Thread.onSpinWait();
                    }
                    Lab.close(i % 4 == 1 ? server : client);
                    Lab.close(i % 4 == 1 ? client : server);
                }
            }
            await().until(() -> lab.mappings() == 0);
            await().until(() -> lab.content().size() == 2);
        }
    }
}
