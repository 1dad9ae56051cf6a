// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.nio.channels.DatagramChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Supplier;

/**
 * A provider that the JDK, as the agent changes it, also asks for the channels under {@link java.net.DatagramSocket}s. {@code
 * java.base} cannot name a class of ours, but it can name the default provider and a supplier.
 */
abstract class DatagramSource extends SelectorProvider implements Supplier<DatagramChannel> {}
