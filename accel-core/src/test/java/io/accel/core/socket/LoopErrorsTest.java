// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import io.accel.core.socket.InjectedErrors.Kind;
import io.accel.testing.Background;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An error at any call that a thread makes which serves more than one connection: it ends the connection that it concerns, at both ends.
 * All others live on, and nothing is left.
 */
@Timeout(120)
class LoopErrorsTest {
    /** How many calls fail at most, one after the other, before the injected errors end. */
    private static final int FOR_GOOD = 1_000_000;

    private final InjectedErrors errors = new InjectedErrors();

    private FaultLab lab(Map<String, String> settings) throws IOException {
        FaultLab lab = new FaultLab("low-cpu", settings);
        lab.faults.guise = errors::over;
        return lab;
    }

    /** Fails each call that the thread makes for a link that is in use, and whose writer finds no room, from the n-th on. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anErrorOfTheThreadThatWatchesLinksEndsOneConnection(Kind kind) throws Exception {
        List<String> failed = new ArrayList<>();
        try (FaultLab lab = lab(Map.of("ring.size", "16KiB"))) {
            Lab.Pair bystander = lab.lab.connect();
            for (int nth = 1; nth <= 20; nth++) {
                Lab.Pair victim = lab.lab.connect();
                victim.fixDirections();
                BlockingWaits waits = lab.lab.accelerator.waits();
                errors.aimAt(victim.client());
                errors.arm(LoopErrorsTest::isHandover, kind, nth, FOR_GOOD);
                var writer = Background.start(() -> {
                    Streams.send(waits, victim.client(), 1_000_000, 1);
                    return null;
                });
                var reader = Background.start(() -> Streams.read(waits, victim.client(), ByteBuffer.allocate(1)));
                assertThatThrownBy(() -> writer.get(20, TimeUnit.SECONDS))
                        .hasRootCauseMessage(message(kind))
                        .hasStackTraceContaining("Connection reset: its link has failed here");
                assertThatThrownBy(() -> reader.get(20, TimeUnit.SECONDS)).hasRootCauseMessage(message(kind));
                failed.add(errors.where());
                errors.disarm();
                var peer = Background.start(() -> end(waits, victim.server()));
                peer.get(20, TimeUnit.SECONDS);
                victim.close();
                othersLiveOn(lab, bystander);
            }
            bystander.close();
            lab.nothingIsLeft();
        }
        assertThat(failed).as("the methods that failed").contains("takeIn", "peerState", "released");
    }

    /** Reads to the end, and returns how the connection ended: with a message, or empty. */
    private static String end(BlockingWaits waits, StreamSocket socket) {
        ByteBuffer buffer = ByteBuffer.allocate(100_000);
        try {
            while (Streams.read(waits, socket, buffer.clear()) >= 0) {
                Thread.onSpinWait();
            }
            return "";
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    /** Fails each call that a poller makes for one of its connections, from the n-th on, and as well only that one. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anErrorInAPollerEndsOneConnection(Kind kind) throws Exception {
        Set<String> failed = new HashSet<>();
        for (int times : new int[] {1, FOR_GOOD}) {
            try (FaultLab lab = lab(Map.of());
                    Poller poller = lab.lab.accelerator.openPoller()) {
                Thread self = Thread.currentThread();
                BlockingWaits waits = lab.lab.accelerator.waits();
                Lab.Pair bystander = lab.lab.connect();
                Registration other = poller.register(bystander.client().readiness(), SelectionKey.OP_READ, null);
                for (int nth = 1; nth <= 20; nth++) {
                    Lab.Pair victim = lab.lab.connect();
                    errors.aimAt(victim.client());
                    Registration own = poller.register(victim.client().readiness(), SelectionKey.OP_READ, null);
                    errors.arm(thread -> thread == self, kind, nth, times);
                    // The poller begins to look, arms, sleeps, is woken by the doorbell, and looks again.
                    Set<Registration> found = new HashSet<>();
                    for (int i = 0; i < 3; i++) {
                        poller.poll(1_000_000, (registration, ops) -> found.add(registration));
                    }
                    var writer = Background.start(() -> {
                        Streams.write(waits, victim.server(), ByteBuffer.allocate(1));
                        return "";
                    });
                    assertThat(outcome(writer)).matches("|.*Connection reset by peer|.*Broken pipe");
                    found.remove(own); // a selection tells it each time
                    awaitFound(poller, found, own, nth + " of " + times + " in " + errors.where());
                    Streams.write(waits, bystander.server(), ByteBuffer.allocate(1));
                    awaitFound(
                            poller, found, other, "the other after " + nth + " of " + times + " in " + errors.where());
                    if (errors.where() != null) {
                        failed.add(errors.where());
                    }
                    errors.disarm();
                    assertThat(Streams.read(waits, bystander.client(), ByteBuffer.allocate(9)))
                            .isEqualTo(1);
                    var reader =
                            Background.start(() -> Streams.read(waits, victim.client(), ByteBuffer.allocate(9)) + "");
                    assertThat(outcome(reader)).matches("1|.*Connection reset.*");
                    victim.close();
                    own.close();
                }
                lab.othersLiveOn(bystander);
                bystander.close();
                other.close();
                lab.nothingIsLeft();
            }
        }
        assertThat(failed).as("the methods that failed").hasSizeGreaterThan(3);
    }

    /** Polls until a registration was reported, if it was not before. Each poll ends soon, and throws nothing. */
    private static void awaitFound(Poller poller, Set<Registration> found, Registration wanted, String what)
            throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!found.contains(wanted)) {
            assertThat(System.nanoTime() - end).as(what).isNegative();
            poller.poll(TimeUnit.SECONDS.toNanos(10), (registration, ops) -> found.add(registration));
        }
    }

    private static String outcome(Background<String> task) throws Exception {
        try {
            return task.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause().toString();
        }
    }

    private static boolean isHandover(Thread thread) {
        return thread.getName().equals("accel-handover");
    }

    private static String message(Kind kind) {
        return kind == Kind.FAULT ? "a fault occurred in a test" : "of a test";
    }

    /** Also a connection whose ring is full, and whose writer must be taken back to the kernel. */
    private static void othersLiveOn(FaultLab lab, Lab.Pair bystander) throws IOException {
        lab.othersLiveOn(bystander);
        Lab.Pair stalled = lab.lab.connect();
        BlockingWaits waits = lab.lab.accelerator.waits();
        long much = 4L * stalled.client().attached().reader().memory().capacity();
        Streams.send(waits, stalled.client(), much, 1);
        assertThat(Streams.receive(waits, stalled.server(), much, 1)).isEqualTo(much);
        stalled.close();
    }
}
