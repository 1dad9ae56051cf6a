// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The name of any directory in {@code shm.dir} names a process or none. */
class StatsNameFuzzTest {
    @FuzzTest
    void name(byte[] bytes) {
        String name = new String(bytes, StandardCharsets.UTF_8).replace("/", "").replace("\0", "");
        if (!name.isEmpty()) {
            long pid = StatsDirectory.pidOf(Path.of("/dev/shm").resolve(name));
            assertThat(pid).isGreaterThanOrEqualTo(-1);
            assertThat(pid < 0 || name.contains(Long.toString(pid))).isTrue();
        }
    }
}
