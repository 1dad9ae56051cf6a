// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The memory of a buffer, which may fail. On a JDK without arenas a buffer of one is an ordinary direct buffer, or for another thread's a read-only one. */
enum Material {
    HEAP,
    DIRECT,
    SLICE,
    READ_ONLY,
    /** A mapping of a file. */
    MAPPING,
    MAPPING_SLICE,
    SHARED,
    CONFINED,
    /** A mapping of a part of a file that is gone. */
    GONE,
    /** A mapping whose second half is gone. */
    HALF_GONE,
    /** Of an arena that is closed. */
    CLOSED,
    /** Of a confined arena of another thread. */
    ANOTHERS;

    private static final int PAGE = 4096;
    private static final int AROUND = 5;
    private static final boolean HAS_ARENAS = Runtime.version().feature() >= 22;

    /** Whether a use of all bytes is a fault of the memory. */
    boolean isGone() {
        return this == GONE || this == HALF_GONE;
    }

    /** How many of the first bytes are there. */
    int there(int size) {
        return this == GONE ? 0 : this == HALF_GONE ? size / 2 : size;
    }

    /** A buffer with these bytes between its position, which may not be 0, and its limit. */
    ByteBuffer of(byte[] bytes) throws IOException {
        return switch (this) {
            case HEAP -> around(ByteBuffer.allocate(bytes.length + 2 * AROUND), bytes);
            case DIRECT -> around(ByteBuffer.allocateDirect(bytes.length + 2 * AROUND), bytes);
            case SLICE ->
                around(ByteBuffer.allocateDirect(bytes.length + 4 * AROUND), bytes)
                        .slice();
            case READ_ONLY -> ByteBuffer.wrap(bytes).asReadOnlyBuffer();
            case MAPPING -> mapped(bytes, 0, Integer.MAX_VALUE);
            case MAPPING_SLICE ->
                mapped(bytes, PAGE - AROUND, Integer.MAX_VALUE).slice();
            case GONE -> mapped(bytes, 0, 0);
            case HALF_GONE -> mapped(bytes, PAGE - there(bytes.length), PAGE);
            case SHARED -> ofArena("ofShared", bytes, false);
            case CONFINED -> ofArena("ofConfined", bytes, false);
            case CLOSED -> ofArena("ofShared", bytes, true);
            case ANOTHERS -> HAS_ARENAS ? ofAnotherThread(bytes) : READ_ONLY.of(bytes);
        };
    }

    private static ByteBuffer around(ByteBuffer buffer, byte[] bytes) {
        buffer.position(AROUND).put(bytes);
        return buffer.flip().position(AROUND);
    }

    /** Maps a file with these bytes at a place, and truncates it. */
    private static ByteBuffer mapped(byte[] bytes, int at, int left) throws IOException {
        Path path = Files.createTempFile("fuzz", null);
        try (FileChannel file = FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            int end = at + bytes.length;
            ByteBuffer buffer = file.map(FileChannel.MapMode.READ_WRITE, 0, Math.max(1, end));
            buffer.put(at, bytes);
            file.truncate(Math.min(left, file.size()));
            return buffer.position(at).limit(end);
        }
    }

    private static ByteBuffer ofAnotherThread(byte[] bytes) throws IOException {
        CompletableFuture<ByteBuffer> made = new CompletableFuture<>();
        Thread maker = new Thread(() -> {
            try {
                made.complete(ofArena("ofConfined", bytes, false));
            } catch (IOException | RuntimeException e) {
                made.completeExceptionally(e);
            }
        });
        maker.start();
        try {
            return made.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IOException(e);
        }
    }

    private static ByteBuffer ofArena(String factory, byte[] bytes, boolean closes) throws IOException {
        if (!HAS_ARENAS) {
            return DIRECT.of(bytes);
        }
        try {
            Class<?> kind = Class.forName("java.lang.foreign.Arena");
            Object arena = kind.getMethod(factory).invoke(null);
            Object segment = kind.getMethod("allocate", long.class).invoke(arena, (long) Math.max(1, bytes.length));
            ByteBuffer buffer = (ByteBuffer) Class.forName("java.lang.foreign.MemorySegment")
                    .getMethod("asByteBuffer")
                    .invoke(segment);
            buffer.put(bytes).flip();
            if (closes) {
                kind.getMethod("close").invoke(arena);
            }
            return buffer;
        } catch (ClassNotFoundException
                | NoSuchMethodException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IOException(e);
        }
    }
}
