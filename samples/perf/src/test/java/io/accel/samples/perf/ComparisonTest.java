// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.JsonArray;
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

/** Real runs, short ones: what the figures are is not asserted, but that they belong together is. */
@Timeout(240)
class ComparisonTest {
    @TempDir
    private Path directory;

    private Result run(BenchCase... cases) throws InterruptedException {
        EnumSet<BenchCase> set = EnumSet.noneOf(BenchCase.class);
        set.addAll(List.of(cases));
        JvmCommand jvm = new JvmCommand(directory.resolve("no-such.jar"), Cores.ANY);
        return new Comparison(jvm, Budget.unlimited(Duration.ofMillis(300)), Duration.ofMillis(400), 1, System.err)
                .run(set);
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
        assertThat(row.vsKernel().worst()).isEqualTo(1);
        assertThat(row.conditions().runDelay()).isNotNegative();
        assertThat(row.conditions().compiler()).isNotNegative();
        assertThat(row.conditions().others()).isNotNegative();
        assertThat(row.conditions().load()).isNotNegative();
        assertThat(row.conditions().warmUpSeconds()).isPositive();
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
        assertThat(result.rows().get(0).vsKernel().words())
                .as("a limit is compared with nothing")
                .isEmpty();
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
    void manyThreadsShortConnectionsAndPeersRunOverTheKernel() throws Exception {
        Result result = run(
                BenchCase.PACED,
                BenchCase.CONNECT_CLOSE,
                BenchCase.CONNECT_ECHO_CLOSE,
                BenchCase.REUSEPORT,
                BenchCase.EXCHANGE,
                BenchCase.DATAGRAM_ONE_PEER,
                BenchCase.DATAGRAM_PEERS,
                BenchCase.BURST,
                BenchCase.FOUR_BY_FOUR,
                BenchCase.HOG);
        assertThat(result.rows().stream().filter(row -> row.profile().equals("none")))
                .hasSize(10)
                .allSatisfy(row -> assertThat(row.figures().p50Micros()).isPositive());
        Figures paced =
                result.row(BenchCase.PACED, Variant.KERNEL).orElseThrow().figures();
        assertThat(paced.messagesPerSecond())
                .as("500 a second on each of eight")
                .isBetween(40.0, 4_400.0);
        assertThat(result.row(BenchCase.REUSEPORT, Variant.KERNEL)
                        .orElseThrow()
                        .figures()
                        .extra()
                        .balance())
                .as("as the kernel spreads them")
                .isBetween(0.2, 1.0);
        assertThat(result.row(BenchCase.DATAGRAM_PEERS, Variant.KERNEL)
                        .orElseThrow()
                        .figures()
                        .lostShare())
                .isBetween(0.0, 0.5);
        assertThat(result.row(BenchCase.HOG, Variant.KERNEL).orElseThrow().crowd())
                .startsWith("both ends and a busy loop on processor ");
    }

    /** Ten thousand descriptors are not to be had everywhere. */
    @Test
    void whatAnIdleConnectionTakesIsMeasured() throws Exception {
        long most = Files.readAllLines(Path.of("/proc/self/limits")).stream()
                .filter(line -> line.startsWith("Max open files"))
                .mapToLong(line -> Long.parseLong(line.trim().split(" +", -1)[4]))
                .findFirst()
                .orElseThrow();
        assumeThat(most).as("descriptors that a process may have").isGreaterThan(11_000);
        Extra extra = run(BenchCase.IDLE_10000)
                .row(BenchCase.IDLE_10000, Variant.KERNEL)
                .orElseThrow()
                .figures()
                .extra();
        assertThat(extra.connectionDescriptors()).isBetween(1.9, 2.1);
        // Objects of two JVMs; whatever else the system does with its shared memory adds to it, or takes from it.
        assertThat(extra.connectionBytes()).isBetween(-1e6, 1e6).isNotZero();
    }

    @Test
    void aCaseThatIsStuckFailsWithItsReasonAndTheOthersGoOn() throws Exception {
        JvmCommand jvm = new JvmCommand(directory.resolve("no-such.jar"), Cores.ANY);
        List<String> command =
                jvm.of(List.of(), List.of(), "Exchange", null, List.of("role=server", "size=" + (64 << 20)));
        Duration soon = Duration.ofSeconds(40);
        // 64 MiB are more than any kernel takes in.
        try (BenchProcess server = new BenchProcess("the server", command)) {
            String port = server.await("ready", soon).get("port");
            List<String> client = jvm.of(
                    List.of(),
                    List.of(),
                    "Exchange",
                    null,
                    List.of("role=client", "size=" + (64 << 20), "port=" + port, "patience_ms=1000", "warmup_ms=100"));
            try (BenchProcess stuck = new BenchProcess("the client", client)) {
                assertThat(catchThrowable(() -> stuck.await("warm", soon)))
                        .hasMessageContaining("exit status 3")
                        .hasMessageContaining(
                                "stuck: both ends write 67,108,864 bytes before they read; after 1000 ms this"
                                        + " one had written ")
                        .hasMessageContaining("and read 0");
            }
        }
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
    void anUnknownCaseIsAUsageErrorThatListsTheCases() {
        assertThat(PerfMain.execute("perf", "compare", "--only", "pingpong-65"))
                .isEqualTo(2);
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
    }
}
