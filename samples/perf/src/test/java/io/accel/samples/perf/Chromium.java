// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Opens pages in a real browser without a window. */
final class Chromium {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome", "chrome");
    private static final int PATIENCE_SECONDS = 60;

    private final Path program;
    private final Path directory;

    /** @param directory for the files that the browser leaves behind */
    Chromium(Path directory) {
        this.directory = directory;
        program = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .flatMap(entry -> NAMES.stream().map(name -> Path.of(entry, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no browser here, none of " + NAMES
                        + ": install chromium, or leave this test out by -DexcludedGroups=browser"));
    }

    /** The page's elements after its scripts have run, in a window of this width. */
    String elementsOf(Path page, int width, boolean dark) throws IOException, InterruptedException {
        Path dump = Files.createTempFile(directory, "dump", ".html");
        run(dump, width, dark, "--dump-dom", page.toUri().toString());
        return Files.readString(dump);
    }

    /** Takes a picture of it. */
    void picture(Path page, Path png, int width, boolean dark) throws IOException, InterruptedException {
        run(
                directory.resolve("picture.txt"),
                width,
                dark,
                "--screenshot=" + png,
                page.toUri().toString());
    }

    private void run(Path output, int width, boolean dark, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString(), "--headless", "--no-sandbox"));
        command.addAll(List.of("--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-dev-shm-usage"));
        command.add("--user-data-dir=" + Files.createTempDirectory(directory, "profile"));
        command.add("--window-size=" + width + ",2400");
        command.add("--blink-settings=preferredColorScheme=" + (dark ? 0 : 1));
        command.addAll(List.of(arguments));
        Path complaints = Files.createTempFile(directory, "complaints", ".txt");
        Process browser = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile())
                .redirectError(complaints.toFile())
                .start();
        try {
            boolean ended = browser.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(ended && browser.exitValue() == 0)
                    .as(() -> command + " said: " + read(complaints))
                    .isTrue();
        } finally {
            List<ProcessHandle> all = new ArrayList<>(browser.descendants().toList());
            all.add(browser.toHandle());
            all.forEach(ProcessHandle::destroyForcibly);
            browser.waitFor();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
