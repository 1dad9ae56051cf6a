package io.accel.core.fabric;

import java.util.List;

/**
 * What a fabric's device is and can do, for people to read.
 *
 * @param name the kernel's, such as {@code mlx5_0}
 * @param transport how it talks, such as {@code IB}
 * @param firmware its version, as the device puts it
 * @param maxQueuePairs how many connections it can have
 * @param maxInline bytes that travel within a work request at most; -1 if that could not be found out
 * @param can what it can that not all can, such as {@code writes with immediate data}
 * @param unusable why no connection can go by it, whatever its ports are; null if one can
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
     * One port.
     *
     * @param number from 1
     * @param state such as {@code ACTIVE}
     * @param linkLayer {@code ETHERNET} or {@code INFINIBAND}
     * @param activeMtu bytes of payload in a packet
     * @param gids its addresses in the table of the device, those that are set
     */
    public record Port(int number, String state, String linkLayer, int activeMtu, List<String> gids) {
        /** Whether it carries data. */
        public boolean isActive() {
            return state.equals("ACTIVE");
        }
    }
}
