// SPDX-License-Identifier: Apache-2.0
/**
 * The command line that {@code ./accel perf}, {@code ./accel demo} and {@code ./accel soak} call. It depends on the commands in {@code
 * io.accel.samples.perf} and {@code io.accel.samples.soak}; nothing depends on it.
 */
package io.accel.samples.cli;
