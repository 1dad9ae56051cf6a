// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An RDMA device of this machine whose network interface has an address. The kernel's {@code sysfs} lists it.
 *
 * @param name the device's name, such as {@code mlx5_0}
 * @param address the address by which connections find it
 * @param software whether it is made of software, as Soft-RoCE is
 * @param userMode whether the whole machine is a program, User-mode Linux. Its system calls take many times as long as a kernel's on
 *     hardware
 */
public record RdmaDevice(String name, String address, boolean software, boolean userMode) {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    /** The first device. */
    public static Optional<RdmaDevice> find() throws IOException {
        return find(DEVICES, Path.of("/proc/cpuinfo"));
    }

    static Optional<RdmaDevice> find(Path devices, Path processors) throws IOException {
        for (Path device : children(devices)) {
            for (String network : networksOf(device)) {
                Optional<String> address = addressOf(network);
                if (address.isPresent()) {
                    // A device on no bus is a software device.
                    boolean software = !Files.exists(device.resolve("device"));
                    return Optional.of(new RdmaDevice(
                            device.getFileName().toString(), address.get(), software, isUserMode(processors)));
                }
            }
        }
        return Optional.empty();
    }

    /** The words for the device beside each of its figures. */
    public String describe() {
        return (software ? "Soft-RoCE" : name) + (userMode ? " in User-mode Linux" : "");
    }

    private static List<String> networksOf(Path device) throws IOException {
        List<String> networks = new ArrayList<>();
        for (Path port : children(device.resolve("ports"))) {
            for (Path entry : children(port.resolve("gid_attrs/ndevs"))) {
                networkIn(entry).ifPresent(networks::add);
            }
        }
        for (Path network : children(device.resolve("device/net"))) {
            networks.add(network.getFileName().toString());
        }
        return networks;
    }

    /** The network of an entry of the device's table; empty if the entry holds no address, since the kernel lets nobody read that. */
    private static Optional<String> networkIn(Path entry) {
        try {
            return Optional.of(Files.readString(entry).trim());
        } catch (IOException unused) {
            return Optional.empty();
        }
    }

    private static Optional<String> addressOf(String network) throws IOException {
        NetworkInterface found = NetworkInterface.getByName(network);
        if (found == null || !found.isUp()) {
            return Optional.empty();
        }
        return Collections.list(found.getInetAddresses()).stream()
                .filter(Inet4Address.class::isInstance)
                .map(InetAddress::getHostAddress)
                .findFirst();
    }

    private static boolean isUserMode(Path processors) throws IOException {
        return Files.exists(processors)
                && Files.readAllLines(processors).stream()
                        .anyMatch(line -> line.startsWith("vendor_id") && line.endsWith("User Mode Linux"));
    }

    private static List<Path> children(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }
}
