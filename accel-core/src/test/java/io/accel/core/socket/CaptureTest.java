// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.core.capture.CapturedFile;
import io.accel.core.observe.CaptureRequest;
import io.accel.core.observe.CaptureSource;
import io.accel.testing.Background;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A capture has each byte of the time between its beginning and its end once, whatever goes on meanwhile. */
@Timeout(120)
class CaptureTest {
    private static final int FIN = 1;
    /** The bytes by which {@link Lab#connect} finds out whether the link is in use, in either direction. */
    private static final int FIRST = 1;
    /** So many bytes that both ends are busy when a capture ends. */
    private static final int SOME_BYTES = 200_000;

    /** A direction as it was captured: the place of the first byte, and the number of bytes. */
    private record Piece(long from, long bytes) {}

    /**
     * Checks each byte in a file, and that no byte occurs twice.
     *
     * @param whole whether none must be missing between the first and the last
     */
    private static Map<Integer, Piece> check(CapturedFile file, int port, boolean whole) {
        Map<Integer, Piece> pieces = new HashMap<>();
        for (CapturedFile.Segment each : file.segments()) {
            int seed = each.sourcePort() == port ? 3 : 5;
            int length = each.bytes().remaining();
            Piece before = pieces.getOrDefault(seed, new Piece(each.sequence(), 0));
            if (whole) {
                assertThat(each.sequence()).isEqualTo(before.from() + before.bytes());
            } else {
                assertThat(each.sequence()).isGreaterThanOrEqualTo(before.from() + before.bytes());
            }
            if (each.sequence() >= FIRST) {
                Streams.check(each.bytes(), length, each.sequence() - FIRST, seed);
            }
            long end = each.sequence() + length;
            pieces.put(seed, whole ? new Piece(before.from(), end - before.from()) : new Piece(end, 0));
        }
        return pieces;
    }

    private static List<FutureTask<Long>> traffic(Lab lab, Lab.Pair pair, long total) {
        List<FutureTask<Long>> tasks = new ArrayList<>();
        for (boolean forth : new boolean[] {true, false}) {
            StreamSocket from = forth ? pair.client() : pair.server();
            StreamSocket to = forth ? pair.server() : pair.client();
            int seed = forth ? 5 : 3; // the server's are 3
            tasks.add(Streams.start(() -> {
                Streams.send(lab.accelerator.waits(), from, total, seed);
                return total;
            }));
            tasks.add(Streams.start(() -> Streams.receive(lab.accelerator.waits(), to, total, seed)));
        }
        return tasks;
    }

    @ParameterizedTest
    @CsvSource({"balanced, 16KiB", "balanced, 1MiB", "low-cpu, 16KiB", "latency, 64KiB"})
    void inTheMiddleOfTrafficNoByteIsMissingOrThereTwice(String preset, String ring) throws Exception {
        long total = 8 << 20;
        try (Lab lab = new Lab(preset, Map.of("ring.size", ring))) {
            Lab.Pair pair = lab.connect();
            pair.fixDirections();
            // The first capture begins before the traffic, which may be over before another thread gets a processor.
            Recording next = Recording.of(lab.address.getPort());
            List<FutureTask<Long>> tasks = traffic(lab, pair, total);
            int seen = 0;
            while (next != null) {
                Recording recording = next;
                await().until(() ->
                        recording.bytes() > SOME_BYTES || tasks.stream().allMatch(FutureTask::isDone));
                CapturedFile file = recording.end();
                seen += check(file, lab.address.getPort(), file.dropped() == 0).size();
                next = tasks.stream().allMatch(FutureTask::isDone) ? null : Recording.of(lab.address.getPort());
            }
            for (FutureTask<Long> task : tasks) {
                assertThat(task.get(50, TimeUnit.SECONDS)).isEqualTo(total);
            }
            assertThat(seen).isPositive();
            pair.close();
        }
    }

    /** All that goes by, in packets and in acknowledgements, up to the ends. */
    @Test
    void aWholeConnectionIsCapturedToItsEnd() throws Exception {
        long total = 3 << 20;
        try (Lab lab = new Lab("balanced", Map.of("ring.size", "64KiB"))) {
            Recording recording = Recording.of(lab.address.getPort());
            Lab.Pair pair = lab.connect();
            pair.fixDirections();
            for (FutureTask<Long> task : traffic(lab, pair, total)) {
                assertThat(task.get(50, TimeUnit.SECONDS)).isEqualTo(total);
            }
            pair.client().shutdownOutput();
            assertThat(Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(1)))
                    .isEqualTo(-1);
            pair.server().shutdownOutput();
            assertThat(Streams.read(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(1)))
                    .isEqualTo(-1);
            pair.close();
            CapturedFile file = recording.end();
            assertThat(file.dropped()).isZero();
            assertThat(check(file, lab.address.getPort(), true))
                    .containsOnly(Map.entry(3, new Piece(0, total + FIRST)), Map.entry(5, new Piece(0, total + FIRST)));
            assertThat(file.segments().stream().filter(each -> (each.flags() & FIN) != 0))
                    .hasSize(2)
                    .allMatch(each -> each.sequence() == total + FIRST);
        }
    }

    /**
     * Each connection is captured from its first byte, although the capture learns of it no sooner than its program does; and
     * none is kept.
     */
    @Test
    void connectionsThatComeAndGoAreCapturedWhole() throws Exception {
        int connections = 50;
        try (Lab lab = new Lab("balanced", Map.of("ring.size", "16KiB"))) {
            Recording recording = Recording.of(lab.address.getPort());
            for (int i = 0; i < connections; i++) {
                lab.connect().close();
            }
            await().until(() -> lab.mappings() == 0);
            List<CapturedFile.Segment> data = recording.end().segments().stream()
                    .filter(each -> each.bytes().hasRemaining())
                    .toList();
            assertThat(data).hasSize(2 * connections).allMatch(each -> each.sequence() == 0);
            assertThat(data)
                    .extracting(each -> each.sourcePort() == lab.address.getPort())
                    .filteredOn(fromServer -> fromServer)
                    .hasSize(connections);
        }
    }

    /** Between a link and the kernel, again and again, sequence numbers stay the places of the bytes. */
    @ParameterizedTest
    @CsvSource({"random, 16KiB, 16KiB", "connect, 16KiB, 1MiB"})
    void whatTheKernelCarriesIsMissingInItsPlace(String handover, String initial, String ring) throws Exception {
        long total = 8 << 20;
        Map<String, String> settings = Map.of("handover.after", handover, "ring.initial", initial, "ring.size", ring);
        try (Lab lab = new Lab("balanced", settings)) {
            Recording recording = Recording.of(lab.address.getPort());
            Lab.Pair pair = lab.connect();
            for (FutureTask<Long> task : traffic(lab, pair, total)) {
                assertThat(task.get(50, TimeUnit.SECONDS)).isEqualTo(total);
            }
            CapturedFile file = recording.end();
            assertThat(check(file, lab.address.getPort(), false)).hasSize(2);
            assertThat(file.segments().stream()
                            .mapToLong(each -> each.bytes().remaining())
                            .sum())
                    .isBetween(1L, 2 * (total + FIRST));
            pair.close();
        }
    }

    /** Either end may be captured. */
    private static void pass(Lab lab, Lab.Pair pair) throws IOException {
        Streams.write(lab.accelerator.waits(), pair.client(), ByteBuffer.wrap(new byte[] {7}));
        assertThat(Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(1)))
                .isEqualTo(1);
    }

    @Test
    void oneEndsByItselfAtACountOrATime() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            Lab.Pair pair = lab.connect();
            Recording counted = new Recording(new CaptureRequest(Set.of(), 3, 0));
            for (int i = 0; i < 5; i++) {
                pass(lab, pair);
            }
            assertThat(counted.result().segments()).hasSize(3);
            Recording timed = new Recording(new CaptureRequest(Set.of(), 0, 1));
            pass(lab, pair);
            assertThat(timed.result().segments()).hasSize(1);
            Recording other = new Recording(new CaptureRequest(Set.of(1), 0, 0));
            pass(lab, pair);
            assertThat(other.end().segments()).as("of another port").isEmpty();
            pair.close();
        }
    }

    @Test
    void thereIsOneAtATime() throws Exception {
        CaptureRequest request = new CaptureRequest(Set.of(), 0, 0);
        Recording first = new Recording(request);
        assertThat(Captures.get().capture(request, "test", first)).isNull();
        first.end();
        new Recording(request).end();
    }

    /** The process's end waits until its reader has all that was captured. */
    @Test
    void whatWasCapturedIsPassedOnWhenTheReaderHasIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Semaphore mayTake = new Semaphore(1); // the beginning of the file
        AtomicBoolean isWanted = new AtomicBoolean(true);
        CaptureSource.Sink slow = new CaptureSource.Sink() {
            @Override
            public void take(ByteBuffer part) {
                if (part.hasRemaining()) {
                    mayTake.acquireUninterruptibly();
                    begun.countDown();
                }
            }

            @Override
            public boolean isWanted() {
                return isWanted.get();
            }
        };
        try (Lab lab = new Lab("balanced", Map.of())) {
            Lab.Pair pair = lab.connect();
            Background<CaptureSource.Totals> capture =
                    Background.start(() -> Captures.get().capture(new CaptureRequest(Set.of(), 0, 0), "test", slow));
            assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(Captures.get().isPassedOn()).isTrue();
            pass(lab, pair);
            assertThat(Captures.get().isPassedOn()).isFalse();
            capture.awaitIn(Semaphore.class, "acquireUninterruptibly");
            assertThat(Captures.get().isPassedOn())
                    .as("taken out, and not passed on")
                    .isFalse();
            mayTake.release(100);
            await().until(Captures.get()::isPassedOn);
            isWanted.set(false);
            assertThat(capture.get(10, TimeUnit.SECONDS).kept()).isEqualTo(1);
            pair.close();
        }
    }

    /** A client that hangs up ends the capture: another can begin. */
    @Test
    void aReaderThatIsGoneEndsIt() throws Exception {
        CaptureRequest request = new CaptureRequest(Set.of(), 0, 0);
        CaptureSource.Sink gone = new CaptureSource.Sink() {
            @Override
            public void take(ByteBuffer part) throws IOException {
                throw new IOException("hung up");
            }

            @Override
            public boolean isWanted() {
                return true;
            }
        };
        assertThatThrownBy(() -> Captures.get().capture(request, "test", gone)).hasMessage("hung up");
        new Recording(request).end();
    }
}
