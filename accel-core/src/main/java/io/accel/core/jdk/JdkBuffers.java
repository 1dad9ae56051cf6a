// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.io.FileDescriptor;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.Objects;

/**
 * What the JDK knows about a program's buffers besides their bytes: whether their memory may be used now, since that of an arena may be
 * closed or another thread's, and whether it is a mapping of a file, whose pages may be gone.
 *
 * <p>All direct buffers, and no others, are of the class {@link MappedByteBuffer}. The methods look at that first, so that a program without
 * direct buffers pays for nothing else here. All methods may be called by any thread.
 */
public final class JdkBuffers {
    /**
     * How many buffers that are not empty one operation takes, as one system call does ({@code IOV_MAX}). The JDK's channels do not look at
     * those behind them.
     */
    public static final int MOST = 1024;

    private static final ByteBuffer NOWHERE = ByteBuffer.allocate(0);

    private JdkBuffers() {}

    /**
     * Whether a buffer is a mapping of a file, or a view of one. The JDK itself tells them from other direct buffers by the {@link
     * FileDescriptor} that a mapping, and each slice and duplicate of it, has. Where the JVM does not show it, no buffer counts as a mapping.
     */
    public static boolean isMapping(ByteBuffer buffer) {
        if (!(buffer instanceof MappedByteBuffer direct) || Fields.DESCRIPTOR == null) {
            return false;
        }
        try {
            return (Object) Fields.DESCRIPTOR.invokeExact(direct) != null;
        } catch (Error e) {
            throw e; // such as a fault of other memory, of which the JVM tells late
        } catch (Throwable e) {
            throw new IllegalStateException("MappedByteBuffer.fd", e); // a field is read
        }
    }

    /**
     * Throws what any use of a buffer throws now: if the arena of its memory is closed, or belongs to another thread. Touches none of its
     * bytes.
     *
     * @throws IllegalStateException if it is closed
     */
    public static void check(ByteBuffer buffer) {
        if (buffer instanceof MappedByteBuffer direct && hasSession(direct)) {
            NOWHERE.put(0, direct, 0, 0); // a copy of no bytes checks what every copy checks
        }
    }

    /**
     * As {@link #check(ByteBuffer)}, for those buffers of an operation that one system call takes.
     *
     * @param buffers the buffers
     * @param offset the first
     * @param length how many
     */
    public static void check(ByteBuffer[] buffers, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            check(Objects.requireNonNull(buffers[i], "buffer"));
        }
    }

    /**
     * As {@link #check(ByteBuffer[], int, int)}, for buffers that are to be filled.
     *
     * @throws IllegalArgumentException "Read-only buffer", if the first buffer that is not fit is read-only
     */
    public static void checkTargets(ByteBuffer[] buffers, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (buffers[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
            check(buffers[i]);
        }
    }

    /** Whether a {@link #check(ByteBuffer)} of all of them would throw nothing. */
    public static boolean areUsable(ByteBuffer[] buffers, int offset, int length) {
        try {
            check(buffers, offset, length);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** As {@link #areUsable}, for one buffer. */
    public static boolean isUsable(ByteBuffer buffer) {
        try {
            check(buffer);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /**
     * How many of an operation's buffers count: those up to the last that one system call takes.
     *
     * @param buffers the buffers
     * @param offset the first
     * @param length how many
     * @return as many or fewer
     */
    public static int within(ByteBuffer[] buffers, int offset, int length) {
        int counted = length;
        if (length > MOST) {
            int some = 0;
            for (int i = 0; i < length; i++) {
                ByteBuffer each = buffers[offset + i];
                if (each != null && each.hasRemaining() && ++some == MOST) {
                    counted = i + 1;
                    break;
                }
            }
        }
        return counted;
    }

    /** Whether one of so many buffers is null, which the JDK's channels notice when they come to it. */
    public static boolean hasNull(ByteBuffer[] buffers, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (buffers[i] == null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Refuses buffers of confined arenas, which an operation that another thread finishes cannot use.
     *
     * @throws IllegalStateException as the JDK's asynchronous channels do
     */
    public static void refuseConfined(ByteBuffer buffer) {
        MethodHandle isConfined = Sessions.IS_CONFINED;
        if (!(buffer instanceof MappedByteBuffer direct) || isConfined == null || !hasSession(direct)) {
            return;
        }
        boolean confined;
        try {
            confined = (boolean) isConfined.invokeExact((Buffer) direct);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("JavaNioAccess.isThreadConfined", e);
        }
        if (confined) {
            throw new IllegalStateException("Confined session not supported");
        }
    }

    private static boolean hasSession(MappedByteBuffer buffer) {
        if (Fields.SEGMENT == null) {
            return true; // perhaps
        }
        try {
            return (Object) Fields.SEGMENT.invokeExact(buffer) != null;
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("Buffer.segment", e); // a field is read
        }
    }

    /**
     * Keeps the arenas of buffers open until they are {@linkplain #release released}, as the JDK's channels do while an operation waits in
     * the kernel. Where the JVM does not let us, it keeps none.
     *
     * @param one the buffer, or null for several
     * @param many the buffers, if {@code one} is null
     * @param offset the first of them
     * @param length how many
     * @return the buffers held; null for none
     * @throws IllegalStateException if one of them is closed, and none is held
     */
    public static ByteBuffer[] hold(ByteBuffer one, ByteBuffer[] many, int offset, int length) {
        if (one != null) {
            return needsHold(one) ? hold(new ByteBuffer[] {one}) : null;
        }
        int n = 0;
        for (int i = offset; i < offset + length; i++) {
            n += needsHold(many[i]) ? 1 : 0;
        }
        if (n == 0) {
            return null;
        }
        ByteBuffer[] held = new ByteBuffer[n];
        for (int i = offset; i < offset + length && n > 0; i++) {
            if (needsHold(many[i])) {
                held[held.length - n--] = many[i];
            }
        }
        return hold(held);
    }

    private static boolean needsHold(ByteBuffer buffer) {
        return buffer instanceof MappedByteBuffer direct && Sessions.RELEASE != null && hasSession(direct);
    }

    private static ByteBuffer[] hold(ByteBuffer[] buffers) {
        int n = 0;
        try {
            for (ByteBuffer each : buffers) {
                call(Sessions.ACQUIRE, each);
                n++;
            }
            return buffers;
        } finally {
            for (int i = 0; n < buffers.length && i < n; i++) {
                call(Sessions.RELEASE, buffers[i]);
            }
        }
    }

    /**
     * Lets go of buffers that were {@linkplain #hold held}.
     *
     * @param held the result of that; null for none
     */
    public static void release(ByteBuffer[] held) {
        if (held != null) {
            for (ByteBuffer each : held) {
                call(Sessions.RELEASE, each);
            }
        }
    }

    private static void call(MethodHandle method, ByteBuffer buffer) {
        try {
            method.invokeExact((Buffer) buffer);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the JDK does not hold " + buffer, e);
        }
    }

    /** The fields of buffers; null where this JVM does not show them. */
    private static final class Fields {
        static final MethodHandle DESCRIPTOR;
        static final MethodHandle SEGMENT;

        static {
            MethodHandle descriptor = null;
            MethodHandle segment = null;
            try {
                MethodHandles.Lookup trusted =
                        TrustedLookup.orRefused("the JVM keeps its buffers closed"); // java.nio is never opened
                MethodType shape = MethodType.methodType(Object.class, MappedByteBuffer.class);
                descriptor = trusted.findGetter(MappedByteBuffer.class, "fd", FileDescriptor.class)
                        .asType(shape);
                segment = trusted.unreflectGetter(Buffer.class.getDeclaredField("segment"))
                        .asType(shape);
            } catch (ReflectiveOperationException | RuntimeException e) {
                Log.of("io.accel").get().log(Level.DEBUG, "the JVM does not tell which buffers are mappings", e);
            }
            DESCRIPTOR = descriptor;
            SEGMENT = segment;
        }

        private Fields() {}
    }

    /** The JDK's own access to the sessions of buffers, from JDK 21 on; null where this JVM does not give it. */
    private static final class Sessions {
        static final MethodHandle ACQUIRE;
        static final MethodHandle RELEASE;
        static final MethodHandle IS_CONFINED;

        static {
            MethodHandle acquire = null;
            MethodHandle release = null;
            MethodHandle isConfined = null;
            try {
                MethodHandles.Lookup trusted = TrustedLookup.orRefused("the JVM keeps its buffers closed");
                Class<?> kind = TrustedLookup.internal("jdk.internal.access.JavaNioAccess");
                MethodType getter = MethodType.methodType(kind);
                Object access = trusted.findStatic(
                                TrustedLookup.internal("jdk.internal.access.SharedSecrets"), "getJavaNioAccess", getter)
                        .invoke();
                MethodType act = MethodType.methodType(void.class, Buffer.class);
                MethodType ask = MethodType.methodType(boolean.class, Buffer.class);
                acquire = trusted.findVirtual(kind, "acquireSession", act).bindTo(access);
                isConfined = trusted.findVirtual(kind, "isThreadConfined", ask).bindTo(access);
                release = trusted.findVirtual(kind, "releaseSession", act).bindTo(access);
            } catch (Throwable e) {
                Log.of("io.accel").get().log(Level.DEBUG, "the JVM does not let Accel hold arenas", e);
            }
            ACQUIRE = acquire;
            RELEASE = release;
            IS_CONFINED = isConfined;
        }

        private Sessions() {}
    }
}
