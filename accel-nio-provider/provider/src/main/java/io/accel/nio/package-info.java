// SPDX-License-Identifier: Apache-2.0
/**
 * Makes Accel a {@link java.nio.channels.spi.SelectorProvider}, with channels, selector and keys that behave like the JDK's, and the
 * {@link java.net.Socket} adaptors of the channels. The core has the paths, the waiting and the protocols; nothing here knows of a
 * fabric. The package {@code nio.async} has the asynchronous channels. This package may depend on {@code io.accel.core}'s other
 * packages, {@code nio.async} and {@code io.accel.profile}. The package {@code nio.net} and the drop-in jar's doctor depend on it; programs depend
 * on the providers and the channels' {@code path()}.
 */
package io.accel.nio;
