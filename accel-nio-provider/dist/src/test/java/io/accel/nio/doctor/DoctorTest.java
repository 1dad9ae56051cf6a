// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.doctor.Finding.Status;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Runs on any machine: made-up system files replace the devices that it does not have. */
@Timeout(120)
class DoctorTest {
    @TempDir
    private Path dir;

    private List<Finding> examine(Map<String, String> settings) {
        return new Doctor(Profile.load("balanced", settings), dir).examine();
    }

    private static Finding only(List<Finding> findings, String check) {
        List<Finding> matching =
                findings.stream().filter(f -> f.check().equals(check)).toList();
        assertThat(matching).as("%s in %s", check, findings).hasSize(1);
        return matching.get(0);
    }

    private void write(String file, String text) throws IOException {
        Path path = dir.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void memory() throws IOException {
        write("proc/meminfo", "MemTotal:       1 kB\nHugePages_Total:       7\n");
    }

    private void device(String memlock, String capabilities) throws IOException {
        memory();
        Files.createDirectories(dir.resolve("sys/class/infiniband/mlx5_0"));
        write(
                "proc/self/limits",
                "Limit   Soft  Hard  Units\nMax locked memory         " + memlock + "              bytes\n");
        write("proc/self/maps", "");
        write("proc/self/status", "Name:\tjava\nCapEff:\t" + capabilities + "\n");
    }

    @Test
    void aMachineWithoutADeviceIsInOrder() throws IOException {
        memory();
        List<Finding> findings = examine(Map.of());
        assertThat(findings).allMatch(finding -> finding.status() != Status.FAIL);
        assertThat(only(findings, "rdma.devices").found()).contains("no RDMA device");
        assertThat(only(findings, "shm.live").found()).contains("all bytes right");
        assertThat(only(findings, "memory.huge-pages").found()).startsWith("7 reserved");
    }

    /** Without sun.misc.Unsafe only newer JDKs tell Netty where a buffer lies. */
    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void whetherDevicesSendFromWhereBytesLie() throws IOException {
        device("unlimited unlimited", "0000000000000000");
        assertThat(only(examine(Map.of()), "java.zero-copy").status()).isEqualTo(Status.OK);
        System.setProperty("io.netty.noUnsafe", "true");
        try {
            Finding without = only(examine(Map.of()), "java.zero-copy");
            if (Runtime.version().feature() >= 22) {
                assertThat(without.status()).isEqualTo(Status.OK);
            } else {
                assertThat(without.status()).isEqualTo(Status.WARNING);
                assertThat(without.advice()).contains("io.netty.noUnsafe", "Java 22");
            }
        } finally {
            System.clearProperty("io.netty.noUnsafe");
        }
    }

    /** Findings about devices alone are not reported where there are no devices. */
    @Test
    void nothingIsSaidOfCopiesWithoutADevice() throws IOException {
        memory();
        assertThat(examine(Map.of())).noneMatch(finding -> finding.check().equals("java.zero-copy"));
    }

    @Test
    void aDirectoryThatIsNotThereFailsWithAdvice() throws IOException {
        memory();
        List<Finding> findings =
                examine(Map.of("shm.dir", dir.resolve("nowhere").toString()));
        assertThat(only(findings, "shm.dir"))
                .matches(finding -> finding.status() == Status.FAIL)
                .matches(finding -> finding.advice().contains("tmpfs"));
        assertThat(only(findings, "shm.live"))
                .matches(finding -> finding.status() == Status.FAIL)
                .matches(finding -> finding.found().contains("SHM_DIR"));
    }

    @Test
    void aDirectoryOnADiskIsAWarning() throws IOException {
        memory();
        Path disk = Files.createDirectory(
                dir.resolve("disk"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        org.junit.jupiter.api.Assumptions.assumeFalse(
                Files.getFileStore(disk).type().equals("tmpfs"), "the temporary directory is on a tmpfs here");
        assertThat(only(examine(Map.of("shm.dir", disk.toString())), "shm.dir").status())
                .isEqualTo(Status.WARNING);
    }

    @Test
    void aDeviceWithoutModulesFilesAndLibrariesSaysWhatIsMissing() throws IOException {
        device("unlimited            unlimited", "0000000000000000");
        List<Finding> findings = examine(Map.of());
        assertThat(only(findings, "rdma.devices").found()).isEqualTo("mlx5_0");
        assertThat(only(findings, "rdma.modules"))
                .matches(finding -> finding.status() == Status.FAIL)
                .matches(finding -> finding.advice().startsWith("modprobe -a ib_uverbs rdma_ucm"));
        assertThat(only(findings, "rdma.permissions"))
                .matches(finding -> finding.status() == Status.FAIL)
                .matches(finding -> finding.advice().contains("--device /dev/infiniband"));
        assertThat(only(findings, "rdma.memlock").status()).isEqualTo(Status.OK);
        assertThat(only(findings, "rdma.library").status()).isEqualTo(Status.FAIL);
    }

    @Test
    void tooLittleLockedMemoryForAConnectionFails() throws IOException {
        device("65536                 8388608", "0000000000000000");
        assertThat(only(examine(Map.of("ring.size", "64KiB")), "rdma.memlock"))
                .matches(finding -> finding.status() == Status.FAIL)
                .matches(finding -> finding.found().contains("RLIMIT_MEMLOCK is 64 KiB, hard 8192 KiB"))
                .matches(finding -> finding.found().contains("registers 136 KiB"))
                .matches(finding -> finding.advice().contains("LimitMEMLOCK"));
    }

    @Test
    void lockedMemoryForFewConnectionsIsAWarning() throws IOException {
        device("1048576               8388608", "0000000000000000");
        assertThat(only(examine(Map.of("ring.size", "64KiB")), "rdma.memlock"))
                .matches(finding -> finding.status() == Status.WARNING)
                .matches(finding -> finding.found().endsWith("room for 7"));
    }

    @Test
    void theLimitDoesNotBindWhoMayLockMemory() throws IOException {
        device("65536                 8388608", "0000003fffffffff");
        assertThat(only(examine(Map.of()), "rdma.memlock").status()).isEqualTo(Status.OK);
    }

    @Test
    void theLimitsOfAContainerAreSeen() throws IOException {
        memory();
        write("proc/self/cgroup", "0::/kubepods/pod7\n");
        write("sys/fs/cgroup/memory.max", "max\n");
        write("sys/fs/cgroup/kubepods/memory.max", "8589934592\n");
        write("sys/fs/cgroup/kubepods/pod7/memory.max", "536870912\n");
        write("sys/fs/cgroup/kubepods/pod7/cpu.max", "150000 100000\n");
        assertThat(only(examine(Map.of()), "container.memory"))
                .matches(finding -> finding.status() == Status.OK)
                .matches(finding -> finding.found().startsWith("512 MiB at most"))
                .matches(finding -> finding.found().endsWith("they take 128 MiB at most, as shm.max is not set"));
        for (String tooMuch : List.of("0", "300MiB")) {
            assertThat(only(examine(Map.of("shm.max", tooMuch)), "container.memory"))
                    .matches(finding -> finding.status() == Status.WARNING)
                    .matches(finding -> finding.advice().startsWith("set shm.max"));
        }
        assertThat(only(examine(Map.of("shm.max", "64MiB")), "container.memory"))
                .matches(finding -> finding.status() == Status.OK)
                .matches(finding -> finding.found().endsWith("shm.max is 64 MiB"));
        assertThat(only(examine(Map.of()), "container.cpu"))
                .matches(finding -> finding.status() == Status.WARNING)
                .matches(finding -> finding.found().startsWith("1.50 processors"));
    }

    @Test
    void theLimitsOfTheOlderControlGroupsAreSeen() throws IOException {
        memory();
        write("proc/self/cgroup", "5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "268435456\n");
        write("sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "200000\n");
        write("sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "100000\n");
        assertThat(only(examine(Map.of()), "container.memory").found()).startsWith("256 MiB at most");
        assertThat(only(examine(Map.of()), "container.cpu"))
                .matches(finding -> finding.status() == Status.OK)
                .matches(finding -> finding.found().startsWith("2.00 processors"));
    }

    @Test
    void withoutLimitsItSaysSoAndNamesNamespacesAndSharers() throws IOException {
        memory();
        Files.createDirectories(dir.resolve("proc/self/ns"));
        Files.createSymbolicLink(dir.resolve("proc/self/ns/net"), Path.of("net:[4026531840]"));
        List<Finding> findings = examine(Map.of());
        assertThat(only(findings, "container.memory").found()).isEqualTo("no limit by a control group");
        assertThat(only(findings, "container.cpu").found()).isEqualTo("no limit by a control group");
        assertThat(only(findings, "container.namespaces").found()).startsWith("net 4026531840, mnt not known");
        assertThat(only(findings, "shm.users").found()).matches("/dev/shm: .*listener.*");
    }

    @Test
    void aCheckThatFailsUnexpectedlyIsAFinding() {
        // Without proc/meminfo.
        assertThat(only(examine(Map.of()), "memory.huge-pages"))
                .matches(finding -> finding.status() == Status.FAIL)
                .matches(finding -> finding.found().contains("NoSuchFileException"));
    }
}
