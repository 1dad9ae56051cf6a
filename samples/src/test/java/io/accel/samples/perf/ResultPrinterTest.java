package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultPrinterTest {
    private static Row row(String benchCase, String path, double micros) {
        return new Row(benchCase, path, "latency", new Figures(micros, 0, 0, 0, 0, 0, 0), Latencies.NONE, 1, 1);
    }

    @Test
    void saysWhatAThousandConnectionsCostOnEachPathThatWasMeasured() {
        Result result = new Result(
                List.of(row("idle-1", "kernel", 20), row("idle-1000", "kernel", 30), row("idle-1", "shm", 0.5)),
                List.of());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultPrinter.print(result, new Cores("0,1", "2,3"), new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8).lines().skip(4))
                .containsExactly(
                        "With 1,000 connections open, a round trip over kernel took 1.50x as long as with one.",
                        "Each end ran on processors of its own: the server on 0,1, the client on 2,3.");
    }
}
