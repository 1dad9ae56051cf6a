// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.accel.samples.cli.PerfMain;
import io.accel.samples.it.harness.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One round of {@code accel perf compare --young}, without Accel and with it. */
@Timeout(180)
class YoungIT {
    @TempDir
    private Path directory;

    @Test
    void youngProgramsAreComparedWithThemselvesWithoutAccel() throws Exception {
        Path json = directory.resolve("rows.json");
        int status = PerfMain.execute(
                "perf",
                "compare",
                "--young",
                "--only",
                "young-pairs",
                "--profiles",
                "balanced",
                "--rounds",
                "1",
                "--json",
                json.toString(),
                "--accel-jar",
                Launch.dropInJar().toString());
        String said = Files.readString(json);
        JsonArray rows = JsonParser.parseString(said).getAsJsonArray();
        assertThat(rows).as(said).hasSize(2);
        assertThat(status).as(said).isZero();
        JsonObject stock = rows.get(0).getAsJsonObject();
        JsonObject accel = rows.get(1).getAsJsonObject();
        assertThat(stock.get("profile").getAsString()).isEqualTo("none");
        assertThat(accel.get("profile").getAsString()).isEqualTo("balanced");
        assertThat(by4s(stock)).isNotNegative(); // a busy machine can take longer to begin
        assertThat(by4s(accel)).isNotNegative();
        assertThat(accel.get("must").getAsDouble()).isEqualTo(0.95);
        assertThat(accel.get("classes").getAsDouble())
                .as("Accel has classes")
                .isGreaterThan(stock.get("classes").getAsDouble());
    }

    private static double by4s(JsonObject row) {
        return row.get("done").getAsJsonArray().get(3).getAsDouble();
    }
}
