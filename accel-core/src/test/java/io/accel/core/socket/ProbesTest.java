// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that need a JVM of their own: another release of Java, or less of the kernel's resources. */
class ProbesTest {
    private static final int FEW_LOOKS = 10;
    /** Descriptors that a JVM may have. */
    private static final int FEW = 160;
    /** That leaves enough beside the files of all libraries. */
    private static final int MORE = 480;

    @TempDir
    private Path dir;

    /** Every JDK at hand that has virtual threads: this one, and the newer one if the build was told of it. */
    static Stream<Path> jdksWithVirtualThreads() {
        List<Path> jdks = new ArrayList<>();
        if (Runtime.version().feature() >= 21) {
            jdks.add(Path.of(System.getProperty("java.home")));
        }
        Path newer = Path.of(System.getProperty("newer.jdk", "/usr/lib/jvm/temurin-25-jdk-amd64"));
        if (Files.isDirectory(newer)) {
            jdks.add(newer);
        }
        return jdks.stream();
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("jdksWithVirtualThreads")
    void virtualThreadsWaitWithoutTheirCarrier(Path jdk) throws Exception {
        String output = new ChildJvm(VirtualThreadsProbe.class)
                .on(jdk)
                .with("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1")
                .run()
                .orderly();
        assertThat(output).contains("transferred", "ended", "mappings 0");
    }

    /** As long as a virtual thread looks, no other has its carrier, whatever the profile says of platform threads. */
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("jdksWithVirtualThreads")
    void aVirtualThreadThatWaitsLooksAFewTimesAndParks(Path jdk) throws Exception {
        String output = new ChildJvm(VirtualLooksProbe.class)
                .on(jdk)
                .with("-Djdk.virtualThreadScheduler.parallelism=1")
                .run()
                .orderly();
        for (String way : List.of("blocked", "polled")) {
            for (String yielding : List.of("ADAPTIVE", "ALWAYS", "NEVER")) {
                String wait = way + " " + yielding;
                assertThat(number(wait + ": \\d+ looks, by a virtual thread", output))
                        .as("looks of a virtual thread, %s", wait)
                        .isLessThan(FEW_LOOKS);
            }
            assertThat(number(way + " NEVER:", output))
                    .as("looks of a platform thread that never gives way")
                    .isGreaterThan(FEW_LOOKS);
        }
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("jdksWithVirtualThreads")
    void aRingThatComesAsAnotherTakesTheRingsIsHeard(Path jdk) throws Exception {
        String output = new ChildJvm(OneRingProbe.class).on(jdk).run().orderly();
        assertThat(output).contains("reader found 1", "writer found 4");
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("jdksWithVirtualThreads")
    void aVirtualThreadThatReceivesKeepsNoMemoryOfAPeerThatIsGone(Path jdk) throws Exception {
        String output = new ChildJvm(VirtualReceiverProbe.class).on(jdk).run().orderly();
        assertThat(output.lines().filter("received 7"::equals)).hasSize(5);
    }

    @Test
    void outOfDescriptorsTheRendezvousPauses() throws Exception {
        String output = runWithDescriptors(FEW, FewDescriptorsProbe.class);
        assertThat(output).contains("connected again", "said again false").doesNotContain("\tat ");
        assertThat(output.lines().filter(line -> line.contains("is tried again each 100 ms")))
                .hasSize(1);
        assertThat(number("cpu ms", output))
                .as("processor time of ten pauses, ms")
                .isLessThan(300);
    }

    @Test
    void aThreadThatFindsNoDescriptorToSleepWithWaitsWithoutOne() throws Exception {
        // With more, Accel's share of them is not what keeps the thread from its selector.
        String output = runWithDescriptors(MORE, NoSelectorProbe.class);
        assertThat(output)
                .contains("opening a selector failed", "without a selector read 1", "with descriptors read 1");
    }

    @Test
    void whatGivesLinksBackIsThereBeforeTheFirstLink() throws Exception {
        String output = runWithDescriptors(MORE, LastDescriptorProbe.class);
        assertThat(output).contains("opened one more than all").doesNotContain("\tat ");
    }

    /** An accept that lacks a descriptor must not be told so while one that Accel has given back is about to be closed. */
    @Test
    void whatWasGivenBackAndIsNotClosedYetIsAwaited() throws Exception {
        String output = runWithDescriptors(MORE, PendingCloseProbe.class);
        assertThat(output)
                .contains(
                        "with some left DONE",
                        "about to be closed UNDER_WAY",
                        "closed meanwhile DONE",
                        "never closed NONE");
    }

    @Test
    void withoutAModuleTheKernelCarriesAllAndOneLineSaysSo() throws Exception {
        String output = new ChildJvm(FewModulesProbe.class)
                .with("--limit-modules=java.base,java.logging,java.management,jdk.unsupported")
                .run(dir.toString())
                .orderly();
        assertThat(output.lines().filter(line -> line.startsWith("accelerated false")))
                .hasSize(3);
        assertThat(output).contains("NO_MODULE");
        assertThat(output.lines().filter(line -> line.contains("lacks the module jdk.net")))
                .filteredOn(line -> line.contains("go through the kernel"))
                .hasSize(1);
    }

    @Test
    void aProcessThatEndsWaitsForNoDaemon() throws Exception {
        String output = new ChildJvm(EndingProcessProbe.class).run().orderly();
        assertThat(output).contains("all at rest");
    }

    private static long number(String what, String output) {
        return Long.parseLong(output.replaceAll("(?s).*" + what + " (\\d+).*", "$1"));
    }

    private static String runWithDescriptors(int most, Class<?> probe) throws IOException, InterruptedException {
        return new ChildJvm(probe)
                .behind("sh", "-c", "ulimit -n " + most + "; exec \"$@\"", "sh")
                .run()
                .orderly();
    }
}
