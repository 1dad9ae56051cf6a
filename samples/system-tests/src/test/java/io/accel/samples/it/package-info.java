// SPDX-License-Identifier: Apache-2.0
/**
 * Integration tests: programs of other projects, and faults, each end in a JVM of its own.
 *
 * <p>The tests know Accel only as a user does, through the drop-in jar and the provider property; their assertions hold
 * on the JDK's own provider, too. May depend on {@link io.accel.samples.it.harness} and, for the names of the child
 * programs, on {@link io.accel.samples.it.programs}.
 */
package io.accel.samples.it;
