/**
 * NIO.2 over {@code java.nio}: groups, and asynchronous channels over channels in non-blocking mode and a selector, with the JDK's
 * behaviour. The channels and the selector are those of a {@link java.nio.channels.spi.SelectorProvider}, and nothing here knows
 * more of them than the JDK's API says; with Accel's they have its paths. May depend on {@code io.accel.core.daemon}; only {@code
 * io.accel.nio} depends on it.
 */
package io.accel.nio.async;
