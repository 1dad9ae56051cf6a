// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.core.fabric.PortSpace;
import io.accel.testing.Background;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A small file system for shared memory that fills up while rings grow. A mapped page without memory would end this JVM, so this also
 * tests that.
 */
@Timeout(60)
class FullFileSystemTest {
    private static final int LARGEST = 1 << 20;
    private static final int BYTES = 4_000_000;

    /** Room for one connection with the largest rings beside two with smaller ones, and for no second. */
    private static final String ROOM = "4m";

    private static final Map<String, String> SETTINGS =
            Map.of("fabric.order", "shm", "ring.initial", "64KiB", "ring.size", "1MiB", "handover.idle", "forever");

    @TempDir
    private Path dir;

    private boolean mounted;
    private final AtomicBoolean stop = new AtomicBoolean();
    /** The log's messages about a lack of room. */
    private LogLines log;

    @BeforeEach
    void mount() throws Exception {
        String complaint = run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + ROOM, "tmpfs", dir.toString());
        mounted = complaint.isEmpty();
        assumeTrue(mounted, "needs the right to mount a tmpfs: " + complaint);
        log = new LogLines(line -> line.contains("SHM_FULL"));
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted) {
            log.close();
            assertThat(run("umount", dir.toString())).isEmpty();
        }
    }

    /** Returns its complaint; nothing if there is none. */
    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String complaint = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? "" : command[0] + " failed: " + complaint;
    }

    @Test
    void ringsGrowAsFarAsThereIsRoomAndFurtherWhenThereIsMore() throws Exception {
        try (Lab lab = new Lab("balanced", SETTINGS, profile -> Fabrics.all(profile, PortSpace.TCP), dir)) {
            List<Lab.Pair> pairs = new ArrayList<>();
            List<Background<Integer>> traffic = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Lab.Pair pair = lab.connectOnly();
                pairs.add(pair);
                traffic.add(Background.start(() -> move(lab.accelerator.waits(), pair)));
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> !log.lines().isEmpty());
            await().atMost(Duration.ofSeconds(20)).until(() -> large(pairs) == 1);
            Lab.Pair largest = pairs.stream()
                    .filter(FullFileSystemTest::isLarge)
                    .findFirst()
                    .orElseThrow();
            int which = pairs.indexOf(largest);
            stop.set(true);
            for (Background<Integer> each : traffic) {
                assertThat(each.get(20, TimeUnit.SECONDS))
                        .as("rounds, each with every byte")
                        .isPositive();
            }
            largest.close();
            pairs.remove(which);

            stop.set(false);
            traffic.clear();
            for (Lab.Pair pair : pairs) {
                traffic.add(Background.start(() -> move(lab.accelerator.waits(), pair)));
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> large(pairs) == 1);
            stop.set(true);
            for (Background<Integer> each : traffic) {
                assertThat(each.get(20, TimeUnit.SECONDS))
                        .as("rounds, each with every byte")
                        .isPositive();
            }
            for (Lab.Pair pair : pairs) {
                pair.close();
            }
            assertThat(log.lines()).as("said once").hasSize(1);
            await().until(() -> lab.mappings() == 0);
        }
    }

    private static long large(List<Lab.Pair> pairs) {
        return pairs.stream().filter(FullFileSystemTest::isLarge).count();
    }

    private static boolean isLarge(Lab.Pair pair) {
        LinkStream stream = pair.server().attached();
        return stream != null
                && stream.ringSize() == LARGEST
                && pair.server().handover().isSettled();
    }

    /** Sends and checks, again and again; returns how often. */
    private int move(BlockingWaits waits, Lab.Pair pair) throws Exception {
        int rounds = 0;
        do {
            int seed = rounds;
            FutureTask<Long> sent = Streams.start(() -> {
                Streams.send(waits, pair.client(), BYTES, seed);
                return (long) BYTES;
            });
            assertThat(Streams.receive(waits, pair.server(), BYTES, seed)).isEqualTo(BYTES);
            assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo(BYTES);
            rounds++;
        } while (!stop.get());
        return rounds;
    }
}
