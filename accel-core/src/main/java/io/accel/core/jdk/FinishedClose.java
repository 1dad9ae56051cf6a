// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.channels.SelectableChannel;

/** Finds the method by which a JDK selector, when it lets go of a closed channel, closes the channel's descriptor. */
final class FinishedClose {
    private FinishedClose() {}

    /**
     * Returns a handle of type {@code (SelectableChannel)void}.
     *
     * @throws IllegalStateException if this JVM has none
     */
    static MethodHandle handle() {
        if (Holder.KILL == null) {
            throw new IllegalStateException(
                    "Accel cannot close a channel of the JDK's on Java " + Runtime.version()
                            + ". Add this to the java command: " + JdkAccess.FLAG,
                    Holder.FAILURE);
        }
        return Holder.KILL;
    }

    /** The interface of the channels with such a method: all of the JDK's selectable channels. */
    static Class<?> selectable() {
        if (Holder.SELECTABLE == null) {
            throw new IllegalStateException(
                    "Accel finds no channels of the JDK's on Java " + Runtime.version(), Holder.FAILURE);
        }
        return Holder.SELECTABLE;
    }

    private static final class Holder {
        static final Class<?> SELECTABLE;
        static final MethodHandle KILL;
        static final Throwable FAILURE;

        static {
            Class<?> selectable = null;
            MethodHandle kill = null;
            Throwable failure = null;
            try {
                selectable = TrustedLookup.internal("sun.nio.ch.SelChImpl");
                kill = TrustedLookup.orPlain(selectable)
                        .findVirtual(selectable, "kill", MethodType.methodType(void.class))
                        .asType(MethodType.methodType(void.class, SelectableChannel.class));
            } catch (ReflectiveOperationException | RuntimeException e) {
                failure = e;
            }
            SELECTABLE = selectable;
            KILL = kill;
            FAILURE = failure;
        }
    }
}
