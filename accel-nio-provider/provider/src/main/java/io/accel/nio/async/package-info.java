// SPDX-License-Identifier: Apache-2.0
/**
 * Implements NIO.2 over {@code java.nio}: groups, and asynchronous channels over non-blocking channels and a selector. They behave
 * like the JDK's. The channels and the selector are those of a {@link java.nio.channels.spi.SelectorProvider}, and nothing here knows
 * more of them than the JDK's API says; with Accel's provider they take its paths. This package may depend on {@code
 * io.accel.core.daemon}, and on {@code io.accel.core.jdk} for what the JDK knows of a program's buffers; only {@code io.accel.nio}
 * depends on it.
 */
package io.accel.nio.async;
