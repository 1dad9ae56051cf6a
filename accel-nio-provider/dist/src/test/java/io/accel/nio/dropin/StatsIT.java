// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code accel stats} shows the work of two JVMs with an echo between them. */
@Timeout(120)
class StatsIT {
    private static final int ECHOES = 1_000;
    private static final String HOST = host();

    @TempDir
    private Path dir;

    private EchoPair pair;
    private Path shared;
    private Child server;
    private Child client;
    private String port;

    @BeforeEach
    void connect() throws IOException {
        pair = new EchoPair(dir, ECHOES);
        shared = pair.shared;
        server = pair.server;
        client = pair.client;
        port = pair.port;
    }

    @AfterEach
    void end() throws IOException {
        pair.close();
    }

    @Test
    void bothEndsAreSeenWithWhatTheyDid() throws Exception {
        JsonObject atServer = connection(json(server, "--once"), "server");
        JsonObject atClient = connection(json(client, "--once"), "client");
        for (JsonObject end : List.of(atServer, atClient)) {
            assertThat(text(end, "path")).isEqualTo("shm");
            assertThat(text(end, "reason")).isEmpty();
            assertThat(text(end, "state")).isEqualTo("established");
            for (String name : List.of("messages.in", "messages.out")) {
                assertThat(number(end, name)).as(name).isEqualTo(ECHOES);
            }
            // The first may be written before the link is there.
            assertThat(number(end, "publishes")).isBetween(ECHOES - 10L, (long) ECHOES);
            assertThat(number(end, "bytes.in")).isEqualTo(64 * ECHOES);
            assertThat(number(end, "bytes.out")).isEqualTo(64 * ECHOES);
            for (String name : List.of("queued.in", "stalls", "stalled.nanos")) {
                assertThat(number(end, name)).as(name).isZero();
            }
            // The peer has read all, and gives room back a quarter of the ring at a time.
            assertThat(number(end, "queued.out")).isBetween(0L, 64L << 10);
        }
        assertThat(text(atServer, "local")).isEqualTo("127.0.0.1:" + port).isEqualTo(text(atClient, "remote"));
        assertThat(text(atServer, "remote")).isEqualTo(text(atClient, "local"));
        // Some rings are heard together, and some not at all, since the traffic was found before.
        assertThat(number(atServer, "doorbells.in")).isBetween(0L, number(atClient, "doorbells.out"));
    }

    @Test
    void deltasAreWhatHappenedSinceTheLastLook() throws Exception {
        List<String> command = stats("--json", "--deltas", "--interval=0.1", String.valueOf(client.pid()));
        try (Child stats = Child.start(dir, command)) {
            stats.awaitOutput("\n"); // the first look, from the beginning on
            pair.echo(50);
            patiently().until(() -> sumOfLater(stats, "messages.in") >= 50);
            assertThat(sumOfLater(stats, "messages.in")).isEqualTo(50);
            assertThat(sumOfLater(stats, "bytes.out")).isEqualTo(50 * 64);
        }
    }

    private static long sumOfLater(Child stats, String figure) throws IOException {
        String output = stats.output();
        return output.substring(0, output.lastIndexOf('\n'))
                .lines()
                .skip(1)
                .map(line -> connection(only(line), "client"))
                .mapToLong(connection -> number(connection, figure))
                .sum();
    }

    @Test
    void deltasOfOneIntervalAreWhatHappenedInIt() throws Exception {
        JsonObject end = connection(json(client, "--once", "--deltas", "--interval=0.1"), "client");
        assertThat(number(end, "messages.in")).isZero();
    }

    @Test
    void withoutANumberAllOfThemAreShownInTables() throws Exception {
        try (Child stats = Child.start(dir, stats("--once"))) {
            assertThat(stats.status()).as(stats.output()).isZero();
            assertThat(stats.output())
                    .contains(server.pid() + " " + HOST + " " + EchoPeer.class.getName() + " since ")
                    .contains(client.pid() + " " + HOST + " " + EchoPeer.class.getName())
                    .contains("ID  ROLE", "established  127.0.0.1:" + port, "62.5KiB  1.0k  62.5KiB  1.0k")
                    .doesNotContain("\033[");
        }
    }

    @Test
    void aNarrowScreenIsKeptTo() throws Exception {
        try (Child stats = Child.start(dir, stats("--once", "--width=60", "--rows=10", "--sort=rate"))) {
            assertThat(stats.status()).as(stats.output()).isZero();
            assertThat(stats.output().lines().toList())
                    .hasSizeLessThan(10)
                    .allMatch(line -> line.length() <= 60)
                    .anyMatch(line -> line.contains("PATH") && line.contains("OUT"));
        }
    }

    /** On a terminal of its own, which {@code script} makes: 60 columns and 8 rows. */
    @Test
    void keysScrollSortAndQuitAndTheTerminalIsAsItWas() throws Exception {
        String command = stats("--interval=0.2").stream()
                .map(word -> "'" + word + "'")
                .collect(Collectors.joining(" ", "stty rows 8 cols 60; stty -g; ", "; echo status $?; stty -g"));
        List<String> script = List.of("env", "-u", "LINES", "-u", "COLUMNS", "script", "-qec", command, "/dev/null");
        try (Child terminal = Child.start(dir, script)) {
            patiently().until(() -> terminal.output().contains("s: age; d: deltas off; q: quit"));
            assertThat(terminal.output()).contains(" lines; arrows;");
            terminal.send("s");
            patiently().until(() -> terminal.output().contains("s: bytes; "));
            terminal.send("d");
            patiently().until(() -> terminal.output().contains("d: deltas on; "));
            terminal.send("\033[B");
            patiently().until(() -> terminal.output().contains("line 2 of "));
            terminal.send("G");
            patiently().until(() -> terminal.output().matches("(?s).*line [0-9]{2,} of .*"));
            terminal.send("q");
            assertThat(terminal.status()).as(terminal.output()).isZero();
            assertThat(terminal.output()).contains("status 0");
            List<String> modes = terminal.output()
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.matches("[0-9a-f]+(:[0-9a-f]+){10,}"))
                    .toList();
            assertThat(modes).hasSize(2);
            assertThat(modes.get(0)).isEqualTo(modes.get(1));
        }
    }

    @Test
    void itShowsAgainUntilItIsEnded() throws Exception {
        try (Child stats = Child.start(dir, stats("--json", "--interval=0.05"))) {
            patiently().until(() -> stats.output().lines().count() > 5);
            client.close();
            patiently().until(() -> {
                List<String> lines = stats.output().lines().toList();
                return JsonParser.parseString(lines.get(lines.size() - 2))
                                .getAsJsonObject()
                                .getAsJsonArray("processes")
                                .size()
                        == 0; // because the server ends with its client
            });
        }
    }

    @Test
    void aProcessThatIsNotThereIsAnError() throws Exception {
        try (Child stats = Child.start(dir, stats("--once", "1"))) {
            assertThat(stats.status()).isEqualTo(1);
            assertThat(stats.output()).contains("with process id 1 in " + shared);
        }
    }

    @Test
    void nothingIsLeftBehindByAProcessThatEnds() throws Exception {
        json(client, "--once");
        client.closeInput();
        assertThat(client.status()).isZero();
        assertThat(server.status()).isZero();
        assertThat(shared).isEmptyDirectory();
    }

    /** As long as a {@link Child} may take for a line: on a busy machine a JVM starts, and ends, in seconds. */
    private static ConditionFactory patiently() {
        return await().atMost(30, TimeUnit.SECONDS);
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> stats(String... arguments) {
        List<String> all = new ArrayList<>(List.of("stats"));
        all.addAll(List.of(arguments));
        return pair.command(all.toArray(String[]::new));
    }

    private JsonObject json(Child child, String... arguments) throws Exception {
        List<String> command = stats("--json", String.valueOf(child.pid()));
        command.addAll(List.of(arguments));
        try (Child stats = Child.start(dir, command, Map.of())) {
            assertThat(stats.status()).as(stats.output()).isZero();
            return only(stats.output());
        }
    }

    private static JsonObject only(String output) {
        JsonArray processes = JsonParser.parseString(output).getAsJsonObject().getAsJsonArray("processes");
        assertThat(processes).hasSize(1);
        return processes.get(0).getAsJsonObject();
    }

    private static JsonObject connection(JsonObject process, String role) {
        for (JsonElement connection : process.getAsJsonArray("connections")) {
            if (text(connection.getAsJsonObject(), "role").equals(role)) {
                return connection.getAsJsonObject();
            }
        }
        throw new AssertionError("no " + role + " in " + process);
    }

    private static String text(JsonObject object, String name) {
        return object.get(name).getAsString();
    }

    private static long number(JsonObject object, String name) {
        return object.get(name).getAsLong();
    }
}
