// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests wait for a state, with Awaitility or with {@code io.accel.testing.Background}, and do not sleep in its place. Files that pause all the
 * same are named here, with the reason.
 */
@Timeout(60)
class SleepsTest {
    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Pattern SLEEP = Pattern.compile("\\b(?:sleep|sleepUninterruptibly|parkNanos|parkUntil)\\(");
    private static final String OUTAGE = "an outage lasts for a given time, and comes into the middle of a program";
    private static final String SILENCE = "the silence is what is tested";

    private static final Map<String, String> PAUSES = Map.ofEntries(
            Map.entry("fabric/shm/BadClientsTest.java", "measures the processor time that a thread uses meanwhile"),
            Map.entry("fabric/shm/SharedFileTest.java", "disturbs a thread at a given rate"),
            Map.entry("core/socket/DatagramLifeTest.java", "sends around the moment at which a link goes idle"),
            Map.entry("core/socket/PricedUpgradesTest.java", "talks at a given rate, and finds out that nothing moves"),
            Map.entry("core/socket/FaultyLink.java", "stands for a device, which looks for an arrival now and then"),
            Map.entry("core/socket/StrangerProbe.java", "tries again and again what a process of another user may try"),
            Map.entry(
                    "core/socket/PendingCloseProbe.java", "closes a descriptor late, and waits until none is awaited"),
            Map.entry("core/socket/GroupTest.java", "sends at a rate that members in other processes keep up with"),
            Map.entry("core/socket/GroupProbe.java", "sends at a given rate until it is killed"),
            Map.entry("io/accel/nio/CloseWhileAsleepTest.java", "that a thread sleeps on shows in time alone"),
            Map.entry(
                    "io/accel/nio/SecurityManagerProbe.java",
                    "sends at a given rate, where a library has no permissions"),
            Map.entry("nio/errors/Conversation.java", "reads late, so that rings become full"),
            Map.entry("nio/fuzz/World.java", "a step says what it saw when its limit is over, and does not fail"),
            Map.entry("nio/rdma/DeviceComesAndGoesTest.java", OUTAGE),
            Map.entry("nio/rdma/GroupNode.java", "sends at a given rate, and then lets others receive the rest"),
            Map.entry("nio/rdma/ProgramsTest.java", OUTAGE),
            Map.entry("nio/rdma/TwoHostsTest.java", OUTAGE),
            Map.entry(
                    "it/programs/KilledConnections.java",
                    "lets connections be idle for a while before they are killed"),
            Map.entry("it/programs/OneCarrier.java", "a thread that sleeps is what is measured"),
            Map.entry("samples/it/StoppedPeerIT.java", "measures the processor time that a process uses meanwhile"),
            Map.entry("nio/contract/Bytes.java", "finds out that a kernel's buffers no longer grow"),
            Map.entry("nio/contract/DatagramSupport.java", "sends at a given rate, and finds out that nothing comes"),
            Map.entry("nio/contract/MachineClock.java", "is a clock, and ticks"),
            Map.entry("contract/selector/WakeUpTest.java", SILENCE),
            Map.entry("contract/stream/EndingsTest.java", "gives a network more and more time"),
            Map.entry("contract/stream/InFlightTest.java", SILENCE),
            Map.entry("contract/stream/SilenceTest.java", SILENCE));

    private static Set<Path> pausing() throws IOException {
        Set<Path> pausing = new TreeSet<>();
        for (String module :
                List.of("accel-core", "accel-netty-transport", "accel-nio-provider", "config-profiles", "samples")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module))) {
                for (Path file : files.filter(SleepsTest::isOfTests).toList()) {
                    if (SLEEP.matcher(Files.readString(file)).find()) {
                        pausing.add(ROOT.relativize(file));
                    }
                }
            }
        }
        return pausing;
    }

    private static boolean isOfTests(Path file) {
        String name = ROOT.relativize(file).toString();
        return name.endsWith(".java")
                && !name.contains("/target/")
                && (name.contains("src/test/java/")
                        || name.contains("test-support/src/")
                        || name.contains("contract-suite/src/"))
                && !name.endsWith("/SleepsTest.java");
    }

    @Test
    void testsWaitForAState() throws IOException {
        Set<Path> found = pausing();
        assertThat(found).as("files of tests that sleep").allSatisfy(file -> assertThat(PAUSES.keySet())
                .anyMatch(named -> file.toString().endsWith("/" + named)));
        assertThat(PAUSES.keySet()).as("files that need not be named any more").allSatisfy(named -> assertThat(found)
                .anyMatch(file -> file.toString().endsWith("/" + named)));
    }
}
