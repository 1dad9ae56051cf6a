// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.programs.KilledConnections;
import io.accel.testing.Child;
import io.accel.testing.TcpConnections;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Both ends of a connection are told when its TCP connection is killed, however they wait. The program prints the medians, which are meant to be
 * below a tenth of a second; a machine that is busy with other tests is late by itself, so the limit is ten times that.
 */
@Timeout(180)
class KilledConnectionsIT {
    private static final List<String> WAYS = List.of("READ", "WRITE", "SELECT", "BUSY", "NIO2", "SOCKET");
    private static final Duration KILLS = Duration.ofSeconds(60);
    private static final long MOST_MICROS = 1_000_000;
    private static final int FEW_DESCRIPTORS = 512;

    /** What the same program took without Accel, which knows how busy this machine is: for each way the killed end's time, and the other's. */
    private static final Map<String, long[]> STOCK = new HashMap<>();

    @BeforeAll
    static void measureWithoutAccel() {
        assumeTrue(TcpConnections.mayBeKilled(), "needs root, to end a TCP connection");
        assumeTrue(Launch.isAccel(), "compares Accel with the JDK");
        try (Child plain = launch(Launch.plain(KilledConnections.class)).start("without Accel")) {
            for (String way : WAYS) {
                STOCK.put(way, figures(plain, way));
            }
        }
    }

    private static Launch launch(Launch program) {
        return program.testClassPath();
    }

    private static long[] figures(Child child, String way) {
        String[] words = child.awaitLine("LATE_" + way + " ", KILLS).split(" ", -1);
        return new long[] {Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3])};
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "balanced", "throughput", "low-cpu"})
    void bothEndsAreToldSoon(String profile) {
        assertToldSoon(accelerated(profile));
    }

    /** The watch takes one descriptor, which such a process still has for it. */
    @Test
    void alsoInAProcessThatMayHaveFewDescriptors() {
        assertToldSoon(accelerated("latency").withDescriptors(FEW_DESCRIPTORS));
    }

    private static Launch accelerated(String profile) {
        return launch(Launch.accelerated(KilledConnections.class))
                .profile(profile)
                .accel("handover.after", "connect")
                .byAgent();
    }

    private static void assertToldSoon(Launch accelerated) {
        try (Child child = accelerated.start("with Accel")) {
            for (String way : WAYS) {
                long[] late = figures(child, way);
                long[] stock = STOCK.get(way);
                assertThat(late[0])
                        .as("microseconds until the killed end was told, %s", way)
                        .isLessThan(MOST_MICROS + 2 * stock[0]);
                assertThat(late[1])
                        .as("microseconds until the other end was told, %s", way)
                        .isLessThan(MOST_MICROS + 2 * stock[1]);
                assertThat(late[2]).as("rings, %s", way).isPositive();
            }
            child.awaitLine("DONE", KILLS);
        }
    }
}
