// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A sample in a JVM of its own. Its complaints go to the test's own; it is ended when closed. */
final class SampleProgram implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    SampleProgram(Class<?> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        output = process.inputReader(StandardCharsets.UTF_8);
    }

    String readLine() throws IOException {
        return output.readLine();
    }

    BufferedWriter input() {
        return process.outputWriter(StandardCharsets.UTF_8);
    }

    /** The port from the line {@code listening on ADDRESS:PORT}. */
    String port() throws IOException {
        String line = readLine();
        return line.substring(line.lastIndexOf(':') + 1);
    }

    int exitStatus() throws InterruptedException {
        if (!process.waitFor(50, TimeUnit.SECONDS)) {
            throw new IllegalStateException(process + " does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
