// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * The limits of a device.
 *
 * @param firmware the version of its firmware, as the device puts it
 * @param ports how many ports it has; they are numbered from 1
 * @param maxQueuePairs queue pairs in all
 * @param maxWorkRequests outstanding requests of one queue
 * @param reportsPorts whether it reports that a port comes up again ({@code IBV_DEVICE_PORT_ACTIVE_EVENT})
 * @param maxSegments pieces of memory of one request
 * @param maxCompletionQueues completion queues in all
 * @param maxCompletions entries of one completion queue
 * @param maxRegions registered regions in all
 * @param maxRegionSize bytes of one region
 * @param maxGroups multicast groups in all; 0 if it has none
 */
public record DeviceAttributes(
        String firmware,
        int ports,
        int maxQueuePairs,
        int maxWorkRequests,
        boolean reportsPorts,
        int maxSegments,
        int maxCompletionQueues,
        int maxCompletions,
        int maxRegions,
        long maxRegionSize,
        int maxGroups) {
    static DeviceAttributes of(NativeMemory attributes) {
        ByteBuffer from = attributes.buffer;
        // The value is unsigned in C: all ones where there is no limit.
        long maxRegionSize = from.getLong(IbvDeviceAttr.MAX_MR_SIZE);
        return new DeviceAttributes(
                NativeMemory.getString(attributes.address + IbvDeviceAttr.FW_VER),
                from.get(IbvDeviceAttr.PHYS_PORT_CNT) & 0xff,
                from.getInt(IbvDeviceAttr.MAX_QP),
                from.getInt(IbvDeviceAttr.MAX_QP_WR),
                (from.getInt(IbvDeviceAttr.DEVICE_CAP_FLAGS) & LibIbVerbs.IBV_DEVICE_PORT_ACTIVE_EVENT) != 0,
                from.getInt(IbvDeviceAttr.MAX_SGE),
                from.getInt(IbvDeviceAttr.MAX_CQ),
                from.getInt(IbvDeviceAttr.MAX_CQE),
                from.getInt(IbvDeviceAttr.MAX_MR),
                maxRegionSize < 0 ? Long.MAX_VALUE : maxRegionSize,
                from.getInt(IbvDeviceAttr.MAX_MCAST_GRP));
    }
}
