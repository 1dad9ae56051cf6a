// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.DeviceInfo;
import io.accel.nio.doctor.Finding.Status;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs on any machine, with made-up devices. */
class RdmaChecksTest {
    private static final String REASON =
            "efa_0 has no reliable connections that programs can post to: ibv_create_qp: Operation not supported";

    @TempDir
    private Path dir;

    @BeforeEach
    void noLibraryIsLoaded() throws IOException {
        Files.writeString(Files.createDirectories(dir.resolve("proc/self")).resolve("maps"), "");
    }

    private List<Finding> findings(Map<String, String> settings, DeviceInfo device) throws IOException {
        return new RdmaChecks(Profile.load("balanced", settings), new SystemFiles(dir)).findings(List.of(device));
    }

    /** A device like a cloud's: it exists, its port is up, and Accel cannot use it. */
    private static DeviceInfo unusable() {
        DeviceInfo.Port port = new DeviceInfo.Port(1, "ACTIVE", "ETHERNET", 4096, List.of("192.0.2.7"), List.of());
        return new DeviceInfo("efa_0", "UNSPECIFIED", "1.2", 128, -1, List.of(), REASON, List.of(port));
    }

    @Test
    void aDeviceThatCannotBeUsedIsNamedAndWhy() throws IOException {
        List<Finding> findings = findings(Map.of(), unusable());
        assertThat(findings)
                .filteredOn(finding -> finding.check().equals("rdma.device"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.status()).isEqualTo(Status.WARNING);
                    assertThat(finding.found())
                            .isEqualTo("efa_0: UNSPECIFIED; connections through it take the kernel's path: " + REASON);
                    assertThat(finding.advice()).startsWith("nothing to do, unless");
                });
        assertThat(findings).as("a connection over it").noneMatch(finding -> finding.check()
                .equals("rdma.live"));
        assertThat(findings).noneMatch(finding -> finding.status() == Status.FAIL);
    }

    @Test
    void aPortNamesItsInterfaceAndTheBondBeneathIt() throws IOException {
        Files.createDirectories(dir.resolve("sys/class/net/bond0.7/lower_bond0"));
        Path bond = Files.createDirectories(dir.resolve("sys/class/net/bond0/bonding"));
        Files.writeString(bond.resolve("mode"), "802.3ad 4\n");
        Files.writeString(bond.resolve("slaves"), "\n");
        Files.writeString(bond.resolve("miimon"), "100\n");
        Files.writeString(bond.resolve("arp_interval"), "0\n");
        DeviceInfo.Port port =
                new DeviceInfo.Port(1, "DOWN", "ETHERNET", 1024, List.of("192.0.2.7"), List.of("bond0.7"));
        DeviceInfo device = new DeviceInfo("mlx5_bond_0", "IB", "1.2", 128, 64, List.of(), REASON, List.of(port));
        assertThat(findings(Map.of(), device))
                .filteredOn(finding -> finding.check().matches("rdma[.](port|bond)"))
                .extracting(Finding::found)
                .satisfiesExactly(
                        found -> assertThat(found).endsWith(", GIDs [192.0.2.7], interfaces [bond0.7]"),
                        found -> assertThat(found).isEqualTo("bond0 of mlx5_bond_0 port 1: 802.3ad, links []"));
    }

    @Test
    void thatTheProfileDoesNotNameItDoesNotHideTheReason() throws IOException {
        assertThat(findings(Map.of("rdma.device", "mlx5_0"), unusable()))
                .filteredOn(finding -> finding.status() == Status.WARNING)
                .extracting(Finding::check)
                .containsExactly("rdma.settings", "rdma.device");
    }
}
