// SPDX-License-Identifier: Apache-2.0
/**
 * Waiting: one {@link io.accel.core.poll.Poller} serves every adapter. It polls accelerated links that have traffic (the
 * hot set), sleeps in the kernel for all else, and knows nothing of streams or fabrics but {@link
 * io.accel.core.poll.Pollable}. Adapters and {@code core.socket} may depend on it; it depends on
 * {@code core.jdk}, {@code core.daemon} and {@code core.observe} alone. {@link io.accel.core.poll.WaitPolicy} decides for every waiting
 * thread whether it looks or sleeps.
 *
 * <p>In a poller, {@link io.accel.core.poll.Turn}, the {@link io.accel.core.poll.WakePipe} and each {@link
 * io.accel.core.poll.SharedWatch} are touched by several threads. All else belongs to the owner of its turn: {@link io.accel.core.poll.HotLinks} with the {@link io.accel.core.poll.HotSet}, {@link
 * io.accel.core.poll.KernelWatch} with the {@link io.accel.core.poll.KernelEvents}, {@link
 * io.accel.core.poll.Members}, {@link io.accel.core.poll.PollClock}, {@link io.accel.core.poll.Reports} and {@link
 * io.accel.core.poll.Nap}.
 */
package io.accel.core.poll;
