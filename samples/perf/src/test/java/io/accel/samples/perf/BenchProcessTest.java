// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchProcessTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private static BenchProcess shell(String script) throws IOException {
        return new BenchProcess("the script", List.of("/bin/sh", "-c", script));
    }

    @Test
    void eventsComeWithTheirFieldsAndOtherLinesAreSkipped() throws Exception {
        try (BenchProcess process = shell("echo hello; echo ready port=17 name=x; read line; echo got word=$line")) {
            assertThat(process.await("ready", SOON)).containsEntry("port", "17").containsEntry("name", "x");
            process.send("go");
            assertThat(process.await("got", SOON)).containsEntry("word", "go");
        }
    }

    @Test
    void aProgramThatEndsEarlyIsAFailureThatShowsWhatItSaid() throws Exception {
        try (BenchProcess process = shell("echo 'no such port' >&2; exit 3")) {
            assertThatThrownBy(() -> process.await("ready", SOON))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the script ended without reporting 'ready'")
                    .hasMessageContaining("exit status 3")
                    .hasMessageContaining("no such port");
        }
    }

    @Test
    void aProgramThatHangsIsAFailureAndIsEnded() throws Exception {
        long pid;
        try (BenchProcess process = shell("trap '' TERM; echo ready pid=$$; exec sleep 60")) {
            pid = Long.parseLong(process.await("ready", SOON).get("pid"));
            assertThatThrownBy(() -> process.await("result", Duration.ofMillis(200)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("did not report 'result'");
        }
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    }
}
