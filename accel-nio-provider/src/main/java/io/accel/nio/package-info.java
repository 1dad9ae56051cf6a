/**
 * Accel as a {@link java.nio.channels.spi.SelectorProvider}: channels, selector and keys with the JDK's behaviour, and the
 * {@link java.net.Socket} adaptors of the channels. Paths, waiting and protocols are the core's; nothing here knows of a
 * fabric. Asynchronous channels are {@code nio.async}'s. May depend on
 * {@code io.accel.core}'s other packages, {@code nio.async} and {@code io.accel.profile};
 * {@code nio.doctor} and the agent's sockets depend on it, and so do programs, on the providers and the channels' {@code path()}.
 */
package io.accel.nio;
