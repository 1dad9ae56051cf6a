// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.poll.Poller;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import io.accel.testing.Background;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A link that breaks at any of its operations, under traffic in both directions: all waiters find out, the last of them
 * gives the memory back, and other connections do not notice.
 */
@Timeout(60)
class LinkFaultsTest {
    private static final int TOTAL = 400_000;

    static Stream<Arguments> faults() {
        List<Arguments> all = new ArrayList<>();
        for (String preset : new String[] {"balanced", "low-cpu"}) {
            for (Side side : Side.values()) {
                for (Call call : Call.values()) {
                    if (call.compareTo(Call.PUBLISH) >= 0) {
                        for (int nth : call == Call.SIGNAL ? new int[] {1, 2} : new int[] {1, 3, 12}) {
                            all.add(Arguments.of(preset, side, call, nth));
                        }
                    }
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whoeverUsesABrokenLinkFindsOutAndNothingIsLeft(String preset, Side side, Call call, int nth) throws Exception {
        try (FaultLab lab = new FaultLab(preset, Map.of("ring.size", "16KiB"))) {
            Lab.Pair bystander = lab.bystander();
            Lab.Pair victim = lab.lab.connect();
            victim.fixDirections();
            lab.arm(side, call, nth, FallbackReason.NO_RESOURCES);
            BlockingWaits waits = lab.lab.accelerator.waits();
            Program client = new Program(waits, victim.client());
            Program server = new Program(waits, victim.server());
            List<FutureTask<String>> all = List.of(
                    Streams.start(client::send),
                    Streams.start(server::send),
                    Streams.start(client::receive),
                    Streams.start(server::receive));
            List<String> outcomes = new ArrayList<>();
            for (FutureTask<String> each : all) {
                outcomes.add(each.get(20, TimeUnit.SECONDS));
            }
            victim.close();
            boolean isCertain = call != Call.ARM && call != Call.DRAIN; // these two only if somebody slept
            if (isCertain) {
                assertThat(lab.faults.hasTripped()).isTrue();
            }
            // Every byte was published before a SIGNAL. A look at the cursors breaks the link, but still sees the
            // bytes: if each look on a busy machine finds something, all bytes have come before anybody asks for the
            // link's state.
            boolean mayHaveAll = call == Call.SIGNAL || call == Call.RELEASED || call == Call.PUBLISHED || !isCertain;
            if (lab.faults.hasTripped() && !mayHaveAll) {
                assertThat(outcomes).as("somebody is told").anyMatch(outcome -> !outcome.equals("all"));
            }
            lab.faults.disarm();
            lab.othersLiveOn(bystander);
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    /** A program with a thread for each direction. It closes when one of them fails, or both are done. */
    private static final class Program {
        private final BlockingWaits waits;
        private final StreamSocket socket;
        private final AtomicInteger busy = new AtomicInteger(2);

        Program(BlockingWaits waits, StreamSocket socket) {
            this.waits = waits;
            this.socket = socket;
        }

        private String end(String outcome) {
            if (busy.decrementAndGet() == 0 || !outcome.equals("all")) {
                socket.close(() -> false, false);
            }
            return outcome;
        }

        String send() {
            try {
                Streams.send(waits, socket, TOTAL, 1);
                socket.shutdownOutput();
                return end("all");
            } catch (IOException e) {
                return end(e.toString());
            }
        }

        String receive() {
            ByteBuffer buffer = ByteBuffer.allocateDirect(3_000);
            int got = 0;
            try {
                int n = Streams.read(waits, socket, buffer);
                while (n >= 0) {
                    got += n;
                    n = Streams.read(waits, socket, buffer.clear());
                }
                return end(got == TOTAL ? "all" : "the end after " + got);
            } catch (IOException e) {
                return end(e.toString());
            }
        }
    }

    /** A program that only waits in its selector learns of a failure in a thread that sends. */
    @Test
    void aSleepingSelectorWakes() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu");
                Poller poller = lab.lab.accelerator.openPoller()) {
            Lab.Pair victim = lab.lab.connect();
            var registration = poller.register(victim.client().readiness(), SelectionKey.OP_READ, null);
            var asleep = Streams.asleepIn(poller);
            lab.arm(Side.CLIENT, Call.PUBLISH, 1, FallbackReason.NO_RESOURCES);
            Streams.write(lab.lab.accelerator.waits(), victim.client(), ByteBuffer.allocate(1));
            assertThat(asleep.get(10, TimeUnit.SECONDS)).isEqualTo(SelectionKey.OP_READ);
            assertThatThrownBy(() -> Streams.read(lab.lab.accelerator.waits(), victim.client(), ByteBuffer.allocate(1)))
                    .hasMessage("Connection reset");
            victim.close();
            registration.close();
            lab.nothingIsLeft();
        }
    }

    /**
     * Bytes to the peer go over the link, and bytes from it would come through the kernel. When the link breaks, a reader there is
     * told, and the peer's half of the kernel's connection does not end as if everything had been sent.
     */
    @Test
    void whoReadsFromTheKernelLearnsThatTheLinkBroke() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu")) {
            BlockingWaits waits = lab.lab.accelerator.waits();
            StreamSocket client = lab.lab.client();
            StreamSocket server = lab.lab.accept();
            Streams.write(waits, client, ByteBuffer.allocate(1));
            assertThat(Streams.read(waits, server, ByteBuffer.allocate(9))).isEqualTo(1);
            assertThat(client.outgoing().link()).isNotNull();
            var asleep = Background.start(() -> Streams.read(waits, client, ByteBuffer.allocate(1)));
            asleep.awaitIn(Lab.channel(client).getClass(), "read");
            lab.arm(Side.CLIENT, Call.RELEASED, 1, FallbackReason.NO_RESOURCES);
            assertThat(client.outgoing().link().look(SelectionKey.OP_WRITE)).isEqualTo(SelectionKey.OP_WRITE);
            assertThatThrownBy(() -> asleep.get(10, TimeUnit.SECONDS)).hasStackTraceContaining("Connection reset");
            Lab.close(client);
            assertThatThrownBy(() -> Lab.channel(server).read(ByteBuffer.allocate(1)))
                    .hasMessageContaining("Connection reset");
            Lab.close(server);
            lab.nothingIsLeft();
        }
    }

    /** A link that broke before it carried a byte costs nobody anything. */
    @Test
    void aConnectionOutlivesALinkOfWhichNothingWent() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu")) {
            BlockingWaits waits = lab.lab.accelerator.waits();
            StreamSocket client = lab.lab.client();
            StreamSocket server = lab.lab.accept();
            lab.arm(Side.CLIENT, Call.RELEASED, 1, FallbackReason.NO_RESOURCES);
            assertThat(client.attached().look(SelectionKey.OP_WRITE)).isEqualTo(SelectionKey.OP_WRITE);
            Streams.write(waits, client, ByteBuffer.allocate(3));
            assertThat(Streams.read(waits, server, ByteBuffer.allocate(9))).isEqualTo(3);
            assertThat(client.outgoing().link()).isNull();
            Lab.close(client);
            assertThat(Streams.read(waits, server, ByteBuffer.allocate(9))).isEqualTo(-1);
            Lab.close(server);
            lab.nothingIsLeft();
        }
    }

    /** Bytes that the peer had not read are lost with the link, and a thread that writes to the kernel meanwhile hears of it. */
    @Test
    void aWriterWhoWentBackLearnsThatTheLinkBroke() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu")) {
            BlockingWaits waits = lab.lab.accelerator.waits();
            Lab.Pair pair = lab.lab.connect();
            Streams.send(
                    waits,
                    pair.client(),
                    4L * pair.client().attached().reader().memory().capacity(),
                    1);
            assertThat(pair.client().outgoing().isUnfollowed()).isTrue();
            lab.arm(Side.CLIENT, Call.RELEASED, 1, FallbackReason.NO_RESOURCES);
            assertThat(pair.client().attached().look(SelectionKey.OP_WRITE)).isEqualTo(SelectionKey.OP_WRITE);
            pair.client().loss().cutOff();
            assertThatThrownBy(() -> Streams.write(waits, pair.client(), ByteBuffer.allocate(3)))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("Connection reset by peer");
            pair.close();
            lab.nothingIsLeft();
        }
    }

    /** The peer reads the bytes of the link as long as it may, and bytes that it has read cannot be lost. */
    @Test
    void aConnectionOutlivesALinkThatBothDirectionsHaveLeft() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu")) {
            BlockingWaits waits = lab.lab.accelerator.waits();
            Lab.Pair pair = lab.lab.connect();
            long much = 4L * pair.client().attached().reader().memory().capacity();
            Streams.send(waits, pair.client(), much, 1);
            Streams.send(waits, pair.server(), much, 2);
            assertThat(pair.client().outgoing().link()).isNull();
            assertThat(pair.client().outgoing().isUnfollowed()).isTrue();
            assertThat(Streams.receive(waits, pair.server(), much, 1)).isEqualTo(much);
            assertThat(Streams.receive(waits, pair.client(), much, 2)).isEqualTo(much);
            assertThat(pair.client().outgoing().isUnfollowed()).isFalse();
            assertThat(pair.client().incoming().link()).isNull();
            lab.arm(Side.CLIENT, Call.RELEASED, 1, FallbackReason.NO_RESOURCES);
            assertThat(pair.client().attached().look(SelectionKey.OP_WRITE)).isEqualTo(SelectionKey.OP_WRITE);
            pair.client().loss().cutOff();
            assertThat(pair.client().loss().isCutOff()).isFalse();
            Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
            assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9)))
                    .isEqualTo(3);
            pair.close();
            lab.nothingIsLeft();
        }
    }

    /** A selector that asks for the doorbell just when the link breaks must not sleep on it. */
    @Test
    void aSelectorDoesNotSleepOnALinkThatBrokeWhenItWasArmed() throws Exception {
        for (Call call : new Call[] {Call.ARM, Call.PUBLISHED}) {
            try (FaultLab lab = new FaultLab("low-cpu");
                    Poller poller = lab.lab.accelerator.openPoller()) {
                Lab.Pair victim = lab.lab.connect();
                lab.arm(Side.CLIENT, call, 1, FallbackReason.NO_RESOURCES);
                var registration = poller.register(victim.client().readiness(), SelectionKey.OP_READ, null);
                int[] found = new int[1];
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
                while (found[0] == 0 && System.nanoTime() - end < 0) {
                    poller.poll(TimeUnit.SECONDS.toNanos(5), (r, ops) -> found[0] |= ops);
                }
                assertThat(found[0]).as("after %s failed", call).isEqualTo(SelectionKey.OP_READ);
                victim.close();
                registration.close();
                lab.nothingIsLeft();
            }
        }
    }

    /**
     * The Unix-domain socket by which two processes wake each other ends, and nothing else does: as if the peer had died. Its process
     * hears of it when this end closes.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDoorbellThatEndsCountsAsThePeersDeath(boolean hasUnread) throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu")) {
            Lab.Pair bystander = lab.bystander();
            BlockingWaits waits = lab.lab.accelerator.waits();
            Lab.Pair victim = lab.lab.connect();
            var asleep = Background.start(() -> readToEnd(waits, victim.client()));
            asleep.awaitAsleep();
            if (hasUnread) {
                Streams.write(waits, victim.server(), ByteBuffer.allocate(3));
            }
            ((SocketChannel) victim.server().attached().link().doorbell()).shutdownOutput();
            assertThat(asleep.get(10, TimeUnit.SECONDS)).isEqualTo(hasUnread ? 3 : 0);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 3; i++) {
                            Streams.write(waits, victim.client(), ByteBuffer.allocate(1));
                        }
                    })
                    .hasMessage("Broken pipe");
            var peer = Background.start(() -> readToEnd(waits, victim.server()));
            peer.awaitAsleep();
            Lab.close(victim.client());
            assertThat(peer.get(10, TimeUnit.SECONDS)).isZero();
            Lab.close(victim.server());
            lab.othersLiveOn(bystander);
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    /** How many bytes came before the end. */
    private static int readToEnd(BlockingWaits waits, StreamSocket socket) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(9);
        int all = 0;
        for (int n = Streams.read(waits, socket, buffer); n >= 0; n = Streams.read(waits, socket, buffer.clear())) {
            all += n;
        }
        return all;
    }

    /** A selector finds the same. */
    @Test
    void aSelectorWakesWhenADoorbellEnds() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu");
                Poller poller = lab.lab.accelerator.openPoller()) {
            Lab.Pair victim = lab.lab.connect();
            var registration = poller.register(victim.client().readiness(), SelectionKey.OP_READ, null);
            var asleep = Streams.asleepIn(poller);
            ((SocketChannel) victim.server().attached().link().doorbell()).shutdownOutput();
            assertThat(asleep.get(10, TimeUnit.SECONDS)).isEqualTo(SelectionKey.OP_READ);
            assertThat(readToEnd(lab.lab.accelerator.waits(), victim.client())).isZero();
            victim.close();
            registration.close();
            lab.nothingIsLeft();
        }
    }
}
