// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.accel.samples.cli.PerfMain;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Short real runs: the tests do not assert the figures, but that they belong together. */
@Timeout(240)
class ComparisonTest {
    @TempDir
    private Path directory;

    @Test
    void roundTripsOverTheKernelAreMeasured() throws Exception {
        Row row = ShortComparison.of(BenchCase.PINGPONG)
                .row(BenchCase.PINGPONG, Variant.KERNEL)
                .orElseThrow();
        Figures figures = row.figures();
        assertThat(figures.p50Micros()).isBetween(0.5, 1e6);
        assertThat(figures.p99Micros()).isGreaterThanOrEqualTo(figures.p50Micros());
        assertThat(figures.p999Micros()).isGreaterThanOrEqualTo(figures.p99Micros());
        assertThat(figures.bytesPerSecond()).isEqualTo(64 * figures.messagesPerSecond());
        assertThat(figures.allocatedPerOp()).isPositive(); // the JDK's selector allocates
        assertThat(figures.cpuMicrosPerOp()).isPositive();
        assertThat(row.profile()).isEqualTo("none");
        assertThat(row.vsKernel().worst()).isEqualTo(1);
        assertThat(row.conditions().runDelay()).isNotNegative();
        assertThat(row.conditions().compiler()).isNotNegative();
        assertThat(row.conditions().others()).isNotNegative();
        assertThat(row.conditions().load()).isNotNegative();
        assertThat(row.conditions().warmUpSeconds()).isPositive();
    }

    @Test
    void bytesThatGoByTheKernelAreSeenThere() throws Exception {
        JvmCommand jvm = ShortComparison.withoutAccel();
        Duration time = Duration.ofMillis(300);
        for (BenchCase benchCase : EnumSet.of(BenchCase.PINGPONG, BenchCase.STREAM_64K, BenchCase.IDLE_CPU)) {
            try (BenchSession session = BenchSession.open(jvm, benchCase, Variant.KERNEL, time)) {
                assertThat(session.measure(time).wentByKernel())
                        .as(benchCase.label)
                        .isTrue();
            }
        }
    }

    @Test
    void aMissingJarFailsTheAcceleratedPathOnlyAndIsNamed() throws Exception {
        Result result = ShortComparison.of(BenchCase.PINGPONG);
        assertThat(result.row(BenchCase.PINGPONG, Variant.ACCELERATED)).isEmpty();
        assertThat(result.failures())
                .singleElement()
                .asString()
                .startsWith("pingpong-64 over shm: ")
                .contains("no-such.jar");
    }

    @Test
    void theCommandWritesItsRowsAndReportsFailuresByItsStatus() throws Exception {
        Path json = directory.resolve("rows.json");
        Path html = directory.resolve("page.html");
        Path markdown = directory.resolve("page.md");
        int status = PerfMain.execute(
                "perf",
                "compare",
                "--only",
                "pingpong-64,raw",
                "--seconds",
                "1",
                "--json",
                json.toString(),
                "--html",
                html.toString(),
                "--markdown",
                markdown.toString(),
                "--accel-jar",
                directory.resolve("no-such.jar").toString());
        assertThat(status).isEqualTo(1);
        JsonArray rows = JsonParser.parseString(Files.readString(json)).getAsJsonArray();
        assertThat(rows).hasSize(4);
        assertThat(rows.get(3).getAsJsonObject().get("failed").getAsString()).contains("no-such.jar");
        assertThat(Files.readString(markdown))
                .contains("| pingpong-64 | kernel | none |", "Failed: pingpong-64 over shm: ");
        JsonObject pingPong = rows.get(2).getAsJsonObject();
        assertThat(pingPong.get("case").getAsString()).isEqualTo("pingpong-64");
        assertThat(pingPong.get("p50_us").getAsDouble()).isPositive();
        assertThat(Files.readString(html))
                .contains("data-path=\"raw\" data-value=\"", "data-path=\"kernel\" data-points=\"50:")
                .contains("data-path=\"memcpy\" data-value=\"", "no-such.jar", "; rounds: 1.")
                .doesNotContain("http:", "https:", "NaN", "{latency}", "{table}");
    }

    @Test
    void youngProgramsAreMeasuredFromTheirStartOn() throws Exception {
        Path json = directory.resolve("young.json");
        int status = PerfMain.execute(
                "perf",
                "compare",
                "--young",
                "--only",
                "young-selector",
                "--profiles",
                "off",
                "--rounds",
                "1",
                "--json",
                json.toString(),
                "--accel-jar",
                directory.resolve("no-such.jar").toString());
        assertThat(status).isEqualTo(1);
        JsonArray rows = JsonParser.parseString(Files.readString(json)).getAsJsonArray();
        assertThat(rows).hasSize(2);
        assertThat(rows.get(1).getAsJsonObject().get("failed").getAsString()).contains("no-such.jar");
        JsonObject stock = rows.get(0).getAsJsonObject();
        assertThat(stock.get("path").getAsString()).isEqualTo("kernel");
        List<Double> done = doubles(stock.get("done").getAsJsonArray());
        assertThat(done).hasSize(4).isSorted();
        JsonArray slices = stock.get("rounds")
                .getAsJsonArray()
                .get(0)
                .getAsJsonObject()
                .get("done_each_250_ms")
                .getAsJsonArray();
        assertThat(doubles(slices)).hasSize(16).isSorted().endsWith(done.get(3));
        assertThat(doubles(stock.get("done_by_ms").getAsJsonArray())).containsExactly(500.0, 1000.0, 2000.0, 4000.0);
        assertThat(stock.get("vs_kernel_done").getAsJsonArray()).hasSize(4);
        assertThat(stock.get("cpu_s").getAsDouble()).isPositive();
        assertThat(stock.get("classes").getAsDouble()).as("of both").isGreaterThan(800);
        assertThat(stock.get("methods").getAsDouble()).isPositive();
        assertThat(stock.get("bytecode").getAsDouble()).isPositive();
    }

    private static List<Double> doubles(JsonArray array) {
        return array.asList().stream().map(JsonElement::getAsDouble).toList();
    }

    @Test
    void anUnknownCaseIsAUsageErrorThatListsTheCases() {
        assertThat(PerfMain.execute("perf", "compare", "--only", "pingpong-65")).isEqualTo(2);
        assertThat(catchThrowable(() -> BenchCase.named("pingpong-65", BenchCase.OF_BENCHES)))
                .hasMessageContaining("pingpong-64, pingpong-64-blocking");
    }

    @Test
    void aMistakeIsSaidInOneLineThatNamesTheHelp() {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            System.setErr(err);
            assertThat(PerfMain.execute("perf", "compare", "--seconds", "0")).isEqualTo(2);
            assertThat(PerfMain.execute("soak", "--for-ever")).isEqualTo(2);
            assertThat(PerfMain.execute("perf", "compare", "--young", "--fabric", "rdma"))
                    .isEqualTo(2);
            assertThat(PerfMain.execute("perf", "compare", "--young", "--profiles", "of"))
                    .isEqualTo(2);
            assertThat(PerfMain.execute("perf", "compare", "--profiles", "off")).isEqualTo(2);
            assertThat(PerfMain.execute("perf", "compare", "--young", "--rounds", "0"))
                    .isEqualTo(2);
            for (String option : List.of("--html", "--json", "--markdown")) {
                assertThat(PerfMain.execute("perf", "compare", option, "/no/such/file"))
                        .isEqualTo(2);
            }
        } finally {
            System.setErr(before);
        }
        String why = " cannot be written: there is no such directory; see accel perf compare --help";
        assertThat(said.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "accel perf compare: --seconds must be at least 1, not 0; see accel perf compare --help",
                        "accel soak: Unknown option: '--for-ever'; see accel soak --help",
                        "accel perf compare: --young is for --fabric shm alone; see accel perf compare --help",
                        "accel perf compare: --profiles: 'of' is not one of latency, balanced, throughput, low-cpu, off, or there"
                                + " twice; see accel perf compare --help",
                        "accel perf compare: --profiles is for --young alone; see accel perf compare --help",
                        "accel perf compare: --rounds must be at least 1, not 0; see accel perf compare --help",
                        "accel perf compare: --html: /no/such/file" + why,
                        "accel perf compare: --json: /no/such/file" + why,
                        "accel perf compare: --markdown: /no/such/file" + why);
    }

    @Test
    void aCaseOfAnotherFabricIsAUsageError() {
        assertThat(PerfMain.execute("perf", "compare", "--only", "rdma-stream-64k"))
                .isEqualTo(2);
        assertThat(PerfMain.execute("perf", "compare", "--fabric", "rdma", "--only", "stream-64k"))
                .isEqualTo(2);
        assertThat(PerfMain.execute("perf", "compare", "--young", "--only", "stream-64k"))
                .isEqualTo(2);
        assertThat(PerfMain.execute("perf", "compare", "--only", "young-*")).isEqualTo(2);
    }
}
