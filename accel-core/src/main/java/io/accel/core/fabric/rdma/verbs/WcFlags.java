// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The flags of a completion. */
@CName("IBV_WC_")
public final class WcFlags {
    /** The completion has {@link WorkCompletions#immediate}. */
    public static final int WITH_IMM = 2;

    private WcFlags() {}
}
