// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.programs.OneCarrier;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A virtual thread that waits for a connection leaves the carrier to others, whatever the profile has platform threads do: with a single
 * carrier another virtual thread wakes from its sleep as it does without Accel, also beside one that finds all that it asks for.
 */
@Timeout(120)
class VirtualThreadsIT {
    private static final List<String> KINDS = List.of("READ", "WRITE", "SELECT", "SOCKET", "DATAGRAM", "ACCEPT");
    /** What these find is there already, so that they need not wait. */
    private static final List<String> NEVER_WAIT = List.of("READ", "SOCKET", "DATAGRAM");
    /** Those of them whose connections move by the property alone. */
    private static final List<String> BY_PROPERTY = List.of("READ", "DATAGRAM");

    private static final Duration START = Duration.ofSeconds(20);
    private static final Duration SLEEPS = Duration.ofSeconds(40);
    /** A machine that is busy with other tests makes sleepers late by itself. */
    private static final long TRIFLE_MICROS = 20_000;

    @BeforeAll
    static void childrenHaveVirtualThreads() {
        assumeTrue(Launch.feature() >= 21, "the children's JDK has no virtual threads");
    }

    @ParameterizedTest(name = "{0}, {1}, poll.yield={2}")
    @CsvSource({
        "latency,agent,adaptive",
        "latency,agent,never",
        "latency,property,always",
        "balanced,agent,adaptive",
        "balanced,property,never",
        "throughput,agent,never",
        "low-cpu,agent,adaptive"
    })
    void aSleeperIsNotLaterThanWithoutAccel(String profile, String way, String yielding) {
        Launch accelerated = launch(Launch.accelerated(OneCarrier.class))
                .profile(profile)
                .accel("handover.after", 0)
                .accel("poll.yield", yielding);
        if (way.equals("agent")) {
            accelerated.byAgent();
        }
        try (Child plain = launch(Launch.plain(OneCarrier.class)).start("without Accel");
                Child child = accelerated.start("with Accel")) {
            for (String kind : KINDS) {
                long stock = plain.awaitNumber("LATE_" + kind, START.plus(SLEEPS));
                long late = child.awaitNumber("LATE_" + kind, START.plus(SLEEPS));
                assertThat(late).as("us late beside %s", kind).isLessThan(2 * stock + TRIFLE_MICROS);
            }
            if (Launch.isAccel()) {
                for (String kind : way.equals("agent") ? NEVER_WAIT : BY_PROPERTY) {
                    assertThat(child.awaitNumber("AHEAD_" + kind, START))
                            .as("taken before the other thread had the carrier: %s", kind)
                            .isLessThan(OneCarrier.THERE);
                }
            }
            child.awaitLine("DONE", START);
            if (Launch.isAccel()) {
                assertThat(ProcFs.ringsBelow(child.pid()))
                        .as("connections that moved")
                        .isGreaterThanOrEqualTo(3);
            }
        }
    }

    private static Launch launch(Launch program) {
        return program.option("-Djdk.virtualThreadScheduler.parallelism=1");
    }
}
