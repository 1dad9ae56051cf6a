// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SentenceTest {
    private static final double NONE = Double.NaN;

    private static Row pingPong(String path, String profile, double micros, Verdict vsKernel) {
        return new Row(
                "pingpong-64",
                path,
                profile,
                List.of(new Figures(micros, 2 * micros, 0, 1e6 / micros, 0, 0, 0)),
                Latencies.NONE,
                vsKernel,
                NONE);
    }

    private static Row stream(String path, String profile, double bytes, Verdict vsKernel) {
        return new Row(
                "stream-64k",
                path,
                profile,
                List.of(new Figures(NONE, NONE, NONE, bytes / 65536, bytes, 0, 0)),
                Latencies.NONE,
                vsKernel,
                NONE);
    }

    private static final Result RESULT = new Result(
            List.of(
                    pingPong("kernel", "none", 58, new Verdict(1, 1, 1, 1)),
                    pingPong("shm", "latency", 0.5, new Verdict(116, 116, 110, 50)),
                    stream("kernel", "none", 1.6e9, new Verdict(NONE, NONE, 1, 1)),
                    stream("shm", "throughput", 0.8e9, new Verdict(NONE, NONE, 0.5, 2))),
            List.of());

    @Test
    void saysWhatWasSeenInEveryCase() {
        assertThat(Sentence.about(RESULT).lines())
                .containsExactly(
                        "The same unmodified programs with Accel: of 2 comparisons 1 better than the kernel's sockets,"
                                + " 1 slower, by the worst of p50, p99, rate and CPU time.",
                        "- 64 B there and back, through a selector (shm, latency): 2.00 M/s, p50 0.500 us, p99 1.00 us"
                                + " instead of 17.2 k/s, p50 58.0 us, p99 116 us: 50.0x better, by the worst figure (CPU"
                                + " time)",
                        "- 64 KiB a write, one way (shm, throughput): 800 MB/s instead of 1.60 GB/s: slower: 0.500x the"
                                + " rate");
    }

    @Test
    void theShortOneHasTheWorstAndTheBest() {
        assertThat(Sentence.brief(RESULT).lines().skip(1))
                .satisfiesExactly(
                        worst ->
                                assertThat(worst).startsWith("- 64 KiB a write").endsWith("slower: 0.500x the rate"),
                        best -> assertThat(best).startsWith("- 64 B there and back"));
    }

    @Test
    void whatCostsMoreCpuTimeIsNotCalledBetter() {
        Result result = new Result(List.of(pingPong("shm", "latency", 5, new Verdict(3, 3, 3, 0.5))), List.of());
        assertThat(Sentence.about(result)).contains(": 1 not slower, but costlier, by the worst");
    }

    @Test
    void saysThatNothingWasAccelerated() {
        Result result = new Result(
                List.of(pingPong("kernel", "none", 58, new Verdict(1, 1, 1, 1))),
                List.of(new Failure("pingpong-64", "shm", "no jar")));
        assertThat(Sentence.about(result))
                .isEqualTo("Nothing was accelerated: over the kernel's sockets a 64-byte round trip took 58.0 us.");
    }
}
