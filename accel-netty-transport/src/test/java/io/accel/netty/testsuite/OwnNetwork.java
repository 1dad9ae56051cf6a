// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.testing.ChildJvm;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.platform.console.ConsoleLauncher;

/**
 * Runs a test in a JVM whose network is its own: a loopback interface that knows multicast, and no other. So nothing of the
 * test reaches the network that the machine is in. Needs {@code unshare} and {@code ip}, and that users may make namespaces.
 */
final class OwnNetwork {
    private static final String INSIDE = "io.accel.netty.testsuite.own-network";
    /** Loopback has no route for multicast by itself. */
    private static final String SET_UP =
            "ip link set lo up multicast on" + " && ip -6 route add local ff00::/8 dev lo table local && exec \"$@\"";

    private static final List<String> IN_IT = List.of("unshare", "--map-root-user", "--net", "sh", "-c", SET_UP, "sh");

    private OwnNetwork() {}

    /** Whether this JVM has a network of its own. */
    static boolean isInside() {
        return Boolean.getBoolean(INSIDE);
    }

    /** Runs a test class with one test; fails if the test does not succeed. */
    static void run(Class<?> test) throws Exception {
        assumePossible();
        ChildJvm jvm = new ChildJvm(ConsoleLauncher.class)
                .behind(IN_IT.toArray(String[]::new))
                .with("-D" + INSIDE + "=true");
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (argument.startsWith("-Daccel.") || argument.startsWith("-Dio.netty.")) {
                jvm.with(argument);
            }
        }
        ChildJvm.Ended ended =
                jvm.run("execute", "--disable-banner", "--disable-ansi-colors", "--select-class", test.getName());
        // The launcher also reports a success when the test found its conditions missing.
        assertThat(ended.orderly()).containsPattern("\\[ +1 tests successful");
    }

    private static void assumePossible() throws InterruptedException {
        List<String> trial = new ArrayList<>(IN_IT);
        trial.add("true");
        Process process;
        try {
            process = new ProcessBuilder(trial)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            abort("no network namespaces here: " + e.getMessage());
            return;
        }
        try {
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
            assumeTrue(process.exitValue() == 0, "users may not make network namespaces here, with: " + SET_UP);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
