// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.PortSpace;
import io.accel.testing.Background;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever others have in {@code shm.dir}, and however many connections lead to a process that has stopped: a new connection to another
 * process gets its link, and two ends that both write before they read do not stand still for long.
 */
@Timeout(300)
class StandingStillTest {
    private static final int FOREIGN = 100_000;
    private static final int TO_THE_STOPPED = 64;
    /** More than the rings hold, and less than the kernel. */
    private static final int MUCH = 300_000;

    private static final Map<String, String> SETTINGS =
            Map.of("handover.after", "0", "ring.size", "16KiB", "connect.probe-timeout", "50s");
    private static final Duration UPGRADED = Duration.ofSeconds(1);
    private static final Duration RESUMED = Duration.ofMillis(100);
    /** The machine may be busy with something else: the best of so many counts. */
    private static final int ATTEMPTS = 10;

    @Test
    void neitherForeignEntriesNorAStoppedPeerHoldUpOthers() throws Exception {
        try (Lab stopped = new Lab("balanced", SETTINGS)) {
            stopped.silence();
            fill(stopped.dir);
            try (Lab healthy =
                    new Lab("balanced", SETTINGS, profile -> Fabrics.all(profile, PortSpace.TCP), stopped.dir)) {
                List<SocketChannel> accepted = new ArrayList<>();
                List<StreamSocket> waiting = new ArrayList<>();
                for (int i = 0; i < TO_THE_STOPPED; i++) {
                    waiting.add(stopped.client());
                    accepted.add(stopped.kernel.accept());
                }
                assertThat(bestUpgrade(healthy)).isLessThan(UPGRADED);
                assertThat(bestResumption(healthy)).isLessThan(RESUMED);
                assertThat(waiting).noneMatch(each -> each.path().isAccelerated());
                for (StreamSocket each : waiting) {
                    Lab.close(each);
                }
                for (SocketChannel each : accepted) {
                    each.close();
                }
            }
        }
    }

    /** As another user may do in a directory that everybody can write: with names of listeners, and of users' places. */
    private static void fill(Path dir) throws IOException {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        for (int i = 0; i < FOREIGN / 2; i++) {
            Files.createDirectory(dir.resolve("accel-1-127.0.0.1-80~" + i), mode);
            Files.createDirectory(dir.resolve("accel-" + (1_000_000 + i)), mode);
        }
    }

    private static Duration bestUpgrade(Lab lab) throws Exception {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS; i++) {
            long start = System.nanoTime();
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> pair.client().path().isAccelerated());
            best = Math.min(best, System.nanoTime() - start);
            pair.close();
        }
        return Duration.ofNanos(best);
    }

    private static Duration bestResumption(Lab lab) throws Exception {
        BlockingWaits waits = lab.accelerator.waits();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS; i++) {
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            await().until(() ->
                    pair.client().path().isAccelerated() && pair.server().attached() != null);
            long start = System.nanoTime();
            Background<Long> forth = send(waits, pair.client());
            Background<Long> back = send(waits, pair.server());
            assertThat(forth.get(20, TimeUnit.SECONDS) + back.get(20, TimeUnit.SECONDS))
                    .isEqualTo(2L * MUCH);
            best = Math.min(best, System.nanoTime() - start);
            assertThat(pair.client().outgoing().link())
                    .as("a link that stood still")
                    .isNull();
            assertThat(Streams.receive(waits, pair.client(), MUCH, 7)).isEqualTo(MUCH);
            assertThat(Streams.receive(waits, pair.server(), MUCH, 7)).isEqualTo(MUCH);
            pair.close();
        }
        return Duration.ofNanos(best);
    }

    private static Background<Long> send(BlockingWaits waits, StreamSocket from) {
        return Background.start(() -> {
            Streams.send(waits, from, MUCH, 7);
            return (long) MUCH;
        });
    }
}
