package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.accel.samples.SamplesMain;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real runs, short ones: what the figures are is not asserted, but that they belong together is. */
@Timeout(120)
class ComparisonTest {
    @TempDir
    private Path directory;

    private Result run(BenchCase... cases) throws InterruptedException {
        EnumSet<BenchCase> set = EnumSet.noneOf(BenchCase.class);
        set.addAll(List.of(cases));
        JvmCommand jvm = new JvmCommand(directory.resolve("no-such.jar"), Cores.ANY);
        return new Comparison(jvm, Duration.ofMillis(300), Duration.ofMillis(400), 1, System.err).run(set);
    }

    @Test
    void roundTripsOverTheKernelAreMeasured() throws Exception {
        Row row =
                run(BenchCase.PINGPONG).row(BenchCase.PINGPONG, Variant.KERNEL).orElseThrow();
        Figures figures = row.figures();
        assertThat(figures.p50Micros()).isBetween(0.5, 1e6);
        assertThat(figures.p99Micros()).isGreaterThanOrEqualTo(figures.p50Micros());
        assertThat(figures.p999Micros()).isGreaterThanOrEqualTo(figures.p99Micros());
        assertThat(figures.bytesPerSecond()).isEqualTo(64 * figures.messagesPerSecond());
        assertThat(figures.allocatedPerOp()).isPositive(); // the JDK's selector allocates
        assertThat(figures.cpuMicrosPerOp()).isPositive();
        assertThat(row.profile()).isEqualTo("none");
        assertThat(row.vsKernel()).isEqualTo(1);
        assertThat(row.vsRaw()).isPositive();
    }

    @Test
    void everyOtherProgramRunsOverTheKernel() throws Exception {
        Result result = run(
                BenchCase.RAW,
                BenchCase.MEMCPY,
                BenchCase.PINGPONG_BLOCKING,
                BenchCase.STREAM_64K,
                BenchCase.STREAM_64,
                BenchCase.IDLE_1000,
                BenchCase.IDLE_CPU);
        assertThat(result.rows()).hasSize(7);
        assertThat(result.rows().subList(2, 7)).allMatch(row -> row.path().equals("kernel"));
        assertThat(result.row(BenchCase.STREAM_64K, Variant.KERNEL)
                        .orElseThrow()
                        .vsRaw())
                .isPositive();
        assertThat(result.row(BenchCase.IDLE_CPU, Variant.KERNEL)
                        .orElseThrow()
                        .figures()
                        .cpuMicrosPerOp())
                .isBetween(1.0, 200_000.0);
    }

    @Test
    void bytesThatGoByTheKernelAreSeenThere() throws Exception {
        JvmCommand jvm = new JvmCommand(directory.resolve("no-such.jar"), Cores.ANY);
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
        Result result = run(BenchCase.PINGPONG);
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
        int status = SamplesMain.execute(
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
                "--accel-jar",
                directory.resolve("no-such.jar").toString());
        assertThat(status).isEqualTo(1);
        JsonArray rows = JsonParser.parseString(Files.readString(json)).getAsJsonArray();
        assertThat(rows).hasSize(3);
        JsonObject pingPong = rows.get(2).getAsJsonObject();
        assertThat(pingPong.get("case").getAsString()).isEqualTo("pingpong-64");
        assertThat(pingPong.get("p50_us").getAsDouble()).isPositive();
        assertThat(Files.readString(html))
                .contains("data-path=\"raw\" data-value=\"", "data-path=\"kernel\" data-points=\"50:")
                .contains("data-path=\"memcpy\" data-value=\"", "no-such.jar", "; rounds: 1.")
                .doesNotContain("http:", "https:", "NaN", "{latency}", "{table}");
    }

    @Test
    void anUnknownCaseIsAUsageErrorThatListsTheCases() {
        assertThat(SamplesMain.execute("perf", "compare", "--only", "pingpong-65"))
                .isEqualTo(2);
        assertThat(catchThrowable(() -> BenchCase.named("pingpong-65")))
                .hasMessageContaining("pingpong-64, pingpong-64-blocking");
    }

    @Test
    void aCaseOfAnotherFabricIsAUsageError() {
        assertThat(SamplesMain.execute("perf", "compare", "--only", "rdma-stream-64k"))
                .isEqualTo(2);
        assertThat(SamplesMain.execute("perf", "compare", "--fabric", "rdma", "--only", "stream-64k"))
                .isEqualTo(2);
    }
}
