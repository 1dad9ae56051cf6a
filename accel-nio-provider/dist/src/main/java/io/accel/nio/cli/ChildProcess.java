// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Runs a command in this process's place, as far as a JVM can: with its terminal, its signals and its status. */
final class ChildProcess {
    private ChildProcess() {}

    /**
     * Starts the command and waits for its end.
     *
     * @return its exit status, or 128 + the number of the signal that ended it
     * @throws IOException if the system cannot start it
     */
    static int run(List<String> command, JavaOptions options) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        Map<String, String> environment = builder.environment();
        environment.put(JavaOptions.VARIABLE, options.addedTo(environment.get(JavaOptions.VARIABLE)));
        SignalForwarder signals = SignalForwarder.install();
        Process child = builder.start();
        signals.forwardTo(child);
        return child.waitFor();
    }
}
