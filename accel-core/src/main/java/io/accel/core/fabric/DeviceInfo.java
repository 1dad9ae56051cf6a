// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.util.List;

/**
 * The identity and the abilities of a fabric's device, for people to read.
 *
 * @param name the kernel's name, such as {@code mlx5_0}
 * @param transport the device's protocol, such as {@code IB}
 * @param firmware the version of its firmware, as the device puts it
 * @param maxQueuePairs how many connections it can have
 * @param maxInline bytes that travel within a work request at most; -1 if that is not known
 * @param can the abilities that not all devices have, such as {@code writes with immediate data}
 * @param unusable why no connection can use the device, whatever its ports are; null if one can
 * @param ports its ports, from number 1
 */
public record DeviceInfo(
        String name,
        String transport,
        String firmware,
        int maxQueuePairs,
        int maxInline,
        List<String> can,
        String unusable,
        List<Port> ports) {
    /**
     * A port of the device.
     *
     * @param number its number, from 1
     * @param state its state, such as {@code ACTIVE}
     * @param linkLayer {@code ETHERNET} or {@code INFINIBAND}
     * @param activeMtu bytes of payload in a packet
     * @param gids its addresses in the table of the device, without unset entries
     * @param interfaces the names of the network interfaces that have those addresses, as far as the kernel tells
     */
    public record Port(
            int number, String state, String linkLayer, int activeMtu, List<String> gids, List<String> interfaces) {
        /** Whether the port carries data. */
        public boolean isActive() {
            return state.equals("ACTIVE");
        }
    }
}
