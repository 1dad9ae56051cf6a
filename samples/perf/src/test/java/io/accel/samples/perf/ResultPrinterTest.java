// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultPrinterTest {
    private static Row row(String benchCase, String path, double micros) {
        return row(benchCase, path, micros, "", Conditions.UNKNOWN);
    }

    private static Row row(String benchCase, String path, double micros, String crowd, Conditions conditions) {
        return new Row(
                benchCase,
                path,
                "latency",
                "",
                List.of(new Figures(micros, 0, 0, 0, 0, 0, 0)),
                Latencies.NONE,
                Verdict.NONE,
                Double.NaN,
                1,
                crowd,
                conditions,
                CpuBreakdown.NONE);
    }

    @Test
    void saysWhatAThousandConnectionsCostOnEachPathThatWasMeasured() {
        Result result = new Result(
                List.of(row("idle-1", "kernel", 20), row("idle-1000", "kernel", 30), row("idle-1", "shm", 0.5)),
                List.of());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultPrinter.print(
                result, new Cores("0,1", "2,3").describe(), new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8).lines().skip(4))
                .containsExactly(
                        "With 1,000 connections open, a round trip over kernel took 1.50x as long as with one.",
                        "Each end ran on processors of its own: the server on 0,1, the client on 2,3.");
    }

    @Test
    void saysWhatTwoHundredPeersCostBesideOne() {
        Result result = new Result(
                List.of(row("udp-1-peer", "shm", 2), row("udp-200-peers", "shm", 3), row("udp-200-peers", "kernel", 9)),
                List.of());

        assertThat(ResultPrinter.notes(result))
                .containsExactly("With 200 peers of a server, a round trip over shm took 1.50x as long as with one.");
    }

    @Test
    void saysWhoSharedTheProcessorsAndWhatDisturbedTheFigures() {
        Conditions quiet = new Conditions(0.1, 0, 0.02, 0, 0.5, 1, true);
        Conditions busy = new Conditions(0.1, 0, 1.7, 0.03, 13, 10, false);
        List<String> notes = ResultPrinter.notes(new Result(
                List.of(
                        row("crowded-hog", "kernel", 20, "both ends and a busy loop on processor 0", quiet),
                        row("crowded-hog", "shm", 30, "both ends and a busy loop on processor 0", busy)),
                List.of()));

        assertThat(notes)
                .containsExactly(
                        "crowded-hog: both ends and a busy loop on processor 0.",
                        "The machine was not idle: other programs kept up to 1.70 processors busy, the hypervisor took up"
                                + " to 3.00% of the time, and the load average was up to 13.0.",
                        "1 of 2 rows were measured before the programs were warm: within the time for it the compilers did"
                                + " not come to rest, or no two windows agreed.");
        assertThat(ResultPrinter.notes(new Result(List.of(row("raw", "raw", 1, "", quiet)), List.of())))
                .isEmpty();
    }
}
