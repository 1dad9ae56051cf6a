// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/**
 * The completions that a link wants to be notified of. The order counts: a side that asked for more is told of less, too.
 */
enum Wanted {
    NONE,
    /** Messages from the peer that ask for it, and failures. */
    SOLICITED,
    ALL
}
