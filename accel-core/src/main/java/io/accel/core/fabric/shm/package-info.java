// SPDX-License-Identifier: Apache-2.0
/**
 * The shared-memory fabric: one file per connection, mapped by both processes, with a ring and a control block for each
 * direction; a Unix-domain socket per connection as doorbell and death notice; a rendezvous directory per listener.
 *
 * <p>With {@code fabric.rdma.verbs} this is the only package that touches native memory. Nothing here is unmapped while a
 * thread can reach it: the last user calls {@link io.accel.core.fabric.Link#free()}. Nothing that a peer wrote, into
 * the handshake or into memory, is used unchecked.
 */
package io.accel.core.fabric.shm;
