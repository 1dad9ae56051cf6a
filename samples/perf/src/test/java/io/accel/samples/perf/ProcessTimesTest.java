// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessTimesTest {
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONG = TimeUnit.SECONDS.toNanos(60);

    @Test
    void whatThisProcessUsesIsSeen() throws Exception {
        ProcessTimes times = new ProcessTimes(ProcessHandle.current().pid());
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(100)) {
            Thread.onSpinWait();
        }
        ProcessTimes.Used used = times.used();
        // On a busy machine this thread may not have had the whole time.
        assertThat(used.cpuNanos()).isBetween(SHORT, LONG);
        assertThat(used.delayNanos()).isBetween(0L, LONG);
        assertThat(used.compilerNanos()).isBetween(0L, used.cpuNanos());
    }

    @Test
    void theCompilersShareOfAFreshProgramIsSeen() throws Exception {
        String java = System.getProperty("java.home") + "/bin/java";
        // Its threads stay, so that their times can still be seen.
        Process process = new ProcessBuilder(
                        java,
                        "-XX:-UseDynamicNumberOfCompilerThreads",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.accel.samples.bench.Hog")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            ProcessTimes times = new ProcessTimes(process.pid());
            assertThat(output.readLine()).isEqualTo("ready");
            assertThat(times.used().compilerNanos()).isBetween(1L, LONG);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void aProcessThatIsGoneIsAnError() {
        assertThatThrownBy(() -> new ProcessTimes(0x7fff_fffeL)).isInstanceOf(IOException.class);
    }
}
