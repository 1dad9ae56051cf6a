// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CrowdTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    @Test
    void bothEndsRunOnOneProcessor() throws Exception {
        try (Crowd crowd = Crowd.of(Crowding.ONE_CORE, Cores.ANY)) {
            assertThat(allowedWith(crowd.prefix(End.SERVER)))
                    .isEqualTo(allowedWith(crowd.prefix(End.CLIENT)))
                    .matches("\\d+");
            assertThat(crowd.hogged()).isFalse();
            assertThat(crowd.describe()).startsWith("both ends on processor ");
        }
    }

    @Test
    void theHogIsOnThatProcessorToo() throws Exception {
        try (Crowd crowd = Crowd.of(Crowding.HOG, Cores.ANY)) {
            assertThat(crowd.hogged()).isTrue();
            assertThat(crowd.describe()).startsWith("both ends and a busy loop on processor ");
        }
    }

    @Test
    void withoutCrowdingEndsRunWhereTheyWouldAnyway() throws Exception {
        Cores cores = new Cores("0", "1");
        try (Crowd crowd = Crowd.of(Crowding.NONE, cores)) {
            assertThat(crowd.prefix(End.SERVER)).isEqualTo(cores.prefix(End.SERVER));
            assertThat(crowd.describe()).isEmpty();
        }
    }

    @Test
    void whereNoControlGroupMayBeMadeOneProcessorIsSharedAndThatIsSaid() throws Exception {
        Path nowhere = directory.resolve("nowhere");
        try (Crowd crowd = Crowd.of(Crowding.QUOTA, Cores.ANY, nowhere)) {
            assertThat(crowd.describe())
                    .startsWith("both ends on processor ")
                    .contains("since no control group can be made: ", "nowhere");
            assertThat(allowedWith(crowd.prefix(End.CLIENT))).matches("\\d+");
        }
    }

    @Test
    void aQuotaIsWrittenAsEachVersionOfControlGroupsHasIt() throws Exception {
        Path first = Files.createDirectories(directory.resolve("first/cpu"));
        try (Quota quota = Quota.make(first.getParent(), "a")) {
            Path group = first.resolve("accel-perf-a");
            assertThat(group.resolve("cpu.cfs_quota_us")).hasContent("50000");
            assertThat(group.resolve("cpu.cfs_period_us")).hasContent("100000");
            assertThat(quota.prefix()).endsWith(group.resolve("cgroup.procs").toString());
            delete(group); // a real one's files vanish with it
        }
        Path second = Files.createDirectories(directory.resolve("second"));
        try (Quota quota = Quota.make(second, "b")) {
            Path group = second.resolve("accel-perf-b");
            assertThat(group.resolve("cpu.max")).hasContent("50000 100000");
            assertThat(quota.prefix()).hasSize(4);
            delete(group);
        }
    }

    @Test
    void aControlGroupHoldsItsProcessAndIsGoneAfterwards() throws Exception {
        Path mount = Path.of("/sys/fs/cgroup");
        String name = ProcessHandle.current().pid() + "-test";
        Quota made;
        try {
            made = Quota.make(mount, name);
        } catch (IOException notAllowed) {
            assumeThat(notAllowed).as("a control group can be made here").isNull();
            return;
        }
        try (Quota quota = made) {
            List<String> command = new ArrayList<>(quota.prefix());
            command.addAll(
                    List.of("/bin/sh", "-c", "echo in where=$(grep -c accel-perf- /proc/self/cgroup); read end"));
            try (BenchProcess process = new BenchProcess("the script", command)) {
                assertThat(process.await("in", SOON)).containsEntry("where", "1");
            }
        }
        assertThat(mount.resolve("accel-perf-" + name)).doesNotExist();
        assertThat(mount.resolve("cpu").resolve("accel-perf-" + name)).doesNotExist();
    }

    private static void delete(Path group) throws IOException {
        for (String file : List.of("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")) {
            Files.deleteIfExists(group.resolve(file));
        }
    }

    private static String allowedWith(List<String> prefix) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                "/bin/sh", "-c", "set -- $(grep Cpus_allowed_list /proc/self/status); echo on list=$2; read end"));
        try (BenchProcess process = new BenchProcess("the script", command)) {
            return process.await("on", SOON).get("list");
        }
    }
}
