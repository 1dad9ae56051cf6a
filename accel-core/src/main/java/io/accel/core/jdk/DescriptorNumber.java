package io.accel.core.jdk;

import io.accel.core.daemon.Privileged;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.channels.SelectableChannel;

/** The number of the file descriptor that a channel of the JDK's own has. */
final class DescriptorNumber {
    /** Null where this JVM lets nobody ask. */
    private static final MethodHandle GET = Privileged.get(DescriptorNumber::find);

    private DescriptorNumber() {}

    static int of(SelectableChannel channel) {
        if (GET == null) {
            return -1;
        }
        try {
            return (int) GET.invokeExact((Object) channel);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the JDK does not tell the descriptor of " + channel, e);
        }
    }

    private static MethodHandle find() {
        try {
            Class<?> type = TrustedLookup.internal("sun.nio.ch.SelChImpl");
            return TrustedLookup.orPlain(type)
                    .findVirtual(type, "getFDVal", MethodType.methodType(int.class))
                    .asType(MethodType.methodType(int.class, Object.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
