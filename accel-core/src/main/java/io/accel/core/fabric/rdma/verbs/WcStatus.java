// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** How a request ended; {@link Verbs#statusText} says it in words. */
@CName("IBV_WC_")
public final class WcStatus {
    /** The request was done. */
    public static final int SUCCESS = 0;

    /** A message did not fit the receive. */
    public static final int LOC_LEN_ERR = 1;

    /** The queue pair could not carry out the request. */
    public static final int LOC_QP_OP_ERR = 2;

    /** The local memory was not registered for it. */
    public static final int LOC_PROT_ERR = 4;

    /** The queue pair had failed before: look for the first error, for this is not it. */
    public static final int WR_FLUSH_ERR = 5;

    /** The peer found the request invalid. */
    public static final int REM_INV_REQ_ERR = 9;

    /** The rkey or the range was not the peer's to give. */
    public static final int REM_ACCESS_ERR = 10;

    /** The peer could not carry out the request. */
    public static final int REM_OP_ERR = 11;

    /** The peer's device did not answer any more. */
    public static final int RETRY_EXC_ERR = 12;

    /** The peer had no receive posted for too long. */
    public static final int RNR_RETRY_EXC_ERR = 13;

    /** The device failed. */
    public static final int FATAL_ERR = 19;

    /** The answer timed out. */
    public static final int RESP_TIMEOUT_ERR = 20;

    /** The device gives no further detail. */
    public static final int GENERAL_ERR = 21;

    private WcStatus() {}
}
