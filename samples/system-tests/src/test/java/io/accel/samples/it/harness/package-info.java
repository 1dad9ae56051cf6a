// SPDX-License-Identifier: Apache-2.0
/**
 * Starts child JVMs with or without Accel, watches them, and asks the kernel what they hold.
 *
 * <p>May depend on JUnit's and AssertJ's assertions; knows nothing of the programs that it starts.
 */
package io.accel.samples.it.harness;
