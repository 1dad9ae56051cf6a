// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.testing.ChildJvm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keep-alive finds the peer of a connection over shared memory unreachable: that end is told as on the JDK's provider, and the other, whose
 * kernel knows nothing, is told when it writes.
 */
@Timeout(120)
class KeepAliveTest {
    private static final List<String> IN_ITS_NETWORK =
            List.of("unshare", "--map-root-user", "--net", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh");

    /** What the JDK's provider says on JDK 17 and 25. */
    private static final List<String> TOLD = List.of(
            "the client reads: java.io.IOException: Connection timed out",
            "and again: -1",
            "and writes: java.io.IOException: Broken pipe",
            "the server reads: waits",
            "it writes: 1",
            "it reads: java.net.SocketException: Connection reset",
            "it writes: java.io.IOException: Broken pipe");

    private static List<String> run(String... options) throws Exception {
        List<String> trial = new ArrayList<>(IN_ITS_NETWORK);
        trial.add("true");
        Process process = new ProcessBuilder(trial).inheritIO().start();
        try {
            assumeTrue(
                    process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0,
                    "needs the right to make a network namespace");
        } finally {
            process.destroyForcibly();
        }
        return new ChildJvm(KeepAliveProbe.class)
                .behind(IN_ITS_NETWORK.toArray(String[]::new))
                .with(ChildJvm.SHORT_LIFE)
                .with(options)
                .run()
                .orderly()
                .lines()
                .filter(line -> line.matches("(the|and|it) .*"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "low-cpu"})
    void eachEndIsToldAsOnTheJdksProvider(String profile) throws Exception {
        assertThat(run(
                        "-Djava.nio.channels.spi.SelectorProvider=" + AccelSelectorProvider.class.getName(),
                        "-Daccel.profile=" + profile,
                        "-Daccel.handover.after=connect",
                        "-Daccel.fallback=fail"))
                .isEqualTo(TOLD);
    }

    @Test
    void theJdksProviderSaysSo() throws Exception {
        assertThat(run()).isEqualTo(TOLD);
    }
}
