// SPDX-License-Identifier: Apache-2.0
package io.accel.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;

/** Commands of the system that a test needs. */
public final class Shell {
    private static final long LIMIT_SECONDS = 10;

    private Shell() {}

    /**
     * Runs a command that must succeed.
     *
     * @param command for {@code sh}
     * @return what it printed
     */
    public static String run(String command) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", command)
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as("%s: %s", command, output).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
