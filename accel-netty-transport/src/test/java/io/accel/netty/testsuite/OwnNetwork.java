// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a test in a JVM whose network is its own: a loopback interface that knows multicast, and no other. So nothing of the
 * test reaches the network that the machine is in. Needs {@code unshare} and {@code ip}, and that users may make namespaces.
 */
final class OwnNetwork {
    private static final String INSIDE = "io.accel.netty.testsuite.own-network";
    /** Loopback has no route for multicast by itself. */
    private static final String SET_UP =
            "ip link set lo up multicast on" + " && ip -6 route add local ff00::/8 dev lo table local && exec \"$@\"";

    private OwnNetwork() {}

    /** Whether this JVM is such a one. */
    static boolean isInside() {
        return Boolean.getBoolean(INSIDE);
    }

    /** Runs a test class of one test; fails if that does not succeed. */
    static void run(Class<?> test) throws Exception {
        assumePossible();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-D" + INSIDE + "=true");
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (argument.startsWith("-Daccel.") || argument.startsWith("-Dio.netty.")) {
                command.add(argument);
            }
        }
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.addAll(List.of("org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"));
        command.addAll(List.of("--disable-ansi-colors", "--select-class", test.getName()));
        Path output = Files.createTempFile("accel-own-network", ".txt");
        try {
            int exit = exitOf(start(command, ProcessBuilder.Redirect.to(output.toFile())));
            // The launcher also calls it a success when the test found its conditions missing.
            assertThat(Files.readString(output)).containsPattern("\\[ +1 tests successful");
            assertThat(exit).isZero();
        } finally {
            Files.delete(output);
        }
    }

    private static void assumePossible() throws InterruptedException {
        int exit;
        try {
            exit = exitOf(start(List.of("true")));
        } catch (IOException e) {
            abort("no network namespaces here: " + e.getMessage());
            return;
        }
        assumeTrue(exit == 0, "users may not make network namespaces here, with: " + SET_UP);
    }

    private static Process start(List<String> command) throws IOException {
        return start(command, ProcessBuilder.Redirect.DISCARD);
    }

    private static Process start(List<String> command, ProcessBuilder.Redirect output) throws IOException {
        List<String> all = new ArrayList<>(List.of("unshare", "--map-root-user", "--net", "sh", "-c", SET_UP, "sh"));
        all.addAll(command);
        return new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
    }

    private static int exitOf(Process process) throws InterruptedException {
        try {
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
