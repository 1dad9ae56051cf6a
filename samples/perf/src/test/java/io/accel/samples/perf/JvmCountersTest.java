// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JvmCountersTest {
    private static final long PID = ProcessHandle.current().pid();

    @Test
    void theyAreWhatTheJvmSaysOfItself() throws Exception {
        long before = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
        JvmCounters counters = JvmCounters.of(PID);
        long after = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
        assertThat(counters.classes()).isBetween((double) before, (double) after);
        assertThat(counters.methods()).isPositive();
        assertThat(counters.bytecode()).isGreaterThan(counters.methods());
    }

    @Test
    void aProcessWithoutThemHasNone() throws Exception {
        assertThat(JvmCounters.of(1L << 40)).isEqualTo(JvmCounters.NONE);
        JvmCounters older = JvmCounters.of(Map.of("java.cls.loadedClasses", 5L, "java.cls.sharedLoadedClasses", 400L));
        assertThat(older.classes()).isEqualTo(405);
        assertThat(older.methods()).isNaN();
    }

    @Test
    void aDamagedFileIsRefused() throws Exception {
        byte[] whole = Files.readAllBytes(
                Path.of("/tmp", "hsperfdata_" + System.getProperty("user.name"), Long.toString(PID)));
        assertThat(JvmCounters.parse(whole)).containsKey("java.cls.loadedClasses");
        assertRefused(new byte[0]);
        assertRefused(new byte[64]);
        assertRefused(Arrays.copyOf(whole, 40));
        byte[] endless = whole.clone();
        int first = whole[24] & 0xff; // where the entries begin
        Arrays.fill(endless, first, first + 4, (byte) 0);
        assertRefused(endless);
        byte[] negative = whole.clone();
        Arrays.fill(negative, first + 4, first + 8, (byte) 0xff);
        Arrays.fill(negative, first, first + 4, (byte) 0x7f);
        assertRefused(negative);
    }

    private static void assertRefused(byte[] content) {
        assertThatThrownBy(() -> JvmCounters.parse(content))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the counters of a JVM are damaged");
    }
}
