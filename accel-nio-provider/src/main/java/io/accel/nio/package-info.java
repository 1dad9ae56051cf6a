/**
 * Accel as a {@link java.nio.channels.spi.SelectorProvider}: channels, selector and keys with the JDK's behaviour, and the
 * {@link java.net.Socket} adaptors of the channels. Paths, waiting and protocols are the core's; nothing here knows of a
 * fabric. Asynchronous channels are {@code nio.async}'s. May depend on {@code io.accel.core} and {@code io.accel.profile}; nothing
 * depends on it but {@code nio.cli}.
 */
package io.accel.nio;
