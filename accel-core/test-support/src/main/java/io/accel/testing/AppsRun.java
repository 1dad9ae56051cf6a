// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Short runs of {@code perf apps}, for each module that has programs for it. */
public final class AppsRun {
    private static final Pattern ROW = Pattern.compile(
            "\"case\": *\"(?<case>[^\"]*)\".*?\"path\": *\"(?<path>[^\"]*)\".*?\"msgs_per_s\": *(?<rate>[0-9.eE+]+)");

    private static final Pattern LINKED = Pattern.compile("\"linked\": *([0-9.]+)");

    private final ToIntFunction<String[]> perf;
    private final Path directory;

    /**
     * Runs that use one command and one directory.
     *
     * @param perf executes {@code perf} with these arguments, and returns its status
     * @param directory for the results
     */
    public AppsRun(ToIntFunction<String[]> perf, Path directory) {
        this.perf = perf;
        this.directory = directory;
    }

    /**
     * Asserts that the program works on the plain JDK and with Accel, and that part of its client's connections is then on a link.
     *
     * @param program as {@code perf apps} calls it
     * @param options of {@code perf apps}
     * @return its rows, as JSON
     * @throws IOException if the rows cannot be read
     */
    public String assertAccelerated(String program, String... options) throws IOException {
        String json = run(program, options);
        // Some clients also open connections that they use once.
        assertThat(LINKED.matcher(json).results().mapToDouble(result -> Double.parseDouble(result.group(1))))
                .as("part of the client's connections on a link, of the row with Accel: %s", json)
                .hasSize(1)
                .allMatch(part -> part > 0);
        assertThat(rows(json)).as("rows: %s", json).isEqualTo(2);
        return json;
    }

    /**
     * Runs the program.
     *
     * @param program as {@code perf apps} calls it
     * @param options of {@code perf apps}
     * @return its rows, as JSON
     * @throws IOException if the rows cannot be read
     */
    public String run(String program, String... options) throws IOException {
        Path json = directory.resolve("rows.json");
        List<String> arguments =
                new ArrayList<>(List.of("apps", program, "--rounds=1", "--seconds=1", "--warm-up=5", "--json=" + json));
        arguments.addAll(List.of(options));
        int status = perf.applyAsInt(arguments.toArray(String[]::new));
        assertThat(status).as("status of perf apps %s", program).isZero();
        return Files.readString(json);
    }

    /**
     * Counts the rows, and asserts that each has a rate.
     *
     * @param json what a run has returned
     * @return how many there are
     */
    public static int rows(String json) {
        Matcher row = ROW.matcher(json.replace('\n', ' '));
        int found = 0;
        for (; row.find(); found++) {
            assertThat(Double.parseDouble(row.group("rate"))).as(row.group()).isPositive();
        }
        return found;
    }
}
