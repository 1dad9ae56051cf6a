// SPDX-License-Identifier: Apache-2.0
/**
 * Makes Accel a transport of Netty 4.2, with an {@link io.accel.netty.AccelIoHandler} over the core's poller, channels for streams,
 * listeners and datagrams, and an allocator of memory that a device can send from without a copy. Netty's own NIO transport is
 * accelerated through the {@code SelectorProvider}, without this package.
 *
 * <p>This package is an adapter like {@code io.accel.nio}: it depends on {@code io.accel.core}, but on no fabric, on the profiles and
 * on Netty. Only the adapters of libraries over Netty depend on it.
 */
package io.accel.netty;
