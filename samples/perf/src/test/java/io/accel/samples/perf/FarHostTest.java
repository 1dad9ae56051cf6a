// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a shell on this host, which behaves like a distant one. */
class FarHostTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final FarHost HOST = FarHost.of(" /bin/sh  -s ", "127.0.0.1");

    @TempDir
    private Path directory;

    @Test
    void aProgramTalksAcrossAndEndsWithItsInput() throws Exception {
        String script = "echo \"ready it='$1'\"; read line; echo got word=$line; echo 'for humans' >&2; cat";
        long pid;
        try (BenchProcess process =
                BenchProcess.on(HOST, "the script", List.of("/bin/sh", "-c", script, "sh", "isn't"))) {
            pid = process.pid();
            assertThat(process.await("ready", SOON)).containsEntry("it", "'isn't'");
            assertThat(process.times().isFar()).isTrue();
            assertThat(process.times().used().compilerNanos()).isZero();
            process.send("go");
            assertThat(process.await("got", SOON)).containsEntry("word", "go");
        }
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    void aProgramThatCannotBeStartedSaysWhy() {
        assertThatThrownBy(() -> {
                    try (BenchProcess process = BenchProcess.on(HOST, "nothing", List.of("/no/such/program"))) {
                        process.await("ready", SOON);
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/no/such/program");
    }

    @Test
    void whatListensToNobodyIsKilledAndTheShellEndsWithIt() throws Exception {
        Path said = directory.resolve("pid");
        Process started = HOST.start(
                List.of("/bin/sh", "-c", "echo $$ >\"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 60", said.toString()));
        await().atMost(SOON).until(() -> Files.exists(said));
        long pid = Long.parseLong(Files.readString(said).trim());
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isPresent();
        assertThat(started.isAlive()).isTrue();
        FarHost.end(started);
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    void whatEndsByItselfEndsTheShell() throws Exception {
        Process started = HOST.start(List.of("true"));
        assertThat(started.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        FarHost.end(started);
    }

    @Test
    void aQuestionIsAnsweredOrFails() throws Exception {
        assertThat(HOST.ask("echo one; echo two")).isEqualTo("one\ntwo\n");
        assertThatThrownBy(() -> HOST.ask("exit 3"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("status 3")
                .hasMessageContaining("exit 3");
        assertThatThrownBy(() -> HOST.ask("echo half; exec sleep 60", Duration.ofMillis(500)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not end within 0 s")
                .hasMessageContaining("half");
    }

    @Test
    void threadsAreReadAsTheHostTellsThem() throws Exception {
        Map<String, ProcessTimes.Used> threads = ProcessTimes.parse("7 1000 20 3 java\n8 500 10 2 C2 CompilerThre\n");
        assertThat(threads.get("7")).isEqualTo(new ProcessTimes.Used(1000, 20, 0));
        assertThat(threads.get("8")).isEqualTo(new ProcessTimes.Used(500, 10, 500));
        String ticks = "9 9 (C1 CompilerThre) S 1 5 5 0 -1 4194624 12 0 0 0 3 4 0 0 20 0 1 0 7\n";
        assertThat(ProcessTimes.parse(ticks).get("9")).isEqualTo(new ProcessTimes.Used(70_000_000, 0, 70_000_000));
        assertThatThrownBy(() -> ProcessTimes.parse("")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ProcessTimes.parse("sh: not found\n")).isInstanceOf(IOException.class);
    }

    @Test
    void aCaseIsMeasuredWithItsServerThere() throws Exception {
        JvmCommand jvm = new JvmCommand(directory.resolve("no-such.jar"), Place.between(HOST), List.of());
        Duration time = Duration.ofMillis(300);
        try (BenchSession session = BenchSession.open(jvm, BenchCase.PINGPONG, Variant.KERNEL, time)) {
            Sample sample = session.measure(time);
            assertThat(sample.wentByKernel()).isTrue();
            assertThat(sample.figures().messagesPerSecond()).isPositive();
            assertThat(sample.conditions().runDelay()).isNotNegative();
        }
    }
}
