// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Buffers over the memory of {@code java.lang.foreign.Arena}s; only on a JDK that has them ({@link #exist()}). */
public final class Arenas {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

    private Arenas() {}

    public static boolean exist() {
        return Runtime.version().feature() >= 22;
    }

    /** An arena, and a buffer of the byte {@code C} over its memory. */
    public static final class Memory implements AutoCloseable {
        private final Object arena;
        private final ByteBuffer buffer;

        private Memory(Object arena, ByteBuffer buffer) {
            this.arena = arena;
            this.buffer = buffer;
        }

        public ByteBuffer buffer() {
            return buffer;
        }

        /** Closes the arena. */
        @Override
        public void close() {
            call(kind("Arena"), "close", MethodType.methodType(void.class), arena);
        }
    }

    /** Memory that any thread may use and close. */
    public static Memory shared(int size) {
        return of("ofShared", size);
    }

    /** Memory that only this thread may use. */
    public static Memory confined(int size) {
        return of("ofConfined", size);
    }

    /** A buffer whose arena is closed. */
    public static ByteBuffer closed(int size) {
        try (Memory memory = shared(size)) {
            return memory.buffer();
        }
    }

    /** A buffer that only another thread may use. */
    public static ByteBuffer ofAnotherThread(int size) throws Exception {
        return Task.start(() -> confined(size).buffer()).result();
    }

    private static Memory of(String factory, int size) {
        try {
            Class<?> kind = kind("Arena");
            Object arena = LOOKUP.findStatic(kind, factory, MethodType.methodType(kind))
                    .invoke();
            MethodHandle allocate =
                    LOOKUP.findVirtual(kind, "allocate", MethodType.methodType(kind("MemorySegment"), long.class));
            Object segment = allocate.invoke(arena, (long) size);
            ByteBuffer buffer = (ByteBuffer)
                    call(kind("MemorySegment"), "asByteBuffer", MethodType.methodType(ByteBuffer.class), segment);
            byte[] content = new byte[size];
            Arrays.fill(content, (byte) 'C');
            return new Memory(arena, buffer.put(content).flip());
        } catch (Throwable e) {
            throw new LinkageError("this JDK has no arenas", e);
        }
    }

    private static Class<?> kind(String name) {
        try {
            return Class.forName("java.lang.foreign." + name);
        } catch (ClassNotFoundException e) {
            throw new LinkageError("this JDK has no arenas", e);
        }
    }

    private static Object call(Class<?> kind, String method, MethodType shape, Object on) {
        try {
            return LOOKUP.findVirtual(kind, method, shape).invoke(on);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError(method, e);
        }
    }
}
