// SPDX-License-Identifier: Apache-2.0
/**
 * Accel as a provider of {@code java.nio}'s channels and selectors. It is not a service: a program that requires this module decides by
 * a property, or by calling {@link io.accel.nio.AccelSelectorProvider}, whether its channels are Accel's.
 */
module io.accel.nio {
    requires transitive io.accel.core;
    requires jdk.net;

    exports io.accel.nio;
}
