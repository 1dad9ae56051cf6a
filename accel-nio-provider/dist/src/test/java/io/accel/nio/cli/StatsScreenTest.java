// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.ProcessSample;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StatsScreenTest {
    @Test
    void aSmallTerminalShowsWhatFitsAndCountsTheRest() {
        List<String> lines = new StatsScreen(60, 23).lines(List.of(seen("web-1", 100)));
        assertThat(lines).hasSizeLessThanOrEqualTo(23).allMatch(line -> line.length() <= 60);
        assertThat(lines.get(0)).startsWith("1 web-1 com.example.Server since ");
        assertThat(String.join("\n", lines)).contains("PATH", "REMOTE", "127.0.0.1:20001", "OUT");
        long shown = lines.stream().filter(line -> line.contains("127.0.0.1:2")).count();
        assertThat(shown).isPositive();
        assertThat(lines.get(lines.size() - 1)).isEqualTo("  and " + (100 - shown) + " more");
    }

    @Test
    void twoProcessesOfOneNumberAreToldApartHoweverFewTheRows() {
        for (int rows = 1; rows < 60; rows++) {
            List<String> lines = new StatsScreen(60, rows).lines(List.of(seen("web-1", 5), seen("web-2", 50)));
            assertThat(lines).hasSizeBetween(1, rows);
            if (rows == 1) {
                assertThat(lines).containsExactly("and 2 more processes");
            } else {
                assertThat(lines)
                        .anyMatch(line -> line.startsWith("1 web-1 "))
                        .anyMatch(line -> line.startsWith("1 web-2 "));
            }
        }
    }

    @Test
    void aWindowGoesThroughAllAndRepeatsWhatIsAboveARow() {
        List<Seen> processes = List.of(seen("web-1", 40), seen("web-2", 40));
        StatsScreen screen = new StatsScreen(60, 12);
        int height = screen.height(processes);
        List<String> whole = new StatsScreen(60, StatsScreen.UNLIMITED).lines(processes);
        assertThat(height).isEqualTo(whole.size()).isGreaterThan(80);
        for (int top = 0; top < height; top++) {
            List<String> window = screen.window(processes, top);
            int from = Math.min(top, height - 12);
            assertThat(window).hasSize(12);
            if (isRow(whole.get(from))) {
                assertThat(window.get(0)).startsWith(from < height / 2 ? "1 web-1 " : "1 web-2 ");
                assertThat(window.get(1)).contains("PATH", "REMOTE");
                assertThat(window.subList(2, 12)).isEqualTo(whole.subList(from + 2, from + 12));
            } else {
                assertThat(window).isEqualTo(whole.subList(from, from + 12));
            }
        }
        assertThat(screen.window(processes, 1_000_000)).isEqualTo(screen.window(processes, height - 12));
    }

    private static boolean isRow(String line) {
        return line.contains("127.0.0.1:2");
    }

    @Test
    void aWindowUponLittleIsAllOfIt() {
        List<Seen> processes = List.of(seen("web-1", 1));
        assertThat(new StatsScreen(100, 50).window(processes, 3))
                .isEqualTo(new StatsScreen(100, StatsScreen.UNLIMITED).lines(processes));
        assertThat(new StatsScreen(100, 0).window(processes, 0)).isEmpty();
    }

    @Test
    void withoutLimitsNothingIsLeftOut() {
        List<String> lines =
                new StatsScreen(StatsScreen.UNLIMITED, StatsScreen.UNLIMITED).lines(List.of(seen("web-1", 100)));
        assertThat(lines)
                .filteredOn(line -> line.contains("established"))
                .hasSize(100)
                .first()
                .asString()
                .contains("client", "127.0.0.1:10001", "127.0.0.1:20001");
    }

    @Test
    void anotherUsersTextControlsNoTerminal() {
        assertThat(new StatsScreen(100, 10)
                        .lines(List.of(seen("\033[2J\u009b1m", 1)))
                        .get(0))
                .startsWith("1 ?[2J?1m com");
        assertThat(StatsJson.of(List.of(seen("\u009b1m", 1)))).contains("\"host\":\"\\u009b1m\"", "\"user\":\"");
    }

    @Test
    void connectionsComeInTheOrderThatWasAskedFor() {
        ProcessSample sample = seen("web-1", 3).sample();
        assertThat(ids(ConnectionOrder.AGE.sort(sample, null))).containsExactly(1L, 2L, 3L);
        assertThat(ids(ConnectionOrder.BYTES.sort(sample, null))).containsExactly(3L, 2L, 1L);
        // The same since the last look; the second connection is new.
        ProcessSample earlier = sample.with(
                List.of(sample.connections().get(0), sample.connections().get(2)));
        assertThat(ids(ConnectionOrder.RATE.sort(sample, earlier))).containsExactly(2L, 1L, 3L);
    }

    @Test
    void aCrowdedProcessSaysHowLongItWasKeptWaiting() {
        assertThat(new StatsScreen(StatsScreen.UNLIMITED, StatsScreen.UNLIMITED)
                        .lines(List.of(seen(
                                "web-1",
                                0,
                                Map.of("wait.delays", 7L, "wait.delay.nanos", 42_000_000L, "wait.crowded", 3L)))))
                .anyMatch(line ->
                        line.startsWith("  kept waiting for a core 7 times for 42.0 ms, found cores crowded 3 times;"));
        assertThat(new StatsScreen(StatsScreen.UNLIMITED, StatsScreen.UNLIMITED).lines(List.of(seen("web-1", 0))))
                .noneMatch(line -> line.contains("kept waiting"));
    }

    @Test
    void lostDatagramsHaveAColumnIfThereAreAny() {
        ProcessSample sample = seen("web-1", 3).sample();
        assertThat(ConnectionTable.lines(sample, 160, 10).get(0)).doesNotContain("LOST");
        sample.connections().get(1).figures().add(Figure.LOST_IN, 711);
        List<String> lines = ConnectionTable.lines(sample, 160, 10);
        assertThat(lines.get(0)).contains("  LOST");
        assertThat(lines.get(2)).contains("  711");
        assertThat(lines.get(3)).doesNotContain("  711");
    }

    private static List<Long> ids(ProcessSample sample) {
        return sample.connections().stream().map(ConnectionSample::id).toList();
    }

    private static Seen seen(String host, int connections) {
        return seen(host, connections, Map.of());
    }

    private static Seen seen(String host, int connections, Map<String, Long> figures) {
        List<ConnectionSample> all = IntStream.rangeClosed(1, connections)
                .mapToObj(i -> new ConnectionSample(
                        i,
                        "client",
                        "shm",
                        "",
                        "",
                        "established",
                        "127.0.0.1:" + (10_000 + i),
                        "127.0.0.1:" + (20_000 + i),
                        0,
                        0,
                        0,
                        0,
                        new Figures().add(Figure.BYTES_IN, i)))
                .toList();
        return new Seen(
                System.getProperty("user.name"),
                new ProcessSample(1, host, "com.example.Server", "balanced", 1, 9, 2, figures, all, 0));
    }
}
