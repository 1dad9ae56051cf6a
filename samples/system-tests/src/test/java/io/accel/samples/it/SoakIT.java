// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.samples.cli.PerfMain;
import io.accel.samples.it.harness.Launch;
import io.accel.testing.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten seconds of {@code accel soak}, as a user starts it. */
@Timeout(150)
class SoakIT {
    private static final Duration END = Duration.ofMinutes(2);

    private static Child start(String... options) {
        return launch(options).start("soak");
    }

    private static Launch launch(String... options) {
        List<String> arguments = new ArrayList<>(List.of("soak"));
        arguments.addAll(List.of(options));
        arguments.addAll(
                Launch.isAccel() ? List.of("--accel-jar", Launch.dropInJar().toString()) : List.of("--kernel"));
        return Launch.plain(PerfMain.class, arguments.toArray(String[]::new)).testClassPath();
    }

    @Test
    void nothingIsLeftWhenItIsEnded() throws IOException {
        try (Child soak = start("--minutes", "5")) {
            int unused = assertLeavesNothing(soak, () -> soak.signal("TERM"));
        }
    }

    /** The terminal sends the signal to the programs that it has started, too. */
    @Test
    void nothingIsLeftByControlC() throws IOException {
        try (Child soak = launch("--minutes", "5").onTerminal().start("soak on a terminal")) {
            assertThat(assertLeavesNothing(soak, () -> soak.send("\003")))
                    .as("exit status: by SIGINT")
                    .isEqualTo(130);
        }
    }

    /** Returns its exit status. */
    private static int assertLeavesNothing(Child soak, Runnable end) throws IOException {
        Matcher begun = Pattern.compile("Soaking for .* in (\\S+); .*").matcher(soak.awaitLine("Soaking for", END));
        assertThat(begun.matches()).isTrue();
        Path directory = Path.of(begun.group(1));
        await().atMost(END).until(() -> !isEmpty(directory)); // its programs have begun
        end.run();
        int status = soak.awaitExit(END);
        assertThat(directory).doesNotExist();
        return status;
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return Launch.isAccel() && files.findAny().isEmpty();
        }
    }

    @Test
    void nothingIsLost() {
        try (Child soak = start("--minutes", "0.17", "--seed", "20261121")) {
            String done = soak.awaitLine(
                    "what was done", Pattern.compile("[\\d,]+ connections, .*").asMatchPredicate(), END);
            assertThat(done)
                    .matches("[\\d,]+ connections, " + (Launch.isAccel() ? "[1-9][\\d,]*" : "0")
                            + " handovers, [1-9][\\d,]* conversations, [1-9][\\d,]* bytes, each checked; [1-9]\\d*"
                            + " processes killed, by which [1-9][\\d,]* conversations were cut, with [1-9][\\d,]* more that"
                            + " were not; provider .*")
                    .endsWith(Launch.isAccel() ? "AccelSelectorProvider" : "EPollSelectorProvider");
            assertThat(soak.output())
                    .contains("Held at the start", "Held at the end:")
                    .containsPattern("\n.* client: heap .* MiB, resident .* MiB, \\d+ descriptors, \\d+ mappings");
            soak.awaitLine("lost: 0", END);
            assertThat(soak.awaitExit(END)).as(soak.output()).isZero();
        }
    }
}
