// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.socket.Faults.Side;
import io.accel.core.socket.Faults.Step;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A peer in a process of its own that is killed, stopped, out of descriptors or out of memory, at each step at which a connection gets
 * a link, and at each step at which it goes on without a broken link. The connection goes on through the kernel and every byte
 * comes once, or it ends like a TCP connection whose peer is gone. Another connection notices nothing, and nothing is left
 * behind.
 */
@Timeout(120)
class PeerFaultsTest {
    static final String PRESET = "balanced";
    /** With time enough on any machine. */
    static final Map<String, String> SETTINGS = Map.of(
            "ring.size", "16KiB", "handover.after", "0", "connect.probe-timeout", "20s", "handshake.timeout", "20s");

    /** How long this end waits for a stopped peer. A peer that has just begun takes a second to come to its first step. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** More than the rings hold. */
    private static final int BYTES = 50_000;
    /** The bytes that a peer has to send again; they are in the ring when the link breaks. */
    private static final int AGAIN = 5_000;

    private static final Duration STOPPED = Duration.ofMillis(100);
    /** Longer than this end waits for a verdict, or for its last word to be taken, where the connection has ended. */
    private static final Duration LONG_STOPPED = Duration.ofMillis(1_200);

    private static final int LIMIT_SECONDS = 20;

    private FaultLab lab;
    private BlockingWaits waits;
    private Lab.Pair bystander;
    private Peer peer;
    private CheckedStream own;
    /** How many bytes each end has sent. */
    private int forth;

    private int back;

    /** The peer's process. */
    private static final class Peer implements AutoCloseable {
        private final Process process;
        private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
        private final List<String> all = new ArrayList<>();
        /** The bytes among those that nobody has waited for. */
        private final List<String> unheard = new ArrayList<>();

        private final InetSocketAddress address;

        Peer(Lab lab) throws Exception {
            ProcessBuilder builder = new ProcessBuilder(List.of(
                            "sh",
                            "-c",
                            "ulimit -n 200; exec \"$@\"",
                            "sh",
                            Path.of(System.getProperty("java.home"), "bin/java").toString(),
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-Xshare:auto",
                            "-cp",
                            System.getProperty("java.class.path"),
                            PeerFaultsProbe.class.getName(),
                            lab.dir.toString()))
                    .redirectErrorStream(true);
            builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
            process = builder.start();
            Thread reader = new Thread(this::read, "what the peer says");
            reader.setDaemon(true);
            reader.start();
            address = new InetSocketAddress(lab.address.getAddress(), Integer.parseInt(await("port ")));
        }

        private void read() {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                lines.lines().forEach(said::add);
            } catch (IOException | UncheckedIOException e) {
                said.add("(its output broke off: " + e + ")");
            }
        }

        /** Waits for a line with this beginning, whatever came before it, and returns the rest of it. */
        String await(String beginning) throws InterruptedException {
            return awaitEither(beginning, beginning).substring(beginning.length());
        }

        /** Waits for a line with either beginning, and returns it. */
        String awaitEither(String beginning, String other) throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (true) {
                for (String line : unheard) {
                    if (line.startsWith(beginning) || line.startsWith(other)) {
                        unheard.remove(line);
                        return line;
                    }
                }
                String line = said.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (line == null) {
                    throw new AssertionError(
                            "the peer has not said '" + beginning + "' but\n" + String.join("\n", all));
                }
                all.add(line);
                unheard.add(line);
            }
        }

        /** The words so far are about another connection. */
        void forget() {
            unheard.clear();
        }

        void tell(String order) throws IOException {
            process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }

        String ask(String order, String answer) throws Exception {
            tell(order);
            return await(answer);
        }

        void signal(String name) throws Exception {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .start();
            String complaint = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(kill.waitFor()).as(complaint).isZero();
        }

        void stop() throws Exception {
            signal("STOP");
            Path stat = Path.of("/proc/" + process.pid() + "/stat");
            Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> Files.readString(stat)
                    .contains(") T "));
        }

        /** Kills the peer like {@code kill -9}, and waits until it is gone. */
        void kill() {
            process.destroyForcibly().onExit().join();
        }

        @Override
        public void close() {
            kill();
        }
    }

    @BeforeEach
    void open() throws Exception {
        open(SETTINGS);
    }

    private void open(Map<String, String> settings) throws Exception {
        lab = new FaultLab(PRESET, settings);
        waits = lab.lab.accelerator.waits();
        bystander = lab.lab.connect();
    }

    private void startPeer() throws Exception {
        if (peer == null) {
            peer = new Peer(lab.lab);
        }
    }

    /** This end gives up a peer that takes longer than {@link #PATIENCE}. */
    private void openImpatient() throws Exception {
        close();
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("connect.probe-timeout", PATIENCE.toMillis() + "ms");
        settings.put("handshake.timeout", PATIENCE.toMillis() + "ms");
        open(settings);
    }

    @AfterEach
    void close() throws Exception {
        if (peer != null) {
            peer.close();
        }
        if (own != null) {
            Lab.close(own.socket());
        }
        bystander.close();
        lab.close();
    }

    // ---- a connection with the peer

    private void connect(Side peers) throws Exception {
        startPeer();
        forth = 0;
        back = 0;
        peer.forget();
        if (peers == Side.CLIENT) {
            peer.tell("connect " + lab.lab.address.getPort());
            own = new CheckedStream(waits, lab.lab.accept(), false);
            peer.await("connected");
        } else {
            StreamSocket client = lab.lab.client(peer.address);
            peer.ask("accept", "connected");
            own = new CheckedStream(waits, client, true);
        }
    }

    private FutureTask<String> send(int bytes) {
        forth += bytes;
        return own.send(bytes);
    }

    private void assertSent(FutureTask<String> sending) throws Exception {
        assertThat(sending.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("sent " + forth);
    }

    private void peerSends(int bytes) throws IOException {
        back += bytes;
        peer.tell("send " + bytes);
    }

    private void awaitPeerHasSent() throws InterruptedException {
        String unused = peer.await("sent " + back);
    }

    /** Both directions go over the link, and neither leaves it by itself. */
    private void move() throws Exception {
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            assertSent(send(1));
            peerSends(1);
            awaitPeerHasSent();
            return own.isMoved() && peer.ask("moved", "moved ").equals("true");
        });
        assertThat(own.socket().outgoing().fix()).isNotNull();
        peer.ask("fix", "fixed");
    }

    /** Each end sends as many bytes again, and ends. */
    private void finish(FutureTask<String> sending) throws Exception {
        assertSent(sending);
        peerSends(BYTES);
        awaitPeerHasSent();
        own.socket().shutdownOutput();
        peer.tell("end");
        assertThat(own.end(LIMIT_SECONDS)).isEqualTo("the end after " + back);
        assertThat(peer.await("ended: ")).isEqualTo("the end after " + forth);
        Lab.close(own.socket());
    }

    /** Stops the peer for a time, lets it go on from its step, and finishes. */
    private void stopFor(Duration time) throws Exception {
        peer.stop();
        FutureTask<String> sending = send(BYTES);
        await().pollInterval(Duration.ofMillis(100))
                .during(time)
                .atMost(time.plusSeconds(LIMIT_SECONDS))
                .untilAsserted(() -> lab.othersLiveOn(bystander));
        peer.signal("CONT");
        peer.tell("go");
        finish(sending);
    }

    private void nothingIsLeft() throws Exception {
        lab.othersLiveOn(bystander);
        FaultLab.soon(() -> {
            assertThat(lab.faults.out()).isEqualTo("handshakes 0, links 2, listeners 1, places 0");
            assertThat(lab.lab.mappings()).as("the bystander's").isEqualTo(2);
            assertThat(lab.lab.content())
                    .noneMatch(file -> file.getFileName().toString().startsWith("ring-"));
        });
        assertThat(lab.faults.misuse()).isEmpty();
    }

    private void peerHasNothingLeft() throws Exception {
        await().untilAsserted(() -> assertThat(peer.ask("left", "left "))
                .isEqualTo("handshakes 0, links 0, listeners 1, places 0, mappings 0"));
    }

    // ---- getting a link

    /** A step of one side. */
    private record Place(Side side, Step step) {
        @Override
        public String toString() {
            return side + " " + step;
        }
    }

    private static Stream<Place> upgrade(Side side) {
        Stream<Place> handshake = side == Side.CLIENT
                ? Stream.of(
                        new Place(side, Step.CALLS),
                        new Place(side, Step.HAS_CALLED),
                        new Place(side, Step.WATCHES),
                        new Place(side, Step.HEARS),
                        new Place(side, Step.WAITS),
                        new Place(side, Step.HAS_LINK),
                        new Place(side, Step.ATTACHES),
                        new Place(side, Step.SAYS_ATTACHED))
                : Stream.of(
                        new Place(side, Step.IS_ASKED),
                        new Place(side, Step.HAS_RESERVED),
                        new Place(side, Step.ATTACHES),
                        new Place(side, Step.HAS_TAKEN),
                        new Place(side, Step.SETTLES));
        return Stream.concat(
                handshake,
                Stream.of(Step.SWITCHES, Step.SAYS_SWITCHED, Step.HAS_SWITCHED).map(step -> new Place(side, step)));
    }

    private static Stream<Place> upgrade() {
        return Stream.of(Side.values()).flatMap(PeerFaultsTest::upgrade);
    }

    /**
     * Whether the step may find no memory, and the connection goes on. A link that was handed over is taken without an allocation, and the
     * switch is part of a write by the program, which is told of any error: both publish with existing words. An end that cannot say that
     * it has the link resets the connection, since its peer may have heard it: AnyCallFailsTest has that.
     */
    private static boolean mayStarve(Place place) {
        return switch (place.step()) {
            case HAS_LINK, SAYS_ATTACHED, SWITCHES, SAYS_SWITCHED, HAS_SWITCHED -> false;
            default -> true;
        };
    }

    /** Whether this end waits for the peer meanwhile, and not for ever. */
    private static boolean isTimed(Place place) {
        return switch (place.step()) {
            case HAS_CALLED, WATCHES, IS_ASKED, HAS_TAKEN -> true;
            default -> false;
        };
    }

    /** Connects, and makes the peer come to a step. */
    private void bringTo(Place place) throws Exception {
        startPeer();
        peer.tell("arm " + place.step());
        CountDownLatch reached = new CountDownLatch(1);
        if (place.step() == Step.WAITS) {
            // Otherwise the answer may be there already.
            lab.faults.steps = step -> {
                if (step == Step.HAS_TAKEN) {
                    awaitIt(reached);
                }
            };
        }
        connect(place.side());
        assertSent(send(1));
        String at = "at " + place.step();
        String said;
        do { // until there is a link, to which the next write goes
            peerSends(1);
            said = peer.awaitEither(at, "sent " + back);
        } while (!said.equals(at) && place.step().compareTo(Step.SWITCHES) >= 0);
        if (!said.equals(at)) {
            peer.await(at);
        } else if (place.step().compareTo(Step.SWITCHES) < 0) {
            awaitPeerHasSent();
        }
        reached.countDown();
        lab.faults.steps = step -> {};
    }

    private static void awaitIt(CountDownLatch reached) {
        try {
            assertThat(reached.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** It was told nothing that it has not read: its kernel ends the connection in order. */
    @ParameterizedTest
    @MethodSource("upgrade")
    void killedWhileItGetsALink(Place place) throws Exception {
        bringTo(place);
        peer.kill();
        assertThat(own.end(LIMIT_SECONDS)).isEqualTo("the end after " + come(place));
        Lab.close(own.socket());
        nothingIsLeft();
    }

    /** Its kernel resets a connection that it has not read to the end, and this end may hear of either first. */
    @ParameterizedTest
    @MethodSource("upgrade")
    void killedInTrafficWhileItGetsALink(Place place) throws Exception {
        bringTo(place);
        FutureTask<String> sending = send(BYTES);
        peer.kill();
        assertEndsAsTcpDoes(sending, come(place));
        nothingIsLeft();
    }

    /** How many bytes there are for this end to read when the peer is at the step. The last one is not in the ring before it is published. */
    private int come(Place place) {
        return place.step() == Step.SWITCHES ? back - 1 : back;
    }

    private void assertEndsAsTcpDoes(FutureTask<String> sending, int come) throws Exception {
        assertThat(own.end(LIMIT_SECONDS)).isIn("the end after " + come, "java.net.SocketException: Connection reset");
        assertThat(own.received()).isEqualTo(come);
        assertThat(sending.get(LIMIT_SECONDS, TimeUnit.SECONDS))
                .isIn(
                        "sent " + forth,
                        "java.io.IOException: Broken pipe",
                        "java.io.IOException: Connection reset by peer",
                        "java.net.SocketException: Connection reset");
        Lab.close(own.socket());
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void stoppedWhileItGetsALink(Side side) throws Exception {
        openImpatient();
        for (Place place : upgrade(side).toList()) {
            bringTo(place);
            stopFor(STOPPED.plus(isTimed(place) ? PATIENCE : Duration.ZERO));
        }
        nothingIsLeft();
        peerHasNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void outOfDescriptorsWhileItGetsALink(Side side) throws Exception {
        for (Place place : upgrade(side).toList()) {
            bringTo(place);
            peer.ask("few", "few");
            FutureTask<String> sending = send(BYTES);
            peer.tell("go");
            peerSends(BYTES);
            awaitPeerHasSent();
            assertSent(sending);
            await().until(() -> own.received() == back);
            peer.ask("many", "many");
            finish(send(BYTES));
        }
        nothingIsLeft();
        peerHasNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void outOfMemoryWhileItGetsALink(Side side) throws Exception {
        for (Place place : upgrade(side).filter(PeerFaultsTest::mayStarve).toList()) {
            bringTo(place);
            peer.tell("starve");
            finish(send(BYTES));
        }
        nothingIsLeft();
        peerHasNothingLeft();
    }

    // ---- going on without it

    private static final List<Step> RESUMPTION =
            List.of(Step.DRAINS, Step.SPEAKS, Step.HAS_SPOKEN, Step.LISTENS, Step.REPLAYS, Step.FREES);

    /** At these, this end waits for the peer's record. */
    private static final List<Step> OVERDUE = List.of(Step.SPEAKS, Step.HAS_SPOKEN, Step.LISTENS);

    private static Stream<Arguments> resumption() {
        return Stream.of(Side.values()).flatMap(side -> RESUMPTION.stream().map(step -> Arguments.of(side, step)));
    }

    /** The link breaks here, and then at the peer, with bytes under way in both directions, and the peer comes to a step. */
    private void breakAt(Step step) throws Exception {
        lab.faults.isResumable = true;
        lab.faults.newsMicros = -1;
        own.socket().attached().link().breakNow();
        peerSends(AGAIN);
        awaitPeerHasSent();
        peer.tell("arm " + step);
        peer.ask("break", "broken");
        peer.await("at " + step);
    }

    @ParameterizedTest
    @MethodSource("resumption")
    void killedWhileItGoesOnWithoutItsLink(Side side, Step step) throws Exception {
        connect(side);
        move();
        breakAt(step);
        FutureTask<String> sending = send(BYTES);
        peer.kill();
        assertEndsAsTcpDoes(
                sending, step == Step.FREES ? back : back - AGAIN); // which is sent again before the link is freed
        nothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void stoppedWhileItGoesOnWithoutItsLink(Side side) throws Exception {
        for (Step step : RESUMPTION) {
            connect(side);
            move();
            breakAt(step);
            stopFor(OVERDUE.contains(step) ? LONG_STOPPED : STOPPED);
        }
        nothingIsLeft();
        peerHasNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void outOfDescriptorsWhileItGoesOnWithoutItsLink(Side side) throws Exception {
        for (Step step : RESUMPTION) {
            connect(side);
            move();
            breakAt(step);
            peer.ask("few", "few");
            FutureTask<String> sending = send(BYTES);
            peer.tell("go");
            await().until(() -> own.received() == back);
            await().until(() -> own.socket().path().reason() == FallbackReason.LINK_LOST);
            assertSent(sending);
            peer.ask("many", "many");
            finish(send(BYTES));
        }
        nothingIsLeft();
        peerHasNothingLeft();
    }

    /**
     * A reset is right as well: a process that has no memory to say what it has received cannot tell its peer. The program is
     * told of it once, as on TCP: if a write has met it, a read then finds an end.
     */
    @ParameterizedTest
    @EnumSource(Side.class)
    void outOfMemoryWhileItGoesOnWithoutItsLink(Side side) throws Exception {
        for (Step step : RESUMPTION.subList(0, RESUMPTION.indexOf(Step.FREES))) {
            connect(side);
            move();
            breakAt(step);
            peer.tell("starve");
            FutureTask<String> sending = send(BYTES);
            peer.tell("end");
            String written = sending.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (written.startsWith("sent")) {
                own.socket().shutdownOutput();
            }
            assertThat(own.end(LIMIT_SECONDS))
                    .as("at %s, where the write said: %s", step, written)
                    .isIn(
                            "the end after " + back,
                            "java.net.SocketException: Connection reset",
                            written.equals("java.io.IOException: Connection reset by peer")
                                    ? "the end after " + (back - AGAIN)
                                    : "nothing else");
            assertThat(peer.await("ended: "))
                    .as("at %s", step)
                    .matches("the end after " + forth + "|java.*Exception.*");
            Lab.close(own.socket());
        }
        nothingIsLeft();
        peerHasNothingLeft();
    }
}
