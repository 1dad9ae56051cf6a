// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.List;

/** The treatment that a transport rule gives a connection. */
public enum Action {
    /** Try the fabrics in their order, then the kernel. */
    ACCELERATE,
    /** Use the kernel, without asking the peer. */
    KERNEL,
    /** Try shared memory and no other fabric. */
    SHM,
    /** Try RDMA and no other fabric. */
    RDMA;

    /**
     * Returns the fabrics of {@code order} that this action leaves to be tried, in the same order; empty means the
     * kernel at once. An action never adds a fabric that the order does not have.
     */
    public List<FabricName> limit(List<FabricName> order) {
        return switch (this) {
            case ACCELERATE -> List.copyOf(order);
            case KERNEL -> List.of();
            case SHM -> only(FabricName.SHM, order);
            case RDMA -> only(FabricName.RDMA, order);
        };
    }

    private static List<FabricName> only(FabricName fabric, List<FabricName> order) {
        return order.contains(fabric) ? List.of(fabric) : List.of();
    }
}
