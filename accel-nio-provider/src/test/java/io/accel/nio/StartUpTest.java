package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;

/** What a program loads that has one short connection. Loading is nearly all that Accel's start takes. */
@Timeout(60)
class StartUpTest {
    @TempDir
    private Path dir;

    private List<String> loaded;

    @BeforeEach
    void run() throws Exception {
        Path log = dir.resolve("log");
        Path classes = dir.resolve("classes");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-Xlog:class+load:file=" + classes + ":none",
                        "-Djava.nio.channels.spi.SelectorProvider=" + AccelSelectorProvider.class.getName(),
                        "-Daccel.shm.dir=" + Files.createDirectory(dir.resolve("shm")),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        StartUpProbe.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(child.waitFor(45, TimeUnit.SECONDS)).as("ends").isTrue();
            assertThat(Files.readString(log)).contains("echoed 1");
        } finally {
            child.destroyForcibly().waitFor();
        }
        loaded = Files.readAllLines(classes).stream()
                .map(line -> line.split(" ", 2)[0])
                .toList();
        assertThat(loaded).contains(AccelSelector.class.getName());
    }

    @Test
    void theFlightRecorderIsNotStarted() {
        assertThat(loaded).noneMatch(name -> name.startsWith("jdk.jfr.internal."));
    }

    @Test
    @DisabledIf("hasDevice")
    void nothingNativeIsLoadedWithoutADevice() {
        assertThat(loaded)
                .noneMatch(name -> name.startsWith("jnr."))
                .noneMatch(name -> name.startsWith("io.accel.core.fabric.rdma.")
                        && !name.startsWith("io.accel.core.fabric.rdma.bootstrap."));
    }

    @Test
    void noMetricsAreLoaded() {
        assertThat(loaded)
                .noneMatch(name -> name.startsWith("io.micrometer."))
                .noneMatch(name -> name.startsWith("io.prometheus."));
    }

    /** Each method that is only made then, for a string's parts or a record's, is several classes and up to 40 ms. */
    @Test
    void nothingIsLinkedAtRunTimeButLambdas() {
        assertThat(loaded)
                .doesNotContain("java.lang.runtime.ObjectMethods")
                .noneMatch(name -> name.startsWith("java.lang.invoke.BoundMethodHandle$Species_LLLLL"));
    }

    static boolean hasDevice() {
        return Files.isDirectory(Path.of("/sys/class/infiniband"));
    }
}
