// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files such as the kernel shows for devices, with the loopback interface as a device's network. */
class RdmaDeviceTest {
    @TempDir
    private Path sys;

    private String loopback;
    private Path processors;

    @BeforeEach
    void setUp() throws IOException {
        loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress())
                .getName();
        processors = Files.writeString(sys.resolve("cpuinfo"), "vendor_id\t: User Mode Linux\nmodel name\t: UML\n");
    }

    private Path port(String device) throws IOException {
        return Files.createDirectories(sys.resolve("infiniband/" + device + "/ports/1/gid_attrs/ndevs"));
    }

    @Test
    void aDeviceOfSoftwareIsFoundByItsGids() throws IOException {
        Files.writeString(port("rxe0").resolve("0"), loopback + "\n");
        RdmaDevice device =
                RdmaDevice.find(sys.resolve("infiniband"), processors).orElseThrow();
        assertThat(device).isEqualTo(new RdmaDevice("rxe0", "127.0.0.1", true, true));
        assertThat(device.describe()).isEqualTo("Soft-RoCE in User-mode Linux");
    }

    @Test
    void aCardIsFoundByItsBus() throws IOException {
        port("mlx5_0");
        Files.createDirectories(sys.resolve("infiniband/mlx5_0/device/net/" + loopback));
        Files.writeString(processors, "vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\n");
        RdmaDevice device =
                RdmaDevice.find(sys.resolve("infiniband"), processors).orElseThrow();
        assertThat(device.describe()).isEqualTo("mlx5_0");
        assertThat(device.address()).isEqualTo("127.0.0.1");
    }

    @Test
    void oneWithoutAnAddressIsNone() throws IOException {
        Files.writeString(port("rxe0").resolve("0"), "no-such-interface\n");
        assertThat(RdmaDevice.find(sys.resolve("infiniband"), processors)).isEmpty();
        assertThat(RdmaDevice.find(sys.resolve("none"), processors)).isEmpty();
    }
}
