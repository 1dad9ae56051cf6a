// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.gson.JsonParser;
import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.ProcessSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Root looks at a process that says anything about itself: the output fits the terminal, does not control it, and is one JSON document.
 */
class StatsScreenFuzzTest {
    private static final List<String> NAMES = List.of(
            "bytes.in.shm", "fallbacks.RULE", "drops.datagram", "wait.delays", "wait.delay.nanos", "poll.turns");

    @FuzzTest
    void screen(FuzzedDataProvider data) {
        int width = data.consumeInt(20, 150);
        int rows = data.consumeInt(1, 40);
        Seen seen = new Seen(data.consumeString(10), sample(data));
        List<String> lines = new StatsScreen(width, rows).lines(List.of(seen));
        assertThat(lines).hasSizeBetween(1, rows);
        for (String line : lines) {
            assertThat(line.length()).isLessThanOrEqualTo(width);
            assertThat(line.codePoints().noneMatch(Character::isISOControl)).isTrue();
        }
        assertThat(JsonParser.parseString(StatsJson.of(List.of(seen))).isJsonNull())
                .isFalse();
    }

    private static ProcessSample sample(FuzzedDataProvider data) {
        Map<String, Long> figures = new TreeMap<>();
        for (int i = data.consumeInt(0, 3); i > 0; i--) {
            figures.put(data.consumeBoolean() ? data.pickValue(NAMES) : data.consumeString(20), data.consumeLong());
        }
        long pid = data.consumeLong();
        String host = data.consumeString(20);
        String command = data.consumeString(40);
        String profile = data.consumeString(20);
        long started = data.consumeLong();
        long taken = data.consumeLong();
        List<ConnectionSample> connections = new ArrayList<>();
        for (int i = data.consumeInt(0, 3); i > 0; i--) {
            connections.add(connection(data));
        }
        return new ProcessSample(
                pid, host, command, profile, started, taken, 0, figures, connections, data.consumeInt());
    }

    private static ConnectionSample connection(FuzzedDataProvider data) {
        Figures figures = new Figures();
        for (Figure figure : Figure.values()) {
            figures.add(figure, data.consumeLong());
        }
        return new ConnectionSample(
                data.consumeLong(),
                data.consumeString(10),
                data.consumeBoolean() ? "kernel" : data.consumeString(10),
                data.consumeString(30),
                data.consumeString(30),
                data.consumeString(10),
                data.consumeString(30),
                data.consumeString(30),
                data.consumeLong(),
                data.consumeLong(),
                data.consumeLong(),
                data.consumeLong(),
                figures);
    }
}
