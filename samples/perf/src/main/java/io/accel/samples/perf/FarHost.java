// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Another host, to run servers on. A POSIX shell there, which takes its commands from its standard input, does everything.
 * Files that programs need, such as the JDK and the jars, have to be there under the same names as here. Immutable.
 *
 * @param shell the command that starts the shell, such as {@code ssh NAME}; the commands that it runs there have to end when its input does
 * @param address the address at which servers listen there
 */
public record FarHost(List<String> shell, String address) {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    public FarHost {
        shell = List.copyOf(shell);
    }

    /** @param shell words with spaces between them */
    static FarHost of(String shell, String address) {
        return new FarHost(List.of(shell.trim().split("\\s+", -1)), address);
    }

    /**
     * The line that makes the shell become {@code command}. Its first line says {@code started pid=PID}; its output for
     * people comes among the rest. It has to end by itself when its input ends.
     */
    static String become(List<String> command) {
        return "unset JDK_JAVA_OPTIONS; echo started pid=$$; exec " + quoted(command) + " 2>&1";
    }

    /**
     * Starts {@code command}, which asks for no input and whose output nobody wants. It is killed when the shell's input ends, and
     * the shell ends with it.
     */
    Process start(List<String> command) throws IOException {
        Process process = new ProcessBuilder(shell)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Reaper.watch(process);
        tell(
                process,
                "exec 3<&0 2>/dev/null; " + quoted(command) + " </dev/null >/dev/null 2>&1 & program=$!; "
                        + "{ read -r end <&3; kill -9 $program; } & watcher=$!; wait $program; kill $watcher; exit");
        return process;
    }

    /** Ends the process of {@link #start}, and waits until it has ended. */
    static void end(Process started) throws InterruptedException {
        try {
            started.getOutputStream().close();
        } catch (IOException gone) {
            started.destroyForcibly(); // it has ended by itself
        }
        if (!started.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            started.destroyForcibly().waitFor();
        }
        Reaper.release(started);
    }

    /** Kills process {@code pid} there as {@code kill -9} does. It may have ended. */
    void kill(long pid) throws IOException, InterruptedException {
        ask("kill -9 " + pid + " 2>/dev/null; true");
    }

    /** The output of the shell for {@code script}, which does not take long. */
    String ask(String script) throws IOException, InterruptedException {
        return ask(script, PATIENCE);
    }

    /**
     * The output of the shell for {@code script}.
     *
     * @throws IOException if its status is not 0, or it did not end within the limit; a command may then still be under way there
     */
    public String ask(String script, Duration limit) throws IOException, InterruptedException {
        Path said = Files.createTempFile("accel-perf-", ".txt");
        Process process = new ProcessBuilder(shell)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(said.toFile())
                .start();
        Reaper.watch(process);
        try {
            tell(process, script);
            process.getOutputStream().close();
            boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended || process.exitValue() != 0) {
                throw new IOException("'" + String.join(" ", shell) + "' "
                        + (ended
                                ? "ended with status " + process.exitValue()
                                : "did not end within " + limit.toSeconds() + " s")
                        + " when it was told to " + script + ", and said: " + Files.readString(said));
            }
            return Files.readString(said);
        } finally {
            process.destroyForcibly().waitFor();
            Reaper.release(process);
            Files.delete(said);
        }
    }

    /** The processor times of the threads of process {@code pid}, one line each, as {@link ProcessTimes} reads them. */
    String threadsOf(long pid) throws IOException, InterruptedException {
        // A thread may end meanwhile.
        return ask("cd /proc/" + pid + "/task && for t in *; do {"
                + " if read -r times <$t/schedstat; then read -r name <$t/comm && echo \"$t $times $name\";"
                + " else read -r stat <$t/stat && echo \"$t $stat\"; fi; } 2>/dev/null; done; true");
    }

    private static void tell(Process process, String script) throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append(script).append('\n').flush();
    }

    private static String quoted(List<String> command) {
        return command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }
}
