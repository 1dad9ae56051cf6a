// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MarkdownPrinterTest {
    @Test
    void aTableWithWhereAndHowAboveItAndFailuresBelow() {
        Figures figures = new Figures(57.9, 80, 120.4, 17_000, 1.1e6, 104, 4.7);
        Row row = new Row(
                "pingpong-64", "shm", "latency", List.of(figures), Latencies.NONE, new Verdict(0.5, 2, 2, 2), 480);
        String text = MarkdownPrinter.print(
                new Result(List.of(row), List.of(new Failure("exchange-1m", "shm", "stuck\n at <a|b>"))),
                Map.of("Processors", "2 of X"),
                List.of("A note."));

        assertThat(text.lines())
                .containsExactly(
                        "- Processors: 2 of X",
                        "",
                        "A note.",
                        "",
                        "| case | path | profile | p50 us | p99 us | p99.9 us | msg/s | B/s | B/op | CPU us/op | vs kernel |"
                                + " vs raw | in words |",
                        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
                        "| pingpong-64 | shm | latency | 57.9 | 80.0 | 120 | 17.0k | 1.10M | 104 | 4.70 | 0.500x | 480x |"
                                + " slower: p50 2.00x as long |",
                        "",
                        "Failed: exchange-1m over shm: stuck at &lt;a\\|b>");
    }
}
