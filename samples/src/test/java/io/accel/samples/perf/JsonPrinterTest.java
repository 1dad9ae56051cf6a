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
        JsonObject row = parse(new Row("pingpong-64", "shm", "latency", figures, Latencies.NONE, 31.5, 3.9));

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
                        "vs_raw");
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
        assertThat(row.get("vs_raw").getAsDouble()).isEqualTo(3.9);
    }

    @Test
    void whatThereIsNotIsNull() {
        JsonObject row = parse(
                new Row("raw", "memcpy", "none", Figures.unknown(), Latencies.NONE, NONE, Double.POSITIVE_INFINITY));

        assertThat(row.get("p50_us").isJsonNull()).isTrue();
        assertThat(row.get("vs_kernel").isJsonNull()).isTrue();
        assertThat(row.get("vs_raw").isJsonNull()).isTrue();
    }

    @Test
    void aDevicesRowSaysWhatItWasMeasuredOn() {
        JsonObject row = parse(new Row(
                "rdma-stream-64k", "rdma", "any", "Soft-RoCE", Figures.unknown(), Latencies.NONE, 1, 0.95, NONE));

        assertThat(row.get("on").getAsString()).isEqualTo("Soft-RoCE");
        assertThat(row.get("vs_rstream").getAsDouble()).isEqualTo(0.95);
    }

    @Test
    void textIsEscaped() {
        String nasty = "a \"quoted\" \\ path\n\twith \u0001 and \u00fc";
        assertThat(parse(new Row(nasty, "", "", Figures.unknown(), Latencies.NONE, NONE, NONE))
                        .get("case")
                        .getAsString())
                .isEqualTo(nasty);
    }

    @Test
    void rowsAreAnArrayAndNoneAnEmptyOne() {
        Row row = new Row("raw", "raw", "none", Figures.unknown(), Latencies.NONE, NONE, NONE);
        assertThat(array(List.of(row, row, row))).hasSize(3);
        assertThat(array(List.of())).isEmpty();
    }

    private static JsonObject parse(Row row) {
        return array(List.of(row)).get(0).getAsJsonObject();
    }

    private static JsonArray array(List<Row> rows) {
        return JsonParser.parseString(JsonPrinter.print(rows)).getAsJsonArray();
    }
}
