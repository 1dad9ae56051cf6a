// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import io.accel.testing.Background;
import io.accel.testing.InjectedErrors;
import io.accel.testing.InjectedErrors.Kind;
import io.accel.testing.TcpConnections;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An error at any call that a thread makes which serves more than one connection: it ends the connection that it concerns, at both ends, and
 * tells both programs why. All others live on, and nothing is left. A run without errors shows which calls there are.
 */
@Timeout(120)
class LoopErrorsTest {
    /** The calls of the looks at a full ring, every 20 ms. The looks at a link as a whole soon become rare. */
    private static final Set<String> CALLS_AT_A_FULL_RING = Set.of("Link.released");

    /** How many calls fail at most, one after the other, before the injected errors end. */
    private static final int FOR_GOOD = 1_000_000;

    private static final String KILLED = "Software caused connection abort";

    private static final String FAILED_HERE = "Connection reset: its link has failed here";

    private final InjectedErrors errors = new InjectedErrors();

    private FaultLab lab(Map<String, String> settings) throws IOException {
        FaultLab lab = new FaultLab("low-cpu", settings);
        lab.faults.guise = link -> errors.over(Link.class, link);
        return lab;
    }

    private Lab.Pair victim(FaultLab lab) throws IOException {
        Lab.Pair victim = lab.lab.connect();
        errors.aimAt(victim.client().attached().link());
        return victim;
    }

    /** A connection whose client finds no room to write and nothing to read, in two threads. */
    private static final class Stalled {
        final Lab.Pair pair;
        final Background<Void> writer;
        final Background<Integer> reader;

        Stalled(BlockingWaits waits, Lab.Pair pair) {
            this.pair = pair;
            pair.fixDirections();
            writer = Background.start(() -> {
                Streams.send(waits, pair.client(), 1_000_000, 1);
                return null;
            });
            reader = Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1)));
        }
    }

    /** Fails a call that the thread makes, again and again, for a link whose writer finds no room, each time. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anErrorOfTheThreadThatWatchesLinksEndsOneConnection(Kind kind) throws Exception {
        checkLinksOften();
        try (FaultLab lab = lab(Map.of("ring.size", "16KiB"))) {
            BlockingWaits waits = lab.lab.accelerator.waits();
            Lab.Pair bystander = lab.lab.connect();
            for (String call : CALLS_AT_A_FULL_RING) {
                Lab.Pair aimed = victim(lab);
                // First, since the looks end 40 ms after the ring is full.
                errors.arm(LoopErrorsTest::isHandover, call::equals, kind, 1, FOR_GOOD);
                Stalled victim = new Stalled(waits, aimed);
                assertThatThrownBy(() -> victim.writer.get(20, TimeUnit.SECONDS))
                        .as(call)
                        .hasRootCauseMessage(kind.message())
                        .hasStackTraceContaining(FAILED_HERE);
                assertThatThrownBy(() -> victim.reader.get(20, TimeUnit.SECONDS))
                        .as(call)
                        .hasRootCauseMessage(kind.message());
                errors.disarm();
                var peer = Background.start(() -> end(waits, victim.pair.server()));
                assertThat(peer.get(20, TimeUnit.SECONDS)).as(call).isEqualTo("Connection reset");
                victim.pair.close();
                othersLiveOn(lab, bystander);
            }
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    /** From now on that thread meets no error at each link, too, between two looks at a full ring. */
    private static void checkLinksOften() throws Exception {
        try (Lab lab = new Lab("low-cpu", Map.of("handover.idle", "10ms"))) {
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            // It gets a link, which is given back soon, perhaps before this looks.
            await().until(() -> pair.client().attached() != null
                    || pair.client().path().toString().contains(FallbackReason.IDLE.name()));
            pair.close();
        }
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

    /** Two TCP connections end from outside at the same time, and the thread that notices that meets errors at one of them. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anErrorOfTheThreadThatWatchesConnectionsEndsOne(Kind kind) throws Exception {
        assumeTrue(TcpConnections.mayBeKilled(), "needs root, to end a TCP connection");
        try (FaultLab lab = lab(Map.of())) {
            BlockingWaits waits = lab.lab.accelerator.waits();
            Lab.Pair bystander = lab.lab.connect();
            Lab.Pair victim = victim(lab);
            Lab.Pair other = lab.lab.connect();
            AnchorWatch.get().remove(victim.server().attached());
            AnchorWatch.get().remove(other.server().attached());
            Background<Integer> aimed = reading(waits, victim);
            Background<Integer> alike = reading(waits, other);
            errors.arm(LoopErrorsTest::isAnchors, call -> true, kind, 1, FOR_GOOD);
            kill(victim);
            kill(other);
            assertThatThrownBy(() -> aimed.get(20, TimeUnit.SECONDS))
                    .hasRootCauseMessage(kind.message())
                    .hasStackTraceContaining(FAILED_HERE);
            assertThat(errors.where()).isNotNull();
            assertThatThrownBy(() -> alike.get(20, TimeUnit.SECONDS)).hasStackTraceContaining(KILLED);
            errors.disarm();
            victim.close();
            other.close();
            lab.othersLiveOn(bystander);
            Lab.Pair later = lab.lab.connect();
            Background<Integer> reader = reading(waits, later);
            kill(later);
            assertThatThrownBy(() -> reader.get(20, TimeUnit.SECONDS)).hasStackTraceContaining(KILLED);
            later.close();
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    private static Background<Integer> reading(BlockingWaits waits, Lab.Pair pair) {
        Background<Integer> reader = Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1)));
        reader.awaitAsleep();
        return reader;
    }

    private static void kill(Lab.Pair pair) throws Exception {
        SocketChannel channel = Lab.channel(pair.client());
        TcpConnections.kill(channel.getLocalAddress(), channel.getRemoteAddress());
    }

    private static boolean isAnchors(Thread thread) {
        return thread.getName().equals("accel-anchors");
    }

    /** Fails a call that a poller makes for one of its connections, once and each time. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anErrorInAPollerEndsOneConnection(Kind kind) throws Exception {
        try (FaultLab lab = lab(Map.of());
                Poller poller = lab.lab.accelerator.openPoller()) {
            Thread self = Thread.currentThread();
            BlockingWaits waits = lab.lab.accelerator.waits();
            Lab.Pair bystander = lab.lab.connect();
            Registration other = poller.register(bystander.client().readiness(), SelectionKey.OP_READ, null);
            Set<String> calls = new TreeSet<>();
            Lab.Pair none = victim(lab);
            String met = oneByteTo(
                    waits,
                    none,
                    poller,
                    other,
                    bystander,
                    "no error",
                    () -> errors.watch(thread -> thread == self),
                    () -> calls.addAll(errors.met()));
            assertThat(met).isEqualTo("1");
            assertThat(calls)
                    .contains("Link.peerState", "Link.peerGone", "Link.published", "Link.arm", "Link.drainDoorbell");
            for (String call : calls) {
                for (int times : new int[] {1, FOR_GOOD}) {
                    String what = times + " of " + call;
                    String outcome = oneByteTo(
                            waits,
                            victim(lab),
                            poller,
                            other,
                            bystander,
                            what,
                            () -> errors.arm(thread -> thread == self, call::equals, kind, 1, times),
                            () -> assertThat(errors.where()).as("has failed").isEqualTo(call));
                    assertThat(outcome).as(what).matches(expected(kind, times));
                }
            }
            lab.othersLiveOn(bystander);
            bystander.close();
            other.close();
            lab.nothingIsLeft();
        }
    }

    /** Memory and stack may run out for a second before that counts. */
    private static String expected(Kind kind, int times) {
        boolean mayPass = kind == Kind.MEMORY || kind == Kind.STACK;
        return mayPass && times == 1 ? "1" : (mayPass ? "1|" : "") + ".*" + FAILED_HERE + ".*";
    }

    /** Has the poller find a byte of the victim, and one of the bystander. Returns how a read of the victim ends. */
    private String oneByteTo(
            BlockingWaits waits,
            Lab.Pair victim,
            Poller poller,
            Registration other,
            Lab.Pair bystander,
            String what,
            Runnable whenRegistered,
            Runnable beforeTheEnd)
            throws Exception {
        Registration own = poller.register(victim.client().readiness(), SelectionKey.OP_READ, null);
        whenRegistered.run();
        Set<Registration> found = new HashSet<>();
        // The poller begins to look, arms, sleeps, is woken by the doorbell, and looks again.
        for (int i = 0; i < 3; i++) {
            poller.poll(1_000_000, (registration, ops) -> found.add(registration));
        }
        var writer = Background.start(() -> {
            Streams.write(waits, victim.server(), ByteBuffer.allocate(1));
            return "";
        });
        assertThat(outcome(writer)).as(what).matches("|.*Connection reset by peer|.*Broken pipe");
        found.remove(own); // a selection tells it each time
        awaitFound(poller, found, own, what);
        Streams.write(waits, bystander.server(), ByteBuffer.allocate(1));
        awaitFound(poller, found, other, "the other after " + what);
        beforeTheEnd.run();
        errors.disarm();
        assertThat(Streams.read(waits, bystander.client(), ByteBuffer.allocate(9)))
                .isEqualTo(1);
        var reader = Background.start(() -> Streams.read(waits, victim.client(), ByteBuffer.allocate(9)) + "");
        String outcome = outcome(reader);
        victim.close();
        own.close();
        return outcome;
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
