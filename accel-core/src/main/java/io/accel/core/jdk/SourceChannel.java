// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.io.FileDescriptor;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.channels.spi.SelectorProvider;

/**
 * Finds the constructor of the JDK's pipe source, which takes any file descriptor and makes a channel of it that the
 * JDK's selectors accept. The class is not public, so an export is not enough: only a trusted lookup reaches it.
 */
final class SourceChannel {
    private SourceChannel() {}

    /**
     * Returns a handle of type {@code (SelectorProvider, FileDescriptor)Pipe.SourceChannel}.
     *
     * @throws IllegalStateException if this JVM has none
     */
    static MethodHandle constructor() {
        if (Holder.CONSTRUCTOR == null) {
            throw new IllegalStateException(
                    "Accel cannot make a file descriptor selectable on Java " + Runtime.version()
                            + ". A run-time image made by jlink must contain the module jdk.unsupported",
                    Holder.FAILURE);
        }
        return Holder.CONSTRUCTOR;
    }

    private static final class Holder {
        static final MethodHandle CONSTRUCTOR;
        static final Throwable FAILURE;

        static {
            MethodHandle constructor = null;
            Throwable failure = null;
            try {
                Class<?> channel = TrustedLookup.internal("sun.nio.ch.SourceChannelImpl");
                constructor = TrustedLookup.orPlain(channel)
                        .findConstructor(
                                channel,
                                MethodType.methodType(void.class, SelectorProvider.class, FileDescriptor.class));
            } catch (ReflectiveOperationException | RuntimeException e) {
                failure = e;
            }
            CONSTRUCTOR = constructor;
            FAILURE = failure;
        }
    }
}
