// SPDX-License-Identifier: Apache-2.0
/**
 * The stream protocol: TCP's part of a connection, as two pure state machines over a {@link
 * io.accel.core.fabric.Link}. It has no input or output of its own, no threads, no locks, no clock; it knows nothing
 * of fabrics but the SPI. {@code docs/ARCHITECTURE.md} describes the protocol.
 */
package io.accel.core.stream;
