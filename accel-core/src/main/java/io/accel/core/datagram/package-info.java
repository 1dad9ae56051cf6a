// SPDX-License-Identifier: Apache-2.0
/**
 * Datagrams that keep their boundaries: messages in the rings of a {@link io.accel.core.fabric.Link}, dropped, never waited
 * for, when the receiver has no room. {@link io.accel.core.datagram.DatagramFrame} is the specification.
 *
 * <p>Like the stream protocol, it is two state machines without I/O, threads or a clock; it depends on {@code
 * core.fabric} and {@code core.stream}'s exception alone.
 */
package io.accel.core.datagram;
