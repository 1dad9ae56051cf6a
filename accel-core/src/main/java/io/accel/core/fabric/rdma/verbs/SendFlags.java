// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The modes of a send request; joined with {@code |}. */
@CName("IBV_SEND_")
public final class SendFlags {
    /** The request starts only after earlier reads have completed. */
    public static final int FENCE = 1;

    /** The request gives a completion even when it succeeds. */
    public static final int SIGNALED = 2;

    /** The receiver's completion is a solicited one, see {@link CompletionQueue#requestNotify}. */
    public static final int SOLICITED = 4;

    /** The data is copied while posting: the memory is free again at once, and needs no region. */
    public static final int INLINE = 8;

    private SendFlags() {}
}
