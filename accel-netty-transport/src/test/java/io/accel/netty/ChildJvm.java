package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a class of the tests in a JVM of its own, for what a JVM decides once. */
final class ChildJvm {
    private ChildJvm() {}

    /** What it printed, on both streams. */
    static String run(Class<?> main, String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        command.addAll(List.of("-cp", classPath, main.getName()));
        File output = File.createTempFile("child", ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output)
                    .start();
            try {
                assertThat(process.waitFor(50, TimeUnit.SECONDS))
                        .as("%s ends", main.getSimpleName())
                        .isTrue();
            } finally {
                process.destroyForcibly();
            }
            return Files.readString(output.toPath());
        } finally {
            Files.delete(output.toPath());
        }
    }
}
