// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.channels.DatagramChannel;
import java.nio.channels.spi.SelectorProvider;

/** Finds the constructor of the channels that the JDK puts under {@link java.net.DatagramSocket}s, which no interrupt closes. */
final class UninterruptibleDatagrams {
    /** Makes one of a provider; null where this JVM does not allow it. */
    static final MethodHandle CONSTRUCTOR = find();

    private UninterruptibleDatagrams() {}

    private static MethodHandle find() {
        try {
            Class<?> type = TrustedLookup.internal("sun.nio.ch.DatagramChannelImpl");
            MethodHandle constructor = TrustedLookup.orRefused("no trusted lookup")
                    .findConstructor(type, MethodType.methodType(void.class, SelectorProvider.class, boolean.class));
            return constructor.asType(
                    MethodType.methodType(DatagramChannel.class, SelectorProvider.class, boolean.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.of(UninterruptibleDatagrams.class)
                    .get()
                    .log(System.Logger.Level.DEBUG, "this JVM opens no datagram channels that no interrupt closes", e);
            return null;
        }
    }
}
