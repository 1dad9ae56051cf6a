// SPDX-License-Identifier: Apache-2.0
/**
 * Puts {@link java.net.Socket} and {@link java.net.ServerSocket} over the core's sockets. The agent gives these implementations to the
 * JDK through its factories. The JDK's own do the work wherever the kernel carries a connection.
 *
 * <p>This package depends on the core, but on no fabric, and on {@code io.accel.nio}. Only the agent uses it.
 */
package io.accel.nio.net;
