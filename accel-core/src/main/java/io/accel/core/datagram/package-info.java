// SPDX-License-Identifier: Apache-2.0
/**
 * Datagrams that keep their boundaries: messages in the rings of a {@link io.accel.core.fabric.Link}. A sender drops a datagram for
 * which the receiver has no room, and never waits. {@link io.accel.core.datagram.DatagramFrame} is the specification.
 *
 * <p>Like the stream protocol, the datagram protocol is two state machines without I/O, threads or a clock. It depends on {@code
 * core.fabric} and {@code core.stream}'s exception alone.
 */
package io.accel.core.datagram;
