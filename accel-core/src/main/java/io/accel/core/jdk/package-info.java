// SPDX-License-Identifier: Apache-2.0
/**
 * The one place that reaches into the JDK's own classes.
 *
 * <p>The kernel path is the JDK's channels, so Accel needs the JDK's {@code SelectorProvider} although the program's
 * provider is Accel itself. That provider, freeing a mapped file at once and making a file descriptor selectable are
 * taken from inside the JDK, through {@link io.accel.core.jdk.JdkAccess}, and so is what the JDK knows of a program's
 * buffers, through {@link io.accel.core.jdk.JdkBuffers}. What the JVM does with faults of mapped memory ({@link io.accel.core.jdk.MemoryFaults}),
 * and what the system says of the process's files ({@link io.accel.core.jdk.OpenFiles}), is here as well.
 *
 * <p>The package depends on nothing but the JDK. Everything in {@code io.accel} may use it; nothing else may name
 * {@code sun.*} or {@code jdk.internal.*}.
 */
package io.accel.core.jdk;
