// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events of connections in a flight recording. */
class FlightEventsTest {
    private static final int RING = 16 * 1024;
    private static final Duration STALL = Duration.ofMillis(20);
    private static final Map<String, String> SMALL = Map.of("ring.size", "16KiB");

    @TempDir
    private Path dir;

    private interface Action {
        void run() throws Exception;
    }

    @Test
    void aConnectionWithItsPathAndDuration() throws Exception {
        List<RecordedEvent> events = record("io.accel.Connect", () -> {
            try (Lab lab = new Lab("balanced", SMALL)) {
                lab.connect().close();
            }
        });
        assertThat(events).hasSize(2);
        RecordedEvent client = with(events, "role", "client");
        RecordedEvent server = with(events, "role", "server");
        assertThat(client.getString("path")).isEqualTo("shm");
        assertThat(client.getString("reason")).isEmpty();
        assertThat(client.getDuration()).isBetween(Duration.ofNanos(1_000), Duration.ofSeconds(10));
        assertThat(client.getString("local")).startsWith("127.0.0.1:");
        assertThat(client.getString("remote")).isEqualTo(server.getString("local"));
        assertThat(server.getString("remote")).isEqualTo(client.getString("local"));
        assertThat(server.getLong("connection")).isNotEqualTo(client.getLong("connection"));
    }

    @Test
    void aFallBackWithItsReason() throws Exception {
        List<RecordedEvent> events = record("io.accel.Fallback", () -> {
            try (Lab lab = new Lab("balanced", Map.of("rule.1", "kernel client *:*", "handover.after", "0"))) {
                StreamSocket client = lab.client();
                StreamSocket server = lab.accept();
                Lab.close(client);
                Lab.close(server);
            }
        });
        RecordedEvent rule = with(events, "role", "client");
        assertThat(rule.getString("reason")).isEqualTo("RULE");
        assertThat(rule.getString("detail")).contains("kernel client");
        assertThat(rule.getString("path")).isEqualTo("kernel");
        assertThat(with(events, "role", "server").getString("reason")).isEqualTo("PEER_NOT_ACCELERATED");
    }

    @Test
    void aStallWithItsDuration() throws Exception {
        List<RecordedEvent> events = record("io.accel.Stall", () -> {
            try (Lab lab = new Lab("balanced", SMALL)) {
                Lab.Pair pair = lab.connect();
                int room = RING - 64 - 1; // the preface and a byte, whose room comes back by the quarter
                assertThat(Streams.writeLink(pair.client(), RING + 1)).isEqualTo(room);
                Lab.awaitStall(STALL);
                assertThat(Streams.readLink(pair.server(), RING)).isEqualTo(room);
                assertThat(Streams.writeLink(pair.client(), 10)).isEqualTo(10);
                pair.close();
            }
        });
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getDuration()).isBetween(STALL, Duration.ofSeconds(10));
            assertThat(event.getLong("queued")).isEqualTo(10);
        });
    }

    @Test
    void aResetAndWhoDidIt() throws Exception {
        List<RecordedEvent> events = record("io.accel.Reset", () -> {
            try (Lab lab = new Lab("balanced", SMALL)) {
                Lab.Pair pair = lab.connect();
                pair.client().close(() -> true, false);
                assertThatThrownBy(() -> Streams.readLink(pair.server(), 1)).isInstanceOf(IOException.class);
                pair.close();
            }
        });
        assertThat(events).hasSize(2);
        assertThat(events.get(0).getBoolean("byPeer")).isFalse();
        assertThat(events.get(0).getString("cause")).contains("SO_LINGER 0");
        assertThat(events.get(1).getBoolean("byPeer")).isTrue();
        assertThat(events.get(1).getString("cause")).isEqualTo("Connection reset");
    }

    @Test
    void aDoorbellStorm() throws Exception {
        List<RecordedEvent> events = record("io.accel.DoorbellStorm", () -> {
            try (Lab lab = new Lab("low-cpu", SMALL)) {
                Lab.Pair pair = lab.connect();
                for (int i = 0; i < 50_000; i++) {
                    pair.server().attached().arm(SelectionKey.OP_READ);
                    assertThat(Streams.writeLink(pair.client(), 1)).isEqualTo(1);
                    int unused = pair.server().attached().kernelReady(SelectionKey.OP_READ, SelectionKey.OP_READ);
                    assertThat(Streams.readLink(pair.server(), 1)).isEqualTo(1);
                }
                pair.close();
            }
        });
        assertThat(events).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getLong("doorbells")).isEqualTo(1024);
            assertThat(event.getDuration("period")).isBetween(Duration.ofNanos(1_000), Duration.ofMillis(100));
        });
    }

    @Test
    void aStreamSeesThemAsTheyHappen() throws Exception {
        CountDownLatch seen = new CountDownLatch(2);
        try (RecordingStream stream = new RecordingStream();
                Lab lab = new Lab("balanced", SMALL)) {
            stream.enable("io.accel.Connect");
            stream.onEvent("io.accel.Connect", event -> seen.countDown());
            stream.startAsync();
            lab.connect().close();
            assertThat(seen.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void allOfThemAreLabelled() throws Exception {
        record("io.accel.Connect", () -> {
            try (Lab lab = new Lab("balanced", SMALL)) {
                lab.connect().close();
            }
        });
        List<EventType> types = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(type -> type.getName().startsWith("io.accel."))
                .toList();
        assertThat(types).isNotEmpty().allSatisfy(type -> {
            assertThat(type.getCategoryNames()).containsExactly("Accel");
            assertThat(type.getLabel()).isNotBlank();
            assertThat(type.getDescription()).isNotBlank();
        });
    }

    private List<RecordedEvent> record(String event, Action action) throws Exception {
        Path file = dir.resolve(event + ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable(event);
            recording.start();
            action.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(one -> one.getEventType().getName().equals(event))
                .sorted(Comparator.comparing(RecordedEvent::getEndTime))
                .toList();
    }

    private static RecordedEvent with(List<RecordedEvent> events, String field, String value) {
        return events.stream()
                .filter(event -> event.getString(field).equals(value))
                .findFirst()
                .orElseThrow(() -> new AssertionError("none with " + field + "=" + value + " in " + events));
    }
}
