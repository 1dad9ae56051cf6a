// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.programs.ScopedEcho;
import io.accel.testing.Child;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Link-local addresses, which mean nothing without the interface that they belong to. */
@Timeout(60)
class LinkLocalIT {
    private static final String ADDRESS = "fe80::7";
    /** The same as Java writes it. */
    private static final String ADDRESS_WORDS = "fe80:0:0:0:0:0:0:7";

    @Test
    void addressesKeepTheirScope() {
        assumeTrue(Launch.isAccel(), "compares Accel with the JDK");
        assumeTrue(Launch.hasContainers(), "needs the right to make a network");
        List<String> plain = run(Launch.plain(ScopedEcho.class, ADDRESS + "%lo"));
        assertThat(plain).hasSize(3).allMatch(line -> line.contains("%"));
        assertThat(run(Launch.accelerated(ScopedEcho.class, ADDRESS + "%lo")
                        .accel("handover.after", "connect")
                        .accel("fallback", "fail")))
                .isEqualTo(plain);
    }

    private static List<String> run(Launch launch) {
        try (Child child = launch.inNetworkWith(ADDRESS).start("a program at " + ADDRESS)) {
            assertThat(child.awaitExit(Duration.ofSeconds(30)))
                    .as(child.output())
                    .isZero();
            // The rest is Accel's own log.
            return child.output()
                    .lines()
                    .filter(line -> line.contains(ADDRESS_WORDS))
                    .toList();
        }
    }
}
