package io.accel.core.fabric.rdma;

import io.accel.core.fabric.DeviceInfo;
import io.accel.core.fabric.rdma.verbs.CmEventChannel;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.Device;
import io.accel.core.fabric.rdma.verbs.PortAttributes;
import io.accel.core.fabric.rdma.verbs.ProtectionDomain;
import io.accel.core.fabric.rdma.verbs.QueuePair;
import io.accel.core.fabric.rdma.verbs.QueuePairOptions;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Asks the devices what they are. Opens each for a moment; nothing is left. */
final class DeviceInspection {
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
        var attributes = context.attributes();
        List<DeviceInfo.Port> ports = new ArrayList<>();
        InetAddress address = null;
        for (int number = 1; number <= attributes.ports(); number++) {
            PortAttributes port = context.port(number);
            List<String> gids = new ArrayList<>();
            for (int i = 0; i < port.gids(); i++) {
                byte[] gid = gid(context, number, i);
                if (gid != null) {
                    gids.add(text(gid));
                    address = address == null ? ipv4(gid) : address;
                }
            }
            ports.add(new DeviceInfo.Port(
                    number, port.state().name(), port.linkLayer().name(), port.activeMtu(), List.copyOf(gids)));
        }
        return new DeviceInfo(
                context.device().name(),
                context.device().transport().name(),
                attributes.firmware(),
                attributes.maxQueuePairs(),
                address == null ? -1 : maxInline(address),
                List.copyOf(ports));
    }

    /** Null where the table's entry is not used, or gone again. */
    private static byte[] gid(Context context, int port, int index) {
        try {
            byte[] gid = context.gid(port, index);
            return Arrays.equals(gid, new byte[GID_SIZE]) ? null : gid;
        } catch (VerbsException e) {
            return null;
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

    /** The address of which RoCE has made the GID, or null. */
    private static InetAddress ipv4(byte[] gid) {
        try {
            // Java takes an IPv4 address that is mapped into IPv6 for what it is.
            InetAddress address = InetAddress.getByAddress(gid);
            return address.getAddress().length == GID_SIZE - IPV4_MAPPED_PREFIX ? address : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** No device says it beforehand: asks for less and less until there is a queue pair, which then says what it has. */
    private static int maxInline(InetAddress address) {
        for (int wanted = MOST_INLINE; wanted > 0; wanted /= 2) {
            try (CmEventChannel events = CmEventChannel.open();
                    CmId id = events.createId()) {
                id.bind(new InetSocketAddress(address, 0));
                try (ProtectionDomain domain = id.context().allocateProtectionDomain();
                        CompletionQueue queue = id.context().createCompletionQueue(2, null);
                        QueuePair pair =
                                id.createQueuePair(domain, new QueuePairOptions(queue, queue, 1, 1, 1, wanted))) {
                    return pair.maxInline();
                }
            } catch (VerbsException | VerbsUnavailableException e) {
                // Too much for this device; less may do.
            }
        }
        return -1;
    }
}
