// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.repository;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs bash with this repository's scripts. */
final class Shell {
    /** {@code ./accel}; Maven runs a module's tests in its directory. */
    static final Path SCRIPT = Path.of("..", "..", "accel").toAbsolutePath().normalize();

    static final Path LAB = Path.of("..", "lab").toAbsolutePath().normalize();

    static final Path NOTHING = Path.of("/dev/null");

    private Shell() {}

    /** The output of commands that have the functions of {@link #SCRIPT}, and {@code status N}. */
    static String withScript(String commands, Path in) throws IOException, InterruptedException {
        return run("source '" + SCRIPT + "'; set +e; " + commands + "; echo status $?", in);
    }

    /** The output of commands, including errors. */
    static String run(String commands, Path in) throws IOException, InterruptedException {
        return finish(new ProcessBuilder("bash", "-c", commands).redirectInput(in.toFile()));
    }

    /** The output of a process, including errors; the process has to end soon. */
    static String finish(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.redirectErrorStream(true).start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).as("ended").isTrue();
            return said;
        } finally {
            process.destroyForcibly();
        }
    }
}
