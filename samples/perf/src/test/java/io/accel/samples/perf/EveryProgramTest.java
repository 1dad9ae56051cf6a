// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each kind of bench program runs, for a moment and through the kernel. Apart from {@link ComparisonTest} so that both run at a time. */
@Timeout(240)
class EveryProgramTest {
    @Test
    void everyOtherProgramRunsOverTheKernel() throws Exception {
        Result result = ShortComparison.of(
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
        Result result = ShortComparison.of(
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

    /** Not every machine allows ten thousand descriptors. */
    @Test
    void whatAnIdleConnectionTakesIsMeasured() throws Exception {
        long most = Files.readAllLines(Path.of("/proc/self/limits")).stream()
                .filter(line -> line.startsWith("Max open files"))
                .mapToLong(line -> Long.parseLong(line.trim().split(" +", -1)[4]))
                .findFirst()
                .orElseThrow();
        assumeThat(most).as("descriptors that a process may have").isGreaterThan(11_000);
        Extra extra = ShortComparison.of(BenchCase.IDLE_10000)
                .row(BenchCase.IDLE_10000, Variant.KERNEL)
                .orElseThrow()
                .figures()
                .extra();
        assertThat(extra.connectionDescriptors()).isBetween(1.9, 2.1);
        // Objects of two JVMs; other uses of the system's shared memory add to it, or take from it.
        assertThat(extra.connectionBytes()).isBetween(-1e6, 1e6).isNotZero();
    }

    @Test
    void aCaseThatIsStuckFailsWithItsReasonAndTheOthersGoOn() throws Exception {
        JvmCommand jvm = ShortComparison.withoutAccel();
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
}
