// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonPrinterTest {
    private static final double NONE = Double.NaN;

    @Test
    void everyFigureComesBackUnderItsKey() {
        Figures figures = new Figures(0.48, 1.25, 13.167, 2_083_333.4, 1.0098e10, 0, 4.69395);
        JsonObject row = parse(new Row(
                "pingpong-64",
                "shm",
                "latency",
                List.of(figures),
                Latencies.NONE,
                new Verdict(31.5, 32.5, 33.5, 34.5),
                3.9));

        assertThat(row.keySet())
                .containsExactly(
                        "case",
                        "path",
                        "profile",
                        "p50_us",
                        "p99_us",
                        "p999_us",
                        "msgs_per_s",
                        "bytes_per_s",
                        "alloc_per_op",
                        "cpu_us_per_op",
                        "vs_kernel",
                        "vs_kernel_p50",
                        "vs_kernel_p99",
                        "vs_kernel_rate",
                        "vs_kernel_cpu",
                        "slower",
                        "words",
                        "vs_raw",
                        "bimodal",
                        "rounds",
                        "run_delay",
                        "compiler",
                        "others",
                        "steal",
                        "load",
                        "warm_up_s",
                        "warm");
        assertThat(row.get("case").getAsString()).isEqualTo("pingpong-64");
        assertThat(row.get("path").getAsString()).isEqualTo("shm");
        assertThat(row.get("profile").getAsString()).isEqualTo("latency");
        assertThat(row.get("p50_us").getAsDouble()).isEqualTo(0.48);
        assertThat(row.get("p99_us").getAsDouble()).isEqualTo(1.25);
        assertThat(row.get("p999_us").getAsDouble()).isEqualTo(13.167);
        assertThat(row.get("msgs_per_s").getAsDouble()).isEqualTo(2_083_330);
        assertThat(row.get("bytes_per_s").getAsDouble()).isEqualTo(1.0098e10);
        assertThat(row.get("alloc_per_op").getAsDouble()).isZero();
        assertThat(row.get("cpu_us_per_op").getAsDouble()).isEqualTo(4.69395);
        assertThat(row.get("vs_kernel").getAsDouble()).isEqualTo(31.5);
        assertThat(row.get("vs_kernel_cpu").getAsDouble()).isEqualTo(34.5);
        assertThat(row.get("slower").getAsBoolean()).isFalse();
        assertThat(row.get("vs_raw").getAsDouble()).isEqualTo(3.9);
        assertThat(row.get("rounds").getAsJsonArray()).hasSize(1);
    }

    @Test
    void whatElseWentOnIsInEachRow() {
        Figures slow = new Figures(30, 40, 50, 100, 6400, 0, 5);
        Figures quick = new Figures(3, 4, 5, 1000, 64000, 0, 5);
        JsonObject row = parse(new Row(
                "crowded-hog",
                "shm",
                "balanced",
                "",
                List.of(quick, slow),
                Latencies.NONE,
                new Verdict(0.5, 0.25, 0.5, 1),
                NONE,
                NONE,
                "both ends and a busy loop on processor 0",
                new Conditions(1.5, 0.25, 0.75, 0.125, 3.5, 9.5, false),
                CpuBreakdown.NONE));

        assertThat(row.get("bimodal").getAsBoolean()).isTrue();
        assertThat(row.get("slower").getAsBoolean()).isTrue();
        assertThat(row.get("p50_us").getAsDouble()).as("the worst round's").isEqualTo(30);
        assertThat(row.get("rounds")
                        .getAsJsonArray()
                        .get(0)
                        .getAsJsonObject()
                        .get("p99_us")
                        .getAsDouble())
                .isEqualTo(4);
        assertThat(row.get("words").getAsString()).startsWith("bimodal (100 to 1.00k/s); slower: p50 2.00x as long");
        assertThat(row.get("crowd").getAsString()).contains("busy loop");
        assertThat(row.get("run_delay").getAsDouble()).isEqualTo(1.5);
        assertThat(row.get("compiler").getAsDouble()).isEqualTo(0.25);
        assertThat(row.get("others").getAsDouble()).isEqualTo(0.75);
        assertThat(row.get("steal").getAsDouble()).isEqualTo(0.125);
        assertThat(row.get("load").getAsDouble()).isEqualTo(3.5);
        assertThat(row.get("warm_up_s").getAsDouble()).isEqualTo(9.5);
        assertThat(row.get("warm").getAsBoolean()).isFalse();
    }

    @Test
    void whatOnlySomeCasesMeasureIsThereInThoseAlone() {
        double none = NONE;
        Extra extra = new Extra(528_000, 4, none, none, none);
        Figures figures = new Figures(1, 2, 3, 4, 5, 6, 7, none, extra);
        JsonObject row =
                parse(new Row("idle-10000", "shm", "latency", List.of(figures), Latencies.NONE, Verdict.NONE, none));
        assertThat(row.get("connection_bytes").getAsDouble()).isEqualTo(528_000);
        assertThat(row.get("connection_descriptors").getAsDouble()).isEqualTo(4);
        assertThat(row.has("balance")).isFalse();
    }

    @Test
    void whatFailedIsThereWithItsReason() {
        Failure failure = new Failure("exchange-1m", "shm", "stuck: \"both\" ends write");
        JsonObject failed = JsonParser.parseString(JsonPrinter.print(new Result(List.of(), List.of(failure))))
                .getAsJsonArray()
                .get(0)
                .getAsJsonObject();
        assertThat(failed.keySet()).containsExactly("case", "path", "failed");
        assertThat(failed.get("failed").getAsString()).isEqualTo("stuck: \"both\" ends write");
    }

    @Test
    void whatThereIsNotIsNull() {
        JsonObject row = parse(new Row(
                "raw",
                "memcpy",
                "none",
                List.of(Figures.unknown()),
                Latencies.NONE,
                Verdict.NONE,
                Double.POSITIVE_INFINITY));

        assertThat(row.get("p50_us").isJsonNull()).isTrue();
        assertThat(row.get("vs_kernel").isJsonNull()).isTrue();
        assertThat(row.get("vs_raw").isJsonNull()).isTrue();
    }

    @Test
    void aDevicesRowSaysWhatItWasMeasuredOn() {
        JsonObject row = parse(new Row(
                "rdma-stream-64k",
                "rdma",
                "any",
                "Soft-RoCE",
                List.of(Figures.unknown()),
                Latencies.NONE,
                Verdict.NONE,
                0.95,
                NONE,
                "",
                Conditions.UNKNOWN,
                CpuBreakdown.NONE));

        assertThat(row.get("on").getAsString()).isEqualTo("Soft-RoCE");
        assertThat(row.get("vs_rstream").getAsDouble()).isEqualTo(0.95);
    }

    @Test
    void textIsEscaped() {
        String nasty = "a \"quoted\" \\ path\n\twith \u0001 and \u00fc";
        assertThat(parse(new Row(nasty, "", "", List.of(), Latencies.NONE, Verdict.NONE, NONE))
                        .get("case")
                        .getAsString())
                .isEqualTo(nasty);
    }

    @Test
    void rowsAreAnArrayAndNoneAnEmptyOne() {
        Row row = new Row("raw", "raw", "none", List.of(), Latencies.NONE, Verdict.NONE, NONE);
        assertThat(array(List.of(row, row, row))).hasSize(3);
        assertThat(array(List.of())).isEmpty();
    }

    private static JsonObject parse(Row row) {
        return array(List.of(row)).get(0).getAsJsonObject();
    }

    private static JsonArray array(List<Row> rows) {
        return JsonParser.parseString(JsonPrinter.print(new Result(rows, List.of())))
                .getAsJsonArray();
    }
}
