// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileTest {
    @TempDir
    private Path directory;

    @Test
    void isBalancedWhereNothingIsChosen() {
        Profile profile = Profile.from(new Properties(), Map.of());
        assertThat(profile.name()).isEqualTo("balanced");
        assertThat(profile.get(Keys.RING_SIZE)).isEqualTo(256 << 10);
        assertThat(profile.get(Keys.POLL_SPIN)).isEqualTo(20_000L);
        assertThat(profile.get(Keys.FABRIC_ORDER)).containsExactly(FabricName.SHM, FabricName.RDMA);
        assertThat(profile.get(Keys.SHM_DIR)).isEqualTo(Path.of("/dev/shm"));
        assertThat(profile.get(Keys.SHM_GROUP)).isEmpty();
        assertThat(profile.setting(Keys.MODE).origin()).hasToString("default");
    }

    @Test
    void eachLayerLiesOverTheOnesBefore() throws IOException {
        Path file = write(
                "my.properties",
                "include=latency",
                "# comment",
                "poll.hot-max=8",
                "poll.kernel-interval=500",
                "shm.group = \\",
                "  root");
        Profile profile = Profile.load(file.toString(), Map.of("poll.hot-max", "9", "ring.size", " 32KiB "));

        assertThat(profile.get(Keys.CONNECT_PROBE_TIMEOUT)).isEqualTo(5_000_000_000L);
        assertThat(profile.setting(Keys.CONNECT_PROBE_TIMEOUT).origin()).isEqualTo(Origin.DEFAULT);
        assertThat(profile.get(Keys.POLL_SPIN)).isEqualTo(1_000_000_000L);
        assertThat(profile.setting(Keys.POLL_SPIN).origin()).hasToString("preset latency");
        assertThat(profile.get(Keys.POLL_KERNEL_INTERVAL)).isEqualTo(500);
        assertThat(profile.setting(Keys.POLL_KERNEL_INTERVAL).origin()).hasToString(file + ":4");
        assertThat(profile.setting(Keys.SHM_GROUP)).hasToString("shm.group=root (" + file + ":5)");
        assertThat(profile.get(Keys.POLL_HOT_MAX)).isEqualTo(9);
        assertThat(profile.setting(Keys.POLL_HOT_MAX).origin()).hasToString("-Daccel.poll.hot-max");
        assertThat(profile.setting(Keys.RING_SIZE)).hasToString("ring.size=32KiB (-Daccel.ring.size)");
    }

    @Test
    void includesFilesRelativeToTheIncludingOne() throws IOException {
        Files.createDirectory(directory.resolve("sub"));
        write("base.properties", "include=low-cpu", "poll.hot-max=3", "fallback=fail", "rule.1=kernel * *:1");
        write("sub/middle.properties", "include=../base.properties", "poll.hot-max=4", "rule.1=kernel * *:2");
        Path file = write("top.properties", "include: sub/middle.properties", "rule.2=accelerate * *:*");
        Profile profile = Profile.load(file.toString(), Map.of());

        assertThat(profile.get(Keys.POLL_SPIN)).isZero();
        assertThat(profile.get(Keys.FALLBACK)).isEqualTo(Fallback.FAIL);
        assertThat(profile.get(Keys.POLL_HOT_MAX)).isEqualTo(4);
        assertThat(profile.rules().list())
                .extracting(TransportRule::text)
                .containsExactly("kernel * *:2", "accelerate * *:*");
    }

    @Test
    void followsAChainOfIncludes() throws IOException {
        write("c.properties", "include=latency", "poll.hot-max=7");
        write("b.properties", "include=c.properties");
        Path file = write("a.properties", "include=b.properties", "mode=off");
        assertThat(Profile.load(file.toString(), Map.of()).get(Keys.POLL_HOT_MAX))
                .isEqualTo(7);
    }

    @Test
    void readsSystemProperties() {
        String before = System.getProperty("accel.poll.hot-max");
        System.setProperty("accel.poll.hot-max", "17");
        try {
            assertThat(Profile.fromSystem().get(Keys.POLL_HOT_MAX)).isEqualTo(17);
        } finally {
            if (before == null) {
                System.clearProperty("accel.poll.hot-max");
            } else {
                System.setProperty("accel.poll.hot-max", before);
            }
        }
    }

    @Test
    void ignoresWhatIsNotItsOwn() {
        Properties properties = new Properties();
        properties.setProperty("accel.profile", "throughput");
        properties.setProperty("accel.on-error", "off");
        properties.setProperty("acceleration", "much");
        properties.setProperty("ring.size", "nonsense");
        Profile profile = Profile.from(properties, Map.of());
        assertThat(profile.name()).isEqualTo("throughput");
        assertThat(profile.get(Keys.RING_SIZE)).isEqualTo(1 << 20);
    }

    @Test
    void takesRulesFromTheCommandLineToo() {
        Profile profile = Profile.load("balanced", Map.of("rule.1", "kernel server *:22"));
        assertThat(profile.rules().decide(Role.SERVER, new InetSocketAddress(InetAddress.getLoopbackAddress(), 22)))
                .hasToString("rule.1=kernel server *:22 (-Daccel.rule.1)");
    }

    @Test
    void keepsTheLowWaterMarkWithinHalfTheRing() {
        Profile profile = Profile.load("throughput", Map.of("ring.size", "64KiB", "write.low-water", "1MiB"));
        assertThat(profile.get(Keys.WRITE_LOW_WATER)).isEqualTo(32 << 10);
        assertThat(Profile.load("throughput", Map.of("write.low-water", "512KiB"))
                        .get(Keys.WRITE_LOW_WATER))
                .isEqualTo(512 << 10);
    }

    @Test
    void toleratesAByteOrderMark() throws IOException {
        Path file = write("bom.properties", "\uFEFFmode=off");
        assertThat(Profile.load(file.toString(), Map.of()).get(Keys.MODE)).isEqualTo(Mode.OFF);
    }

    @Test
    void tellsWhichFabricsADecisionLeaves() {
        Decision accelerate = Decision.NO_RULE;
        assertThat(Profile.load("balanced", Map.of()).fabrics(accelerate))
                .containsExactly(FabricName.SHM, FabricName.RDMA);
        assertThat(Profile.load("balanced", Map.of("fabric.order", "rdma,shm")).fabrics(accelerate))
                .containsExactly(FabricName.RDMA, FabricName.SHM);
        assertThat(Profile.load("off", Map.of()).fabrics(accelerate)).isEmpty();
    }

    @Test
    void listsEverySettingInTheSchemasOrder() {
        assertThat(Profile.load("latency", Map.of()).settings())
                .map(setting -> (Object) setting.key())
                .containsExactlyElementsOf(List.copyOf(Keys.all()));
    }

    private Path write(String name, String... lines) throws IOException {
        return Files.write(directory.resolve(name), List.of(lines));
    }

    @Test
    void theEnvironmentIsBelowTheCommandLine() {
        Properties properties = new Properties();
        properties.setProperty("accel.poll.spin", "7us");
        Map<String, String> environment = Map.of(
                "ACCEL_PROFILE", "latency", "ACCEL_OPTIONS", "poll.spin=50us,poll.hot-max=9,fabric.order=rdma,shm");
        Profile profile = Profile.from(properties, environment);
        assertThat(profile.name()).isEqualTo("latency");
        assertThat(profile.get(Keys.POLL_SPIN)).isEqualTo(7_000);
        assertThat(profile.get(Keys.POLL_HOT_MAX)).isEqualTo(9);
        assertThat(profile.setting(Keys.POLL_HOT_MAX).origin()).hasToString("ACCEL_OPTIONS: poll.hot-max");
        assertThat(profile.get(Keys.FABRIC_ORDER)).containsExactly(FabricName.RDMA, FabricName.SHM);
        properties.setProperty("accel.profile", "low-cpu");
        assertThat(Profile.from(properties, environment).name()).isEqualTo("low-cpu");
        assertThat(Profile.from(new Properties(), Map.of("ACCEL_OPTIONS", "profile=off"))
                        .name())
                .isEqualTo("off");
    }
}
