// SPDX-License-Identifier: Apache-2.0
/**
 * The needs of a stream of the thing that carries its bytes, in the verbs' own words: a {@link
 * io.accel.core.fabric.Link} between two rings, the {@link io.accel.core.fabric.MemoryRegion}s that they lie in, and
 * the handshake that makes a link. Shared memory and RDMA implement it; the stream protocol is written against it
 * alone. The package depends on nothing but the JDK, {@code io.accel}, and what {@code core.jdk} knows of a program's
 * buffers.
 */
package io.accel.core.fabric;
