// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.capture.CapturedFile;
import io.accel.core.observe.CaptureRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A capture has each datagram of the time between its beginning and its end once, whatever goes on meanwhile. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class DatagramCaptureTest {
    private static final Map<String, String> SETTINGS = Map.of("datagram.retry", "5ms");
    /** So many on the way at most that no ring is full. */
    private static final int WINDOW = 64;

    private static ByteBuffer datagram(int number, int length) {
        ByteBuffer datagram = ByteBuffer.allocate(length);
        while (datagram.hasRemaining()) {
            datagram.put((byte) (number * 31 + datagram.position() * 7));
        }
        return datagram.flip();
    }

    private static void pass(DatagramLab.End from, DatagramLab.End to, ByteBuffer datagram) throws Exception {
        assertThat(from.send(datagram.duplicate(), to.address)).isEqualTo(datagram.remaining());
        DatagramLab.Datagram got = to.receive();
        assertThat(got.from()).isEqualTo(from.address);
        assertThat(got.bytes()).isEqualTo(datagram);
    }

    /** The numbers of those that went from one port to another. */
    private static List<Long> numbers(CapturedFile file, DatagramLab.End from, DatagramLab.End to) {
        return file.datagrams().stream()
                .filter(each -> each.from().equals(from.address) && each.to().equals(to.address))
                .map(each -> each.bytes().getLong(0))
                .toList();
    }

    private static List<Long> upTo(long last) {
        List<Long> numbers = new ArrayList<>();
        for (long i = 0; i <= last; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    @ParameterizedTest
    @CsvSource({
        "latency, 127.0.0.1, 65507",
        "balanced, 127.0.0.1, 65507",
        "low-cpu, 127.0.0.1, 65507",
        "balanced, ::1, 65527"
    })
    void allThatGoesEitherWayIsThereInOrder(String preset, String host, int most) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByName(host), 0);
        try (DatagramLab lab = new DatagramLab(preset, SETTINGS)) {
            DatagramLab.End left = lab.end(any);
            DatagramLab.End right = lab.end(any);
            DatagramLab.link(left, right);
            DatagramLab.link(right, left);
            Recording recording = Recording.of(right.address.getPort());
            int[] lengths = {0, 1, 8, 1_473, 9_000, most};
            int rounds = 60;
            for (int i = 0; i < rounds; i++) {
                pass(left, right, datagram(i, lengths[i % lengths.length]));
                pass(right, left, datagram(-i, lengths[i % lengths.length]));
            }
            CapturedFile file = recording.end();
            assertThat(file.dropped()).isZero();
            assertThat(file.segments()).isEmpty();
            assertThat(file.datagrams()).hasSize(2 * rounds);
            boolean isLeft = file.datagrams().get(0).isOutgoing();
            long before = 0;
            for (int i = 0; i < 2 * rounds; i++) {
                CapturedFile.Datagram each = file.datagrams().get(i);
                boolean there = i % 2 == 0;
                int number = i / 2;
                assertThat(each.from()).isEqualTo(there ? left.address : right.address);
                assertThat(each.to()).isEqualTo(there ? right.address : left.address);
                assertThat(each.isOutgoing()).as("at one and the same end").isEqualTo(there == isLeft);
                assertThat(each.bytes())
                        .isEqualTo(datagram(there ? number : -number, lengths[number % lengths.length]));
                assertThat(each.nanos()).isGreaterThanOrEqualTo(before);
                before = each.nanos();
            }
        }
    }

    /** An echo with datagrams on the way all the time, of which the program loses none, and a capture none between two. */
    @ParameterizedTest
    @ValueSource(strings = {"latency", "balanced", "low-cpu"})
    void inTheMiddleOfTrafficNoneIsMissingOrThereTwice(String preset) throws Exception {
        long total = 40_000;
        try (DatagramLab lab = new DatagramLab(preset, SETTINGS)) {
            DatagramLab.End client = lab.end();
            DatagramLab.End server = lab.end();
            DatagramLab.link(client, server);
            DatagramLab.link(server, client);
            // The first is there before the traffic, which may be over before another thread gets a processor.
            Recording next = Recording.of(server.address.getPort());
            Semaphore room = new Semaphore(WINDOW);
            List<FutureTask<Long>> tasks = new ArrayList<>();
            tasks.add(Streams.start(() -> {
                for (long i = 0; i < total; i++) {
                    room.acquire();
                    client.send(i, server);
                }
                return total;
            }));
            tasks.add(Streams.start(() -> {
                for (long i = 0; i < total; i++) {
                    assertThat(server.receive().number()).isEqualTo(i);
                    server.send(i, client);
                }
                return total;
            }));
            tasks.add(Streams.start(() -> {
                for (long i = 0; i < total; i++) {
                    assertThat(client.receive().number()).isEqualTo(i);
                    room.release();
                }
                return total;
            }));
            int seen = 0;
            while (next != null) {
                Recording recording = next;
                await().until(() -> recording.bytes() > 50_000 || tasks.stream().allMatch(FutureTask::isDone));
                CapturedFile file = recording.end();
                for (List<Long> run : List.of(numbers(file, client, server), numbers(file, server, client))) {
                    for (int i = 1; i < run.size() && file.dropped() == 0; i++) {
                        assertThat(run.get(i)).isEqualTo(run.get(i - 1) + 1);
                    }
                    seen += run.size();
                }
                next = tasks.stream().allMatch(FutureTask::isDone) ? null : Recording.of(server.address.getPort());
            }
            for (FutureTask<Long> task : tasks) {
                assertThat(task.get(50, TimeUnit.SECONDS)).isEqualTo(total);
            }
            assertThat(seen).isPositive();
        }
    }

    /** From the first over the link on, although the capture hears of it no sooner than its program does; and none is held on to. */
    @Test
    void linksThatComeAndGoAreCapturedWhole() throws Exception {
        try (DatagramLab lab = new DatagramLab("balanced", SETTINGS)) {
            DatagramLab.End server = lab.end();
            Recording recording = Recording.of(server.address.getPort());
            List<DatagramLab.End> clients = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                DatagramLab.End client = lab.end();
                DatagramLab.link(client, server);
                long first = 5L * i; // its numbers are its own: a later one may get its port
                for (long number = first; number < first + 5; number++) {
                    client.send(number, server);
                    assertThat(server.receive().number()).isEqualTo(number);
                }
                client.close();
                clients.add(client);
            }
            await().until(() -> server.socket.links() == 0);
            CapturedFile file = recording.end();
            for (int i = 0; i < clients.size(); i++) {
                long first = 5L * i;
                assertThat(numbers(file, clients.get(i), server))
                        .filteredOn(number -> number >= first && number < first + 5)
                        .containsExactly(first, first + 1, first + 2, first + 3, first + 4);
            }
            await().until(() -> lab.mappings() == 0);
        }
    }

    /** Each looks for the other at the same time, so that there may be two links, which have the same ends. */
    @Test
    void whereEachHasFoundTheOtherNoneIsThereTwice() throws Exception {
        try (DatagramLab lab = new DatagramLab("balanced", SETTINGS)) {
            Recording recording = new Recording(new CaptureRequest(Set.of(), 0, 0));
            List<DatagramLab.End> ends = new ArrayList<>();
            int two = 0;
            for (int i = 0; i < 20 || two == 0; i++) {
                DatagramLab.End left = lab.end();
                DatagramLab.End right = lab.end();
                ends.addAll(List.of(left, right));
                left.send(-1, right);
                right.send(-1, left);
                await().until(() -> left.isLinkedTo(right) && right.isLinkedTo(left));
                two += left.socket.links() == 2 ? 1 : 0;
                assertThat(left.receive().number()).isEqualTo(-1);
                assertThat(right.receive().number()).isEqualTo(-1);
                for (long number = 0; number <= 4; number++) {
                    left.send(number, right);
                    assertThat(right.receive().number()).isEqualTo(number);
                    right.send(number, left);
                    assertThat(left.receive().number()).isEqualTo(number);
                }
            }
            CapturedFile file = recording.end();
            for (int i = 0; i < ends.size(); i += 2) {
                DatagramLab.End left = ends.get(i);
                DatagramLab.End right = ends.get(i + 1);
                // The second of those by which they look for each other may find a link already.
                assertThat(numbers(file, left, right))
                        .filteredOn(number -> number >= 0)
                        .isEqualTo(upTo(4));
                assertThat(numbers(file, right, left))
                        .filteredOn(number -> number >= 0)
                        .isEqualTo(upTo(4));
            }
        }
    }

    /** One that takes the address of one that is gone is another. */
    @Test
    void aSuccessorIsCapturedToo() throws Exception {
        try (DatagramLab lab = new DatagramLab("balanced", SETTINGS)) {
            DatagramLab.End client = lab.end();
            DatagramLab.End server = lab.end();
            Recording recording = Recording.of(server.address.getPort());
            for (int life = 0; life < 3; life++) {
                DatagramLab.link(client, server);
                for (long number = 0; number <= 4; number++) {
                    client.send(number, server);
                    assertThat(server.receive().number()).isEqualTo(number);
                }
                server.close();
                await().until(() -> client.socket.links() == 0);
                server = lab.end(server.address.getPort());
            }
            List<Long> life = upTo(4);
            List<Long> three = new ArrayList<>(life);
            three.addAll(life);
            three.addAll(life);
            assertThat(numbers(recording.end(), client, server))
                    .filteredOn(number -> number >= 0)
                    .isEqualTo(three);
        }
    }

    /** Datagrams count as segments do. */
    @Test
    void oneEndsByItselfAtACountOrATime() throws Exception {
        try (DatagramLab lab = new DatagramLab("balanced", SETTINGS)) {
            DatagramLab.End left = lab.end();
            DatagramLab.End right = lab.end();
            DatagramLab.link(left, right);
            Recording counted = new Recording(new CaptureRequest(Set.of(), 3, 0));
            for (int i = 0; i < 5; i++) {
                pass(left, right, datagram(i, 100));
            }
            assertThat(counted.result().datagrams()).hasSize(3);
            Recording timed = new Recording(new CaptureRequest(Set.of(left.address.getPort()), 0, 1));
            pass(left, right, datagram(7, 100));
            assertThat(timed.result().datagrams()).hasSize(1);
            Recording other = new Recording(new CaptureRequest(Set.of(1), 0, 0));
            pass(left, right, datagram(8, 100));
            assertThat(other.end().datagrams()).as("of another port").isEmpty();
        }
    }

    /** A datagram for which the peer has no room is not sent. */
    @Test
    void whatHasNoRoomIsNotThere() throws Exception {
        try (DatagramLab lab = new DatagramLab("balanced", Map.of("datagram.ring-size", "128KiB"))) {
            DatagramLab.End left = lab.end();
            DatagramLab.End right = lab.end();
            DatagramLab.link(left, right);
            Recording recording = Recording.of(right.address.getPort());
            for (int i = 0; i < 10; i++) {
                left.send(datagram(i, 40_000), right.address);
            }
            int received = 0;
            while (right.tryReceive() != null) {
                received++;
            }
            assertThat(recording.end().datagrams()).hasSize(received);
            assertThat(received).isBetween(1, 9);
        }
    }

    /** The connections and the datagrams of a process are in one file, also if they have the same addresses. */
    @Test
    void streamsAndDatagramsAreInOneFile() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of());
                DatagramLab datagrams = new DatagramLab("balanced", SETTINGS)) {
            Lab.Pair pair = lab.connect();
            pair.fixDirections();
            InetSocketAddress client = (InetSocketAddress) pair.client().observedLocal();
            DatagramLab.End left = datagrams.end(client.getPort());
            DatagramLab.End right = datagrams.end(lab.address.getPort());
            DatagramLab.link(left, right);
            Recording recording = Recording.of(lab.address.getPort());
            pass(left, right, datagram(1, 100));
            Streams.write(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(50));
            assertThat(Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(50)))
                    .isEqualTo(50);
            CapturedFile file = recording.end();
            assertThat(file.datagrams())
                    .extracting(CapturedFile.Datagram::bytes)
                    .containsExactly(datagram(1, 100));
            assertThat(file.segments())
                    .extracting(CapturedFile.Segment::bytes)
                    .containsExactly(ByteBuffer.allocate(50));
            pair.close();
        }
    }
}
