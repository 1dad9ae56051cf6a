/**
 * {@link java.net.Socket} and {@link java.net.ServerSocket} over the core's sockets: implementations that the agent gives the
 * JDK by its factories, and the JDK's own wherever a connection is the kernel's.
 *
 * <p>Depends on the core, but on no fabric, and on {@code io.accel.nio}. Only the agent uses it.
 */
package io.accel.nio.net;
