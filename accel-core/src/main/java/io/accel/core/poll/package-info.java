/**
 * Waiting: one {@link io.accel.core.poll.Poller} serves every adapter. It polls accelerated links that have traffic (the
 * hot set), sleeps in the kernel for all else, and knows nothing of streams or fabrics but {@link
 * io.accel.core.poll.Pollable}. Adapters and {@code core.socket} may depend on it; it depends on the JDK alone.
 */
package io.accel.core.poll;
