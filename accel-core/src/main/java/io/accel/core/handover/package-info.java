// SPDX-License-Identifier: Apache-2.0
/**
 * Decides which connections are worth a faster path, and when: the rule that a connection pays its link off first, the prices that are
 * measured for it, the gate through which all connections of a process go, and the trial of a new link.
 *
 * <p>Everything here is pure: it has neither threads nor a clock, and asks the machine through {@link io.accel.core.handover.Senses}. So
 * tests run it over simulated processes. It depends on the JDK alone. {@code core.socket} drives it.
 */
package io.accel.core.handover;
