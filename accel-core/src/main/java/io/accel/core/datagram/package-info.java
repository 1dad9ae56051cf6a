/**
 * Planned: datagrams that keep their boundaries. Message rings on shared memory, unreliable-datagram queue pairs on RDMA;
 * dropped, never waited for, when the receiver has no room; by the kernel where a datagram is too large for the path, or
 * goes to many. Until then datagram channels are the kernel's.
 *
 * <p>Like the stream protocol a pure state machine: depends on {@code core.fabric} alone.
 */
package io.accel.core.datagram;
