// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.util.ArrayList;
import java.util.List;

/**
 * An RDMA device by its name, as {@code rdma link} shows it.
 *
 * @param name the kernel's name, such as {@code mlx5_0} or {@code rxe0}
 * @param transport the protocol that the device speaks
 */
public record Device(String name, Transport transport) {
    /** The protocol that a device speaks on the wire; it decides what the device can do. */
    @CName("IBV_TRANSPORT_")
    public enum Transport {
        /** InfiniBand or RoCE: everything. */
        IB,
        /** iWARP: no write with immediate data. */
        IWARP,
        /** Cisco's usNIC. */
        USNIC,
        /** usNIC over UDP. */
        USNIC_UDP,
        /** Something of its own, such as Amazon's EFA. */
        UNSPECIFIED
    }

    /** All devices that libibverbs has a driver for; empty when there is none. */
    public static List<Device> list() throws VerbsException, VerbsUnavailableException {
        try (DeviceList list = new DeviceList()) {
            List<Device> devices = new ArrayList<>();
            for (int i = 0; i < list.size(); i++) {
                devices.add(of(list.device(i)));
            }
            return List.copyOf(devices);
        }
    }

    /** Opens the device to query it; the caller closes it. Connections use {@link CmId#context} instead. */
    public Context open() throws VerbsException, VerbsUnavailableException {
        try (DeviceList list = new DeviceList()) {
            for (int i = 0; i < list.size(); i++) {
                if (of(list.device(i)).name.equals(name)) {
                    return Context.open(list.device(i), name);
                }
            }
        }
        throw new VerbsUnavailableException(
                VerbsUnavailableException.Reason.NO_DEVICE, "the RDMA device " + name + " is gone", null);
    }

    static Device of(long device) {
        int transport = NativeMemory.getInt(device + IbvDevice.TRANSPORT_TYPE);
        Transport[] known = Transport.values();
        return new Device(
                NativeMemory.getString(device + IbvDevice.NAME),
                transport >= 0 && transport < known.length ? known[transport] : Transport.UNSPECIFIED);
    }
}
