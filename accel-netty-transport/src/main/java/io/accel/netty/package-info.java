/**
 * Planned: Accel as a transport of Netty 4.2. An {@code IoHandler} over the core's poller, stream channels, and an allocator
 * of memory that the fabric can send from without a copy. Until then Netty's NIO transport runs accelerated through the
 * {@code SelectorProvider}.
 *
 * <p>An adapter like {@code io.accel.nio}: depends on {@code io.accel.core} and Netty, and nothing depends on it.
 */
package io.accel.netty;
