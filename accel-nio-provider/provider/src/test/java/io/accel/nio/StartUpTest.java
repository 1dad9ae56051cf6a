// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The classes that a program with one short connection loads. Loading is nearly all that Accel's start takes. */
@Timeout(60)
class StartUpTest {
    /** How many classes of Accel may be loaded, a quarter more than are loaded: each further class costs every program time. */
    private static final int TO_ITSELF = 216;

    private static final int BY_THE_KERNEL = 194;

    @TempDir
    private Path dir;

    private List<String> loaded;

    @BeforeEach
    void run() throws Exception {
        loaded = classesOf();
        assertThat(loaded(AccelSelector.class.getName())).isNotEmpty();
    }

    /** The names of the classes that the program loads. */
    private List<String> classesOf(String... arguments) throws Exception {
        Path classes = dir.resolve("classes");
        // A logging back end costs more than all of Accel, so nobody is asked for a line that can wait. The line comes
        // if a slow machine takes a second for this, and then must not be formatted.
        Path logging = Files.writeString(dir.resolve("logging"), "io.accel.level=WARNING");
        String output = new ChildJvm(StartUpProbe.class)
                .with(
                        "-Xlog:class+load:file=" + classes + ":none",
                        "-Djava.nio.channels.spi.SelectorProvider=" + AccelSelectorProvider.class.getName(),
                        "-Djava.util.logging.config.file=" + logging,
                        "-Daccel.shm.dir=" + Files.createDirectories(dir.resolve("shm")))
                .run(arguments)
                .output();
        assertThat(output).contains("echoed 1");
        return Files.readAllLines(classes).stream()
                .map(line -> line.split(" ", 2)[0])
                .toList();
    }

    @Test
    void theFlightRecorderIsNotStarted() {
        assertThat(loaded("jdk.jfr.internal.")).isEmpty();
    }

    @Test
    @DisabledIf("hasDevice")
    void nothingNativeIsLoadedWithoutADevice() {
        assertThat(loaded("jnr.")).isEmpty();
        assertThat(loaded("io.accel.core.fabric.rdma."))
                .allMatch(name -> name.startsWith("io.accel.core.fabric.rdma.bootstrap."));
    }

    @Test
    void noMetricsAreLoaded() {
        assertThat(loaded("io.micrometer.")).isEmpty();
        assertThat(loaded("io.prometheus.")).isEmpty();
    }

    /** Code that is only made then, for string concatenation or for records, takes several classes each, and up to 40 ms for the first. */
    @Test
    void nothingIsLinkedAtRunTimeButLambdas() {
        assertThat(loaded("java.lang.runtime.ObjectMethods")).isEmpty();
        assertThat(loaded("java.lang.invoke.BoundMethodHandle$Species_LLLLL")).isEmpty();
    }

    @Test
    void aConnectionToItselfLoadsNotManyClasses() {
        assertThat(ofAccel()).hasSizeLessThanOrEqualTo(TO_ITSELF);
    }

    /** Connections like those of a database client: Accel looks for a faster path, and finds none. */
    @Test
    void aConnectionThatStaysWithTheKernelLoadsNotManyClasses() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread echo = new Thread(() -> echoOne(server), "echo");
            echo.setDaemon(true);
            echo.start();
            loaded = classesOf(Integer.toString(server.getLocalPort()));
        }
        assertThat(ofAccel()).hasSizeLessThanOrEqualTo(BY_THE_KERNEL);
    }

    private static void echoOne(ServerSocket server) {
        try (Socket accepted = server.accept()) {
            accepted.getOutputStream().write(accepted.getInputStream().read());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // the child says that it has no answer
        }
    }

    /** Except for the classes of lambdas, of which JDKs make different numbers. */
    private List<String> ofAccel() {
        return loaded("io.accel.").stream()
                .filter(name -> !name.contains("$$Lambda"))
                .toList();
    }

    private List<String> loaded(String prefix) {
        return loaded.stream().filter(name -> name.startsWith(prefix)).toList();
    }

    static boolean hasDevice() {
        return Files.isDirectory(Path.of("/sys/class/infiniband"));
    }
}
