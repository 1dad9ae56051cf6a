// SPDX-License-Identifier: Apache-2.0
/**
 * The command line of {@code java -jar accel.jar} and {@code ./accel}.
 *
 * <p>Each subcommand has one class, a thin layer over {@code io.accel.nio.doctor}, {@code io.accel.core.observe} and the profiles.
 * Nothing depends on this package.
 */
package io.accel.nio.cli;
