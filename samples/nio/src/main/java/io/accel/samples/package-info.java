// SPDX-License-Identifier: Apache-2.0
/**
 * Programs to copy from: an echo server and client, a file transfer and a chat with many connections, each plain
 * {@code java.nio} and each small enough to read in a minute.
 *
 * <p>Nothing here knows Accel: the programs run unchanged with or without it. They depend on the JDK alone.
 */
package io.accel.samples;
