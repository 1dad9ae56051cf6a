// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.perf.PerfCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * {@code perf apps}, once through, with the largest of the programs, the one that opens {@code java.net.Socket}s, and one whose Netty is
 * relocated and would take epoll.
 */
class AppsIT {
    private static final Pattern ROW = Pattern.compile(
            "\"case\": *\"(?<case>[^\"]*)\".*?\"path\": *\"(?<path>[^\"]*)\".*?\"msgs_per_s\": *(?<rate>[0-9.eE+]+)");

    private static final Pattern LINKED = Pattern.compile("\"linked\": *([0-9.]+)");

    @TempDir
    private Path directory;

    @Test
    @Timeout(280)
    void realProgramsRunOnThePlainJdkAndWithAccel() throws Exception {
        Path json = directory.resolve("rows.json");

        int status = new CommandLine(new PerfCommand())
                .execute(
                        "apps",
                        "derby-lookup",
                        "kafka-record",
                        "grpc-unary",
                        "--rounds",
                        "1",
                        "--seconds",
                        "1",
                        "--warm-up",
                        "5",
                        "--json",
                        json.toString());

        assertThat(status).isZero();
        String rows = Files.readString(json);
        // Kafka's clients open connections, too, that they use once.
        assertThat(LINKED.matcher(rows).results().mapToDouble(result -> Double.parseDouble(result.group(1))))
                .as("parts of the client's connections on a link, of each row with Accel: %s", rows)
                .hasSize(3)
                .allMatch(part -> part > 0);
        Matcher row = ROW.matcher(rows.replace('\n', ' '));
        int found = 0;
        for (; row.find(); found++) {
            assertThat(Double.parseDouble(row.group("rate"))).as(row.group()).isPositive();
        }
        assertThat(found).as("rows: %s", rows).isEqualTo(6);
    }
}
