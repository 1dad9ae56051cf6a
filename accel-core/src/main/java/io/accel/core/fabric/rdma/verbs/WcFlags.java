package io.accel.core.fabric.rdma.verbs;

/** What else a completion says. */
@CName("IBV_WC_")
public final class WcFlags {
    /** {@link WorkCompletions#immediate} is there. */
    public static final int WITH_IMM = 2;

    private WcFlags() {}
}
