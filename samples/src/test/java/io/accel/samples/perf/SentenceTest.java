package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SentenceTest {
    private static final double NONE = Double.NaN;

    private static Row pingPong(String path, double micros, double vsKernel) {
        return new Row(
                "pingpong-64", path, "any", new Figures(micros, 0, 0, 0, 0, 0, 0), Latencies.NONE, vsKernel, NONE);
    }

    private static Row stream(String path, double bytes, double vsKernel) {
        return new Row(
                "stream-64k",
                path,
                "any",
                new Figures(NONE, NONE, NONE, 0, bytes, 0, 0),
                Latencies.NONE,
                vsKernel,
                NONE);
    }

    @Test
    void saysWhatWasSeen() {
        Result result = new Result(
                List.of(
                        pingPong("kernel", 58, 1),
                        pingPong("shm", 0.5, 116),
                        stream("kernel", 1.6e9, 1),
                        stream("shm", 0.8e9, 0.5)),
                List.of());
        assertThat(Sentence.about(result))
                .isEqualTo("The same unmodified java.nio programs over shared memory instead of the kernel's sockets:"
                        + " a 64-byte round trip took 0.500 us instead of 58.0 us (116x better);"
                        + " 64 KiB writes moved 800 MB/s instead of 1.60 GB/s (0.500x, worse).");
    }

    @Test
    void saysThatNothingWasAccelerated() {
        Result result = new Result(List.of(pingPong("kernel", 58, 1)), List.of("no jar"));
        assertThat(Sentence.about(result))
                .isEqualTo("Nothing was accelerated: over the kernel's sockets a 64-byte round trip took 58.0 us.");
    }
}
