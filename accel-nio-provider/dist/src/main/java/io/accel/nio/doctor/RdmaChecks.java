// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import io.accel.FallbackReason;
import io.accel.core.fabric.DeviceInfo;
import io.accel.core.fabric.FallbackException;
import io.accel.core.socket.Accelerator;
import io.accel.profile.FabricName;
import io.accel.profile.Key;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Checks RDMA: the devices, the requirements of their use, and a connection over each. A machine without a device is in order. */
final class RdmaChecks {
    private static final String DEVICES = "sys/class/infiniband";
    private static final String DEVICE_FILES = "dev/infiniband";
    private static final int FEW_CONNECTIONS = 32;
    private static final int PAGE = 4096;
    private static final long CAP_IPC_LOCK = 1 << 14;

    private final Profile profile;
    private final SystemFiles files;
    private final BondChecks bonds;

    RdmaChecks(Profile profile, SystemFiles files) {
        this.profile = profile;
        this.files = files;
        this.bonds = new BondChecks(files);
    }

    List<Finding> run() throws IOException {
        List<String> names = files.names(DEVICES);
        if (names.isEmpty()) {
            return List.of(Finding.ok(
                    "rdma.devices",
                    "this machine has no RDMA device; connections to other hosts take the kernel's path"));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok("rdma.devices", String.join(", ", names)));
        findings.add(modules());
        findings.add(permissions());
        findings.add(lockedMemory());
        findings.add(JavaChecks.inPlace());
        findings.addAll(devices());
        return findings;
    }

    private Finding modules() {
        List<String> missing = new ArrayList<>();
        for (String module : List.of("ib_uverbs", "rdma_ucm")) {
            if (!files.exists("sys/module/" + module)) {
                missing.add(module);
            }
        }
        return missing.isEmpty()
                ? Finding.ok("rdma.modules", "ib_uverbs and rdma_ucm are loaded")
                : Finding.fail(
                        "rdma.modules",
                        "the kernel has not loaded " + String.join(", ", missing),
                        "modprobe -a " + String.join(" ", missing) + " (as root; rdma-core does it at boot)");
    }

    private Finding permissions() throws IOException {
        List<String> all = new ArrayList<>();
        List<String> closed = new ArrayList<>();
        for (String name : files.names(DEVICE_FILES)) {
            if (!name.startsWith("uverbs") && !name.equals("rdma_cm")) {
                continue;
            }
            Path file = files.at(DEVICE_FILES + "/" + name);
            String who = name + " " + PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) + " "
                    + Files.getOwner(file) + ":" + Files.getAttribute(file, "posix:group");
            all.add(who);
            if (!Files.isReadable(file) || !Files.isWritable(file)) {
                closed.add(who);
            }
        }
        if (all.isEmpty()) {
            return Finding.fail(
                    "rdma.permissions",
                    "there is nothing in /dev/infiniband",
                    "load the modules; in a container: --device /dev/infiniband");
        }
        return closed.isEmpty()
                ? Finding.ok("rdma.permissions", "this process may open " + String.join(", ", all))
                : Finding.fail(
                        "rdma.permissions",
                        System.getProperty("user.name") + " may not open " + String.join(", ", closed),
                        "add the user to the group that owns them, or have udev give them mode 0666");
    }

    /**
     * Checks the limit of locked memory. It does not bind a user who may lock memory without a limit, as root may, though not in
     * every container.
     */
    private Finding lockedMemory() throws IOException {
        String[] limits = files.value("proc/self/limits", "Max locked memory").split("\\s+", -1);
        String soft = limits[0];
        String hard = limits.length > 1 ? limits[1] : soft;
        long each = 2L * (Accelerator.firstRing(profile) + PAGE);
        long most = 2L * (profile.get(Keys.RING_SIZE) + PAGE);
        String found = "RLIMIT_MEMLOCK is " + inWords(soft) + ", hard " + inWords(hard) + "; a connection registers "
                + each / 1024 + " KiB, or up to " + most / 1024 + " KiB if it carries much";
        if (soft.equals("unlimited")) {
            return Finding.ok("rdma.memlock", found);
        }
        long connections = Long.parseLong(soft) / each;
        if (mayLockMemory()) {
            return Finding.ok("rdma.memlock", found + "; it does not limit this process, which has CAP_IPC_LOCK");
        }
        String advice =
                "LimitMEMLOCK=infinity in the systemd unit, '* - memlock unlimited' in /etc/security/limits.conf,"
                        + " or --ulimit memlock=-1 for a container";
        if (connections == 0) {
            return Finding.fail("rdma.memlock", found, advice);
        }
        return connections < FEW_CONNECTIONS
                ? Finding.warning("rdma.memlock", found + ": room for " + connections, advice)
                : Finding.ok("rdma.memlock", found + ": room for " + connections);
    }

    private boolean mayLockMemory() throws IOException {
        long capabilities = Long.parseUnsignedLong(files.value("proc/self/status", "CapEff:"), 16);
        return (capabilities & CAP_IPC_LOCK) != 0;
    }

    private static String inWords(String limit) {
        return limit.equals("unlimited") ? limit : Long.parseLong(limit) / 1024 + " KiB";
    }

    private List<Finding> devices() throws IOException {
        List<DeviceInfo> devices;
        try {
            devices = new Accelerator(profile).fabric(FabricName.RDMA).devices();
        } catch (FallbackException e) {
            String advice = e.reason() == FallbackReason.NO_LIBRARY
                    ? "install rdma-core: apt-get install librdmacm1 ibverbs-providers"
                    : e.reason().sentence();
            return List.of(Finding.fail("rdma.library", e.reason() + ": " + e.getMessage(), advice));
        }
        return findings(devices);
    }

    /** Checks what devices there are, and a connection over each that can be used. */
    List<Finding> findings(List<DeviceInfo> devices) throws IOException {
        List<Finding> findings = new ArrayList<>();
        findings.add(libraries());
        findings.add(settings(devices));
        for (DeviceInfo device : devices) {
            boolean isUsed = device.unusable() == null && isWanted(device);
            findings.add(device(device));
            for (DeviceInfo.Port port : device.ports()) {
                findings.add(port(device, port, isUsed));
                for (String networkInterface : port.interfaces()) {
                    findings.addAll(bonds.check(networkInterface, device.name() + " port " + port.number()));
                }
            }
            if (isUsed) {
                findings.addAll(live(device));
            }
        }
        return findings;
    }

    /** Reports the files of the loaded libraries, as the names of the files have the version. */
    private Finding libraries() throws IOException {
        TreeSet<String> loaded = new TreeSet<>();
        for (String line : Files.readAllLines(files.at("proc/self/maps"))) {
            int slash = line.indexOf('/');
            if (slash >= 0 && line.matches(".*/lib(rdmacm|ibverbs)\\.so.*")) {
                loaded.add(line.substring(slash));
            }
        }
        return Finding.ok("rdma.library", String.join(", ", loaded));
    }

    private boolean isWanted(DeviceInfo device) {
        List<String> wanted = profile.get(Keys.RDMA_DEVICE);
        return wanted.isEmpty() || wanted.contains(device.name());
    }

    /** Reports the profile's settings, and checks that the devices that they name exist. */
    private Finding settings(List<DeviceInfo> devices) {
        List<String> missing = new ArrayList<>(profile.get(Keys.RDMA_DEVICE));
        devices.forEach(device -> missing.remove(device.name()));
        String found = setting(Keys.RDMA_DEVICE, "any") + ", " + setting(Keys.RDMA_TOS, "")
                + "; GID, RoCE version, P_Key" + " and MTU come from the interface with the connection's address";
        return missing.isEmpty()
                ? Finding.ok("rdma.settings", found)
                : Finding.warning(
                        "rdma.settings",
                        found + "; there is no device " + String.join(", ", missing),
                        "rdma.device takes names as `rdma link` shows them");
    }

    private <T> String setting(Key<T> key, String ifEmpty) {
        String text = key.render(profile.get(key));
        return key.name() + "=" + (text.isEmpty() ? ifEmpty : text);
    }

    private Finding device(DeviceInfo device) {
        String found = device.name() + ": " + device.transport();
        if (device.unusable() != null) {
            return Finding.warning(
                    "rdma.device",
                    found + "; connections through it take the kernel's path: " + device.unusable(),
                    "nothing to do, unless the device's driver has another mode");
        }
        if (!isWanted(device)) {
            return Finding.ok("rdma.device", found + "; not used, because rdma.device does not name it");
        }
        return Finding.ok("rdma.device", found + ", " + String.join(", ", device.can()));
    }

    private static Finding port(DeviceInfo device, DeviceInfo.Port port, boolean isUsed) {
        String found = device.name() + " port " + port.number() + ": " + port.state() + ", " + port.linkLayer() + ", "
                + device.transport() + ", MTU " + port.activeMtu() + ", inline " + device.maxInline() + " B, "
                + device.maxQueuePairs() + " queue pairs, GIDs " + port.gids()
                + (port.interfaces().isEmpty() ? "" : ", interfaces " + port.interfaces());
        if (port.isActive() || !isUsed) {
            return Finding.ok("rdma.port", found);
        }
        return Finding.warning(
                "rdma.port", found, "bring its link up: ip link set INTERFACE up; rdma link shows its state");
    }

    private List<Finding> live(DeviceInfo device) throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (DeviceInfo.Port port : device.ports()) {
            for (String gid : port.gids()) {
                if (port.isActive() && !gid.contains(":")) {
                    findings.add(LiveChecks.check(
                            "rdma.live",
                            profile,
                            "rdma",
                            InetAddress.getByName(gid),
                            "see the lines above, and docs/TROUBLESHOOTING.md for the reason code"));
                }
            }
        }
        if (findings.isEmpty()) {
            findings.add(Finding.warning(
                    "rdma.live",
                    device.name() + " has no active port with an IPv4 address, so no connection was tried",
                    "give its interface an address: ip addr add ADDRESS/LENGTH dev INTERFACE"));
        }
        return findings;
    }
}
