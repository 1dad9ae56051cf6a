// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The kind of request that completed. */
@CName("IBV_WC_")
public final class WcOpcode {
    /** A send of any kind. */
    public static final int SEND = 0;

    /** A write of any kind. */
    public static final int RDMA_WRITE = 1;

    /** A read. */
    public static final int RDMA_READ = 2;

    /** The peer's send arrived. */
    public static final int RECV = 128;

    /** The peer's write with an immediate word arrived. */
    public static final int RECV_RDMA_WITH_IMM = 129;

    private WcOpcode() {}
}
