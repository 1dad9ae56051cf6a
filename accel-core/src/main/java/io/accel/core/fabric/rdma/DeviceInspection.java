// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.DeviceInfo;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.Device;
import io.accel.core.fabric.rdma.verbs.DeviceAttributes;
import io.accel.core.fabric.rdma.verbs.PortAttributes;
import io.accel.core.fabric.rdma.verbs.ProtectionDomain;
import io.accel.core.fabric.rdma.verbs.QueuePairOptions;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Asks the devices for their properties. It opens each for a moment and leaves nothing behind. */
final class DeviceInspection {
    private static final Log LOG = Log.of(DeviceInspection.class);
    private static final int MOST_INLINE = 1024;
    private static final int GID_SIZE = 16;
    private static final int IPV4_MAPPED_PREFIX = 12;

    private DeviceInspection() {}

    static List<DeviceInfo> devices() throws VerbsException, VerbsUnavailableException {
        List<DeviceInfo> found = new ArrayList<>();
        for (Device device : Device.list()) {
            try (Context context = device.open()) {
                found.add(inspect(context));
            }
        }
        return List.copyOf(found);
    }

    private static DeviceInfo inspect(Context context) throws VerbsException {
        DeviceAttributes attributes = context.attributes();
        List<DeviceInfo.Port> ports = new ArrayList<>();
        for (int number = 1; number <= attributes.ports(); number++) {
            PortAttributes port = context.port(number);
            List<String> gids = new ArrayList<>();
            Set<String> interfaces = new TreeSet<>();
            for (int i = 0; i < port.gids(); i++) {
                byte[] gid = gid(context, number, i);
                if (gid != null) {
                    gids.add(text(gid));
                    addInterface(context.device().name(), number, i, interfaces);
                }
            }
            ports.add(new DeviceInfo.Port(
                    number,
                    port.state().name(),
                    port.linkLayer().name(),
                    port.activeMtu(),
                    List.copyOf(gids),
                    List.copyOf(interfaces)));
        }
        Trial trial = tryQueuePair(context);
        return new DeviceInfo(
                context.device().name(),
                context.device().transport().name(),
                attributes.firmware(),
                attributes.maxQueuePairs(),
                trial.maxInline(),
                trial.unusable() == null ? can(context, attributes) : List.of(),
                trial.unusable(),
                List.copyOf(ports));
    }

    /** Returns null where the table's entry is not used, or gone again. */
    private static byte[] gid(Context context, int port, int index) {
        try {
            byte[] gid = context.gid(port, index);
            return Arrays.equals(gid, new byte[GID_SIZE]) ? null : gid;
        } catch (VerbsException e) {
            return null;
        }
    }

    /** Adds the interface with the address at that place of the port's table, which the kernel says for RoCE alone. */
    private static void addInterface(String device, int port, int index, Set<String> interfaces) {
        Path file = Path.of("/sys/class/infiniband", device, "ports", "" + port, "gid_attrs", "ndevs", "" + index);
        try {
            interfaces.add(Files.readString(file).strip());
        } catch (IOException e) {
            LOG.get()
                    .log(
                            Level.DEBUG,
                            "the interface of {0} port {1} GID {2} is not known: {3}",
                            device,
                            port,
                            index,
                            e);
        }
    }

    private static String text(byte[] gid) {
        InetAddress ipv4 = ipv4(gid);
        if (ipv4 != null) {
            return ipv4.getHostAddress();
        }
        String hex = HexFormat.of().formatHex(gid);
        return hex.replaceAll("(.{4})(?!$)", "$1:");
    }

    /** The address from which RoCE has made the GID, or null. */
    private static InetAddress ipv4(byte[] gid) {
        try {
            // Java recognizes an IPv4 address that is mapped into IPv6.
            InetAddress address = InetAddress.getByAddress(gid);
            return address.getAddress().length == GID_SIZE - IPV4_MAPPED_PREFIX ? address : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** The result of making a queue pair: its inline bytes, or why there is none. */
    private record Trial(int maxInline, String unusable) {}

    /**
     * No device says beforehand how many bytes it takes inline: this asks for less and less until there is a queue
     * pair, which then states its limit.
     */
    private static Trial tryQueuePair(Context context) throws VerbsException {
        try {
            Endpoint.checkTransport(context.device());
        } catch (FallbackException e) {
            return new Trial(-1, e.getMessage());
        }
        VerbsException last = null;
        try (ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(2, null)) {
            for (int wanted = MOST_INLINE; wanted >= 0; wanted = wanted > 1 ? wanted / 2 : wanted - 1) {
                try {
                    return new Trial(domain.tryQueuePair(new QueuePairOptions(queue, queue, 1, 1, 1, wanted)), null);
                } catch (VerbsException e) {
                    last = e; // too much for this device; less may do
                    if (Failures.isUnsupported(e)) {
                        break;
                    }
                }
            }
        }
        return new Trial(-1, Endpoint.unusable(context.device(), last).getMessage());
    }

    private static List<String> can(Context context, DeviceAttributes attributes) {
        List<String> can = new ArrayList<>();
        can.add(
                context.device().transport() == Device.Transport.IB
                        ? "writes with immediate data"
                        : "writes, each told of by a message");
        if (attributes.reportsPorts()) {
            can.add("reports of ports");
        }
        can.add(attributes.maxGroups() > 0 ? "multicast groups" : "no multicast groups");
        int vectors = context.completionVectors();
        can.add(vectors == 1 ? "1 completion vector" : vectors + " completion vectors");
        return List.copyOf(can);
    }
}
