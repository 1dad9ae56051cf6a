// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The permitted uses of a memory region; joined with {@code |}. */
@CName("IBV_ACCESS_")
public final class Access {
    /** The device may write it: for receives and reads. */
    public static final int LOCAL_WRITE = 1;

    /** A peer that has the region's rkey and a connection may write it; needs {@link #LOCAL_WRITE}. */
    public static final int REMOTE_WRITE = 2;

    /** A peer that has the region's rkey and a connection may read it. */
    public static final int REMOTE_READ = 4;

    private Access() {}
}
