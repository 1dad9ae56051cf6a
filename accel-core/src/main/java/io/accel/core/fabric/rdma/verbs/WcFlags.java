// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The flags of a completion. */
@CName("IBV_WC_")
public final class WcFlags {
    /** The memory of a receive begins with the {@linkplain GlobalRoute#SIZE route} that a datagram has come. */
    public static final int GRH = 1;

    /** The completion has {@link WorkCompletions#immediate}. */
    public static final int WITH_IMM = 2;

    private WcFlags() {}
}
