// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.io.FileDescriptor;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/** Finds the JDK's maker of a {@link FileDescriptor} from a number, which the public constructor does not offer. */
final class Descriptors {
    private Descriptors() {}

    /**
     * Returns a handle of type {@code (int)FileDescriptor}.
     *
     * @throws IllegalStateException if this JVM has none
     */
    static MethodHandle maker() {
        if (Holder.NEW_FD == null) {
            throw new IllegalStateException(
                    "Accel cannot make a FileDescriptor of a number on Java " + Runtime.version()
                            + ". Add this to the java command: " + JdkAccess.FLAG,
                    Holder.FAILURE);
        }
        return Holder.NEW_FD;
    }

    private static final class Holder {
        static final MethodHandle NEW_FD;
        static final Throwable FAILURE;

        static {
            MethodHandle maker = null;
            Throwable failure = null;
            try {
                Class<?> io = TrustedLookup.internal("sun.nio.ch.IOUtil");
                maker = TrustedLookup.orPlain(io)
                        .findStatic(io, "newFD", MethodType.methodType(FileDescriptor.class, int.class));
            } catch (ReflectiveOperationException | RuntimeException e) {
                failure = e;
            }
            NEW_FD = maker;
            FAILURE = failure;
        }
    }
}
