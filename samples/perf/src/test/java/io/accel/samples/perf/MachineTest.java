// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineTest {
    @TempDir
    private Path root;

    @Test
    void whatTheSystemSaysIsTold() throws Exception {
        Files.createDirectories(root.resolve("proc"));
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(root.resolve("proc/cpuinfo"), "model name\t: Some CPU @ 3 GHz\nflags\t\t: fpu hypervisor\n");
        Files.writeString(root.resolve("proc/meminfo"), "MemTotal:       25165824 kB\nMemFree: 1 kB\n");
        Files.writeString(root.resolve("etc/os-release"), "ID=x\nPRETTY_NAME=\"Some Linux 12\"\n");
        assertThat(new Machine(root).describe())
                .containsEntry("Memory", "24 GiB")
                .hasEntrySatisfying(
                        "Processors", it -> assertThat(it).endsWith(" of Some CPU @ 3 GHz, of a virtual machine"))
                .hasEntrySatisfying("System", it -> assertThat(it).endsWith(", Some Linux 12"))
                .containsKey("Java");
    }

    @Test
    void whatIsNotKnownIsNotTold() throws Exception {
        assertThat(new Machine(root).describe()).containsOnlyKeys("Processors", "System", "Java");
    }
}
