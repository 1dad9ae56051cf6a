// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.perf.PerfCommand;
import io.accel.testing.RealProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code perf apps cassandra-read}, once through. */
@RealProgram(
        name = "Apache Cassandra and its Java driver",
        artifact = "org.apache.cassandra:cassandra-all",
        how = "rows read by their key",
        onlyWithAll = true)
class CassandraIT {
    private static final Pattern LINKED = Pattern.compile("\"linked\": *([0-9.]+)");

    @TempDir
    private Path directory;

    @Test
    @Timeout(180)
    void readsAreAccelerated() throws Exception {
        Path json = directory.resolve("rows.json");

        int status = new CommandLine(new PerfCommand())
                .execute(
                        "apps",
                        "cassandra-read",
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
        assertThat(LINKED.matcher(rows).results().mapToDouble(result -> Double.parseDouble(result.group(1))))
                .as("part of the client's connections on a link, of the row with Accel: %s", rows)
                .hasSize(1)
                .allMatch(part -> part > 0);
    }
}
