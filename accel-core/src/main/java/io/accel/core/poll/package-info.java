/**
 * Waiting: one {@link io.accel.core.poll.Poller} serves every adapter. It polls accelerated links that have traffic (the
 * hot set), sleeps in the kernel for all else, and knows nothing of streams or fabrics but {@link
 * io.accel.core.poll.Pollable}. Adapters and {@code core.socket} may depend on it; it depends on
 * {@code core.jdk}, {@code core.daemon} and {@code core.observe} alone. {@link io.accel.core.poll.WaitPolicy} decides for every waiting
 * thread whether it looks or sleeps.
 */
package io.accel.core.poll;
