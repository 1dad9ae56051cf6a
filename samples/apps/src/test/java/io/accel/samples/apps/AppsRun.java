// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.perf.PerfCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** A short run of {@code perf apps}. */
final class AppsRun {
    static final Path DROP_IN_JAR = Path.of("..", "..", "accel-nio-provider", "target", "accel.jar")
            .toAbsolutePath()
            .normalize();

    private static final Pattern ROW = Pattern.compile(
            "\"case\": *\"(?<case>[^\"]*)\".*?\"path\": *\"(?<path>[^\"]*)\".*?\"msgs_per_s\": *(?<rate>[0-9.eE+]+)");

    private static final Pattern LINKED = Pattern.compile("\"linked\": *([0-9.]+)");

    private AppsRun() {}

    /** Asserts that the program works on the plain JDK and with Accel, and that part of its client's connections is then on a link. */
    static void assertAccelerated(String program, Path directory) throws IOException {
        String rows = run(program, directory);
        // Kafka's clients also open connections that they use once.
        assertThat(LINKED.matcher(rows).results().mapToDouble(result -> Double.parseDouble(result.group(1))))
                .as("part of the client's connections on a link, of the row with Accel: %s", rows)
                .hasSize(1)
                .allMatch(part -> part > 0);
        assertThat(rows(rows)).as("rows: %s", rows).isEqualTo(2);
    }

    /** Runs the program, and returns its rows as JSON. */
    static String run(String program, Path directory, String... options) throws IOException {
        Path json = directory.resolve("rows.json");
        List<String> arguments =
                new ArrayList<>(List.of("apps", program, "--rounds=1", "--seconds=1", "--warm-up=5", "--json=" + json));
        arguments.addAll(List.of(options));
        int status = new CommandLine(new PerfCommand()).execute(arguments.toArray(String[]::new));
        assertThat(status).as("status of perf apps %s", program).isZero();
        return Files.readString(json);
    }

    /** The number of rows; each has a rate. */
    static int rows(String json) {
        Matcher row = ROW.matcher(json.replace('\n', ' '));
        int found = 0;
        for (; row.find(); found++) {
            assertThat(Double.parseDouble(row.group("rate"))).as(row.group()).isPositive();
        }
        return found;
    }
}
