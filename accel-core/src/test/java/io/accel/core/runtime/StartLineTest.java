// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.BuildInfo;
import io.accel.profile.Profile;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(10)
class StartLineTest {
    @TempDir
    private Path dir;

    @Test
    void saysWhatThereIs() {
        assertThat(line("balanced", Map.of("shm.dir", "/tmp"), dir.resolve("none")))
                .isEqualTo(
                        "accel: " + BuildInfo.version() + ", profile balanced, shared memory in /tmp, no RDMA device");
    }

    @Test
    void namesTheDevices() throws Exception {
        Files.createDirectory(dir.resolve("mlx5_1"));
        assertThat(line("latency", Map.of(), dir)).endsWith(", RDMA device mlx5_1");
        Files.createDirectory(dir.resolve("mlx5_0"));
        assertThat(line("latency", Map.of(), dir)).endsWith(", RDMA devices mlx5_0 mlx5_1");
    }

    @Test
    void saysWhatTheProfileLeavesOut() {
        assertThat(line("balanced", Map.of("fabric.order", "rdma"), dir))
                .contains(", no shared memory (fabric.order), ");
        assertThat(line("balanced", Map.of("fabric.order", "shm"), dir)).endsWith(", no RDMA (fabric.order)");
    }

    @Test
    void saysThatItIsOff() {
        assertThat(StartLine.of(Profile.load("off", Map.of()), false, dir.toFile()))
                .isEqualTo("accel: " + BuildInfo.version() + ", profile off, nothing is accelerated");
    }

    private static String line(String profile, Map<String, String> overrides, Path devices) {
        return StartLine.of(Profile.load(profile, overrides), true, new File(devices.toString()));
    }
}
