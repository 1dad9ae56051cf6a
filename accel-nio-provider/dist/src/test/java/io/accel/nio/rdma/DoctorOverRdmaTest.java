// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** {@code accel doctor} where there is a device. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(900)
class DoctorOverRdmaTest {
    private static String doctor(String... prefix) throws Exception {
        String java = System.getProperty("java.home") + "/bin/java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
                + System.getProperty("java.class.path") + "' io.accel.nio.cli.AccelMain doctor; echo status $?";
        Process process = new ProcessBuilder("sh", "-c", String.join(" ", prefix) + " " + java)
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void theDeviceIsFoundAndCarriesBytes() throws Exception {
        assertThat(doctor())
                .containsPattern("ok +rdma.devices +.*rxe0")
                .containsPattern("ok +rdma.library +.*librdmacm\\.so\\.1\\.[0-9.]+")
                .containsPattern(
                        "ok +rdma.settings +rdma.device=any, rdma.tos=program; GID, .* come from the interface")
                .containsPattern("ok +rdma.device +rxe0: IB, writes with immediate data.*, multicast groups")
                .containsPattern("ok +rdma.port +rxe0 port 1: ACTIVE, ETHERNET, IB, MTU \\d+, inline [1-9]\\d* B")
                .containsPattern("ok +rdma.live +1 MiB there and back over rdma at 10.78.0.1, all bytes right")
                .endsWith("status 0\n");
    }

    @Test
    void aBondIsShownWithItsLinks() throws Exception {
        try (Bond bond = new Bond(HostAgent::shell, "10.84.0.1")) {
            assertThat(doctor())
                    .containsPattern(
                            "ok +rdma.port +rxe9 port 1: ACTIVE, ETHERNET, .*10.84.0.1.*, interfaces \\[bond9\\]")
                    .containsPattern("ok +rdma.bond +bond9 of rxe9 port 1: active-backup,"
                            + " links \\[s0 up \\(active\\), s1 up \\(backup\\)\\]")
                    .containsPattern("ok +rdma.live +1 MiB there and back over rdma at 10.84.0.1, all bytes right")
                    .endsWith("status 0\n");
            bond.pull();
            assertThat(doctor())
                    .containsPattern("ok +rdma.port +rxe9 port 1: ACTIVE")
                    .containsPattern("warn.* +rdma.bond +bond9 of rxe9 port 1: active-backup,"
                            + " links \\[s0 down \\(backup\\), s1 up \\(active\\)\\]")
                    .containsPattern("ok +rdma.live +1 MiB there and back over rdma at 10.84.0.1, all bytes right");
        }
    }

    @Test
    void aDeviceThatIsNotThereIsTold() throws Exception {
        assertThat(doctor("JAVA_TOOL_OPTIONS='-Daccel.rdma.device=mlx5_7 -Daccel.rdma.tos=104'"))
                .containsPattern(
                        "warn.* +rdma.settings +rdma.device=mlx5_7, rdma.tos=104; .*; there is no device mlx5_7")
                .containsPattern("ok +rdma.device +rxe0: IB; not used, because rdma.device does not name it")
                .doesNotContain("rdma.live");
    }

    /** As in a container that may neither override modes nor lock memory. */
    @Test
    void whoMayNotOpenTheDeviceIsTold() throws Exception {
        HostAgent.shell("chmod 000 /dev/infiniband/*");
        try {
            assertThat(doctor("setpriv --bounding-set -dac_override,-dac_read_search"))
                    .containsPattern("fail +rdma.permissions +root may not open")
                    .contains("-> add the user to the group that owns them")
                    .endsWith("status 1\n");
        } finally {
            HostAgent.shell("chmod 666 /dev/infiniband/*");
        }
    }

    @Test
    void tooLittleLockedMemoryIsTold() throws Exception {
        assertThat(doctor("prlimit --memlock=65536 setpriv --bounding-set -ipc_lock"))
                .containsPattern("fail +rdma.memlock +RLIMIT_MEMLOCK is 64 KiB")
                .contains("LimitMEMLOCK=infinity")
                .containsPattern("fail +rdma.live +no connection over rdma at 10.78.0.1: .*MEMLOCK")
                .endsWith("status 1\n");
    }
}
