package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.SamplesMain;
import io.accel.samples.it.harness.Child;
import io.accel.samples.it.harness.Launch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten seconds of {@code accel soak}, as a user starts it. */
@Timeout(150)
class SoakIT {
    private static final Duration END = Duration.ofMinutes(2);

    @Test
    void nothingIsLost() {
        List<String> arguments = new ArrayList<>(List.of("soak", "--minutes", "0.17", "--seed", "20261121"));
        arguments.addAll(
                Launch.isAccel() ? List.of("--accel-jar", Launch.dropInJar().toString()) : List.of("--kernel"));
        try (Child soak = Launch.plain(SamplesMain.class, arguments.toArray(String[]::new))
                .testClassPath()
                .start("soak")) {
            String done = soak.awaitLine(
                    "what was done", Pattern.compile("[\\d,]+ connections, .*").asMatchPredicate(), END);
            assertThat(done)
                    .matches(
                            "[\\d,]+ connections, [1-9][\\d,]* conversations, [1-9][\\d,]* bytes, each checked; [1-9]\\d*"
                                    + " processes killed, by which [1-9][\\d,]* conversations were cut, with [1-9][\\d,]* more that"
                                    + " were not; provider .*")
                    .endsWith(Launch.isAccel() ? "AccelSelectorProvider" : "EPollSelectorProvider");
            soak.awaitLine("Nothing was lost.", END);
            assertThat(soak.awaitExit(END)).as(soak.output()).isZero();
        }
    }
}
