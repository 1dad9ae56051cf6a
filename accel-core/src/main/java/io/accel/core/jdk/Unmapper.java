// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * Finds {@code Unsafe.invokeCleaner}, which frees a direct buffer's memory.
 *
 * <p>The internal {@code Unsafe} is preferred to the public one, whose method is deprecated for removal.
 */
final class Unmapper {
    private static final MethodType SHAPE = MethodType.methodType(void.class, ByteBuffer.class);

    private Unmapper() {}

    /**
     * Returns a handle of type {@code (MappedByteBuffer)void}.
     *
     * @throws IllegalStateException if this JVM has none
     */
    static MethodHandle handle() {
        if (Holder.INVOKE_CLEANER == null) {
            throw new IllegalStateException(
                    "Accel cannot free mapped memory on Java " + Runtime.version()
                            + ". A run-time image made by jlink must contain the module jdk.unsupported",
                    Holder.FAILURE);
        }
        return Holder.INVOKE_CLEANER;
    }

    private static MethodHandle find() throws Throwable {
        IllegalAccessException refused = new IllegalAccessException("no trusted lookup");
        MethodHandles.Lookup trusted = TrustedLookup.find(refused).orElse(null);
        MethodHandle invokeCleaner;
        if (trusted != null) {
            Class<?> internal = TrustedLookup.internal("jdk.internal.misc.Unsafe");
            MethodHandle getUnsafe = trusted.findStatic(internal, "getUnsafe", MethodType.methodType(internal));
            invokeCleaner =
                    trusted.findVirtual(internal, "invokeCleaner", SHAPE).bindTo((Object) getUnsafe.invoke());
        } else {
            Class<?> open = Class.forName("sun.misc.Unsafe");
            invokeCleaner = MethodHandles.publicLookup()
                    .findVirtual(open, "invokeCleaner", SHAPE)
                    .bindTo(TrustedLookup.unsafe(open));
        }
        return invokeCleaner.asType(MethodType.methodType(void.class, MappedByteBuffer.class));
    }

    private static final class Holder {
        static final MethodHandle INVOKE_CLEANER;
        static final Throwable FAILURE;

        static {
            MethodHandle handle = null;
            Throwable failure = null;
            try {
                handle = find();
            } catch (Throwable e) {
                failure = e;
            }
            INVOKE_CLEANER = handle;
            FAILURE = failure;
        }
    }
}
