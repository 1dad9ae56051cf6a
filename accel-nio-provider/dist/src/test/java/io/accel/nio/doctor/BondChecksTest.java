// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.doctor.Finding.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs on any machine, with made-up interfaces, whose files are as the kernel's bonding driver has them. */
class BondChecksTest {
    private static final String OF = "rxe9 port 1";

    @TempDir
    private Path dir;

    @BeforeEach
    void makeBond() throws IOException {
        write("bond0/bonding/mode", "active-backup 1");
        write("bond0/bonding/slaves", "eth1 eth2");
        write("bond0/bonding/miimon", "100");
        write("bond0/bonding/arp_interval", "0");
        Files.createDirectories(at("bond0/lower_eth1"));
        Files.createDirectories(at("bond0/lower_eth2"));
        link("eth1", "up", "active");
        link("eth2", "up", "backup");
    }

    private Path at(String file) {
        return dir.resolve("sys/class/net").resolve(file);
    }

    private void write(String file, String line) throws IOException {
        Files.createDirectories(at(file).getParent());
        Files.writeString(at(file), line + "\n");
    }

    private void link(String name, String status, String state) throws IOException {
        write(name + "/bonding_slave/mii_status", status);
        write(name + "/bonding_slave/state", state);
    }

    private List<Finding> check(String networkInterface) throws IOException {
        return new BondChecks(new SystemFiles(dir)).check(networkInterface, OF);
    }

    @Test
    void aBondIsShownWithItsLinks() throws IOException {
        assertThat(check("bond0"))
                .containsExactly(Finding.ok(
                        "rdma.bond",
                        "bond0 of rxe9 port 1: active-backup, links [eth1 up (active), eth2 up (backup)]"));
    }

    @Test
    void theBondOfAVlanIsFound() throws IOException {
        Files.createDirectories(at("bond0.100/lower_bond0"));
        assertThat(check("bond0.100")).isEqualTo(check("bond0")).hasSize(1);
    }

    @Test
    void anInterfaceThatIsNoBondSaysNothing() throws IOException {
        assertThat(check("eth1")).isEmpty();
        assertThat(check("gone")).isEmpty();
    }

    @Test
    void aLinkThatIsDownIsTold() throws IOException {
        link("eth1", "down", "backup");
        link("eth2", "up", "active");
        assertThat(check("bond0")).singleElement().satisfies(finding -> {
            assertThat(finding.status()).isEqualTo(Status.WARNING);
            assertThat(finding.found()).endsWith("links [eth1 down (backup), eth2 up (active)]");
            assertThat(finding.advice()).isEqualTo("eth1 carries nothing: see ip link show eth1");
        });
    }

    @Test
    void aBondThatDoesNotWatchItsLinksIsTold() throws IOException {
        write("bond0/bonding/miimon", "0");
        assertThat(check("bond0")).singleElement().satisfies(finding -> {
            assertThat(finding.status()).isEqualTo(Status.WARNING);
            assertThat(finding.advice()).endsWith("ip link set bond0 type bond miimon 100");
        });
        write("bond0/bonding/arp_interval", "1000");
        assertThat(check("bond0")).extracting(Finding::status).containsExactly(Status.OK);
    }
}
