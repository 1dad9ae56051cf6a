// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.ProtocolFamily;
import java.nio.channels.spi.SelectorProvider;

/** Makes channels of the JDK's for another provider than the JDK's own, whose name they then give. */
final class UnixChannels {
    static final MethodHandle SOCKET = find("sun.nio.ch.SocketChannelImpl");
    static final MethodHandle SERVER = find("sun.nio.ch.ServerSocketChannelImpl");

    private UnixChannels() {}

    /** The constructor; null if this JVM has none. */
    private static MethodHandle find(String name) {
        try {
            Class<?> channel = TrustedLookup.internal(name);
            MethodHandles.Lookup lookup =
                    TrustedLookup.find(new IllegalAccessException(name)).orElse(null);
            return lookup == null
                    ? null
                    : lookup.findConstructor(
                            channel, MethodType.methodType(void.class, SelectorProvider.class, ProtocolFamily.class));
        } catch (ReflectiveOperationException e) {
            return null; // another JDK's channels; the place that opens them describes the consequence
        }
    }
}
