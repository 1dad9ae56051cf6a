// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static io.accel.nio.cli.CommandLineRunner.accel;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.accel.nio.doctor.Finding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DoctorCommandTest {
    @Test
    void linesAndJsonSayTheSameOfThisMachine() {
        CommandLineRunner lines = accel("doctor");
        CommandLineRunner json = accel("doctor", "--json");
        assertThat(json.status()).isEqualTo(lines.status());

        JsonObject report = JsonParser.parseString(json.out()).getAsJsonObject();
        List<String> checks = report.getAsJsonArray("checks").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(check -> check.get("status").getAsString() + " "
                        + check.get("check").getAsString())
                .toList();
        List<String> printed = lines.out()
                .lines()
                .filter(line -> !line.startsWith(" "))
                .map(line -> line.replaceFirst("^(\\S+) +(\\S+) .*", "$1 $2"))
                .toList();
        assertThat(checks).isEqualTo(printed).contains("ok java.jdk", "ok shm.live");
        assertThat(report.get("status").getAsString()).isIn("ok", "warning");
        assertThat(lines.status()).isZero();
    }

    @Test
    void aFailedCheckIsStatusOneAndSaysWhatToDo(@TempDir Path dir) throws Exception {
        Path profile = Files.writeString(dir.resolve("mine.properties"), "shm.dir=" + dir.resolve("nowhere") + "\n");
        CommandLineRunner run = accel("doctor", "--profile", profile.toString());
        assertThat(run.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(run.out()).contains("fail     shm.dir ", " -> mount a tmpfs there");
        JsonObject report = JsonParser.parseString(accel("doctor", "--json", "--profile", profile.toString())
                        .out())
                .getAsJsonObject();
        assertThat(report.get("status").getAsString()).isEqualTo("fail");
    }

    @Test
    void jsonQuotesWhateverIsFound() {
        Finding odd = new Finding("a", Finding.Status.WARNING, "\"quoted\"\\ \u0001\n ü", null);
        JsonObject check = JsonParser.parseString(FindingsJson.print(List.of(odd)))
                .getAsJsonObject()
                .getAsJsonArray("checks")
                .get(0)
                .getAsJsonObject();
        assertThat(check.get("found").getAsString()).isEqualTo(odd.found());
        assertThat(check.get("advice").isJsonNull()).isTrue();
    }
}
