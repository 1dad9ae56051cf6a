// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.artemis;

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

/** {@code perf apps artemis-send}, once through. */
@RealProgram(
        name = "ActiveMQ Artemis, broker and core client",
        artifact = "org.apache.artemis:artemis-server",
        how = "messages acknowledged and received one by one",
        onlyWithAll = true)
class ArtemisIT {
    private static final Pattern LINKED = Pattern.compile("\"linked\": *([0-9.]+)");

    @TempDir
    private Path directory;

    @Test
    @Timeout(180)
    void messagesAreAccelerated() throws Exception {
        Path json = directory.resolve("rows.json");

        int status = new CommandLine(new PerfCommand())
                .execute(
                        "apps",
                        "artemis-send",
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
