// SPDX-License-Identifier: Apache-2.0
/**
 * The fabric between hosts, through librdmacm and libibverbs, found at run time: InfiniBand and RoCE; Soft-RoCE in
 * tests. The sender's ring is the mirror of the receiver's, and publishing a range is one RDMA write with immediate
 * data. {@code docs/ARCHITECTURE.md} describes the protocol.
 *
 * <p>Depends on {@code core.fabric}, which it implements, on {@code core.jdk}, and on {@code core.fabric.rdma.verbs}. It is
 * loaded by {@code core.fabric.rdma.bootstrap}, which alone knows of it, and may be in a class loader of its own: no
 * other class may link to it.
 */
package io.accel.core.fabric.rdma;
