// SPDX-License-Identifier: Apache-2.0
/**
 * Programs to copy from: an echo server and client, a file transfer and a chat with many connections, each plain
 * {@code java.nio} and each small enough to read in a minute. {@link io.accel.samples.SamplesMain} is the command line
 * of the whole module.
 *
 * <p>Nothing here knows Accel: the programs run unchanged with or without it. The samples depend on the JDK alone; the
 * command line depends on {@code io.accel.samples.perf}.
 */
package io.accel.samples;
