// SPDX-License-Identifier: Apache-2.0
/**
 * The programs that the benchmarks run, both ends: plain {@code java.nio}, written like ordinary programs, without a
 * class of Accel. The command line that starts them decides which path their bytes take.
 *
 * <p>Each end is a {@code main} for a JVM of its own and takes {@code key=value} arguments. It talks to its starter in
 * lines: it prints an event's name followed by {@code key=value} fields ({@code ready}, {@code warm},
 * {@code mark}, {@code result}) and reads commands ({@code go MILLIS}, {@code mark}); it ends when its standard input does, so that it never outlives its starter. The package depends on the JDK and HdrHistogram.
 */
package io.accel.samples.bench;
