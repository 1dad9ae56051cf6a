// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.nio.ByteBuffer;

/** The kinds of buffers. */
enum Shape {
    HEAP,
    DIRECT,
    /** In the middle of a larger one. */
    INSIDE,
    /** A slice of a direct one. */
    SLICE,
    READ_ONLY,
    /** Several buffers of different kinds, some of them empty, within an array. */
    SEVERAL;

    private static final int AROUND = 7;

    /** One buffer of this shape, with so much room. */
    ByteBuffer room(int length) {
        return switch (this) {
            case DIRECT -> ByteBuffer.allocateDirect(length);
            case INSIDE ->
                ByteBuffer.allocate(length + 2 * AROUND).position(AROUND).limit(AROUND + length);
            case SLICE -> ByteBuffer.allocateDirect(length + 2 * AROUND).slice(AROUND, length);
            case READ_ONLY -> ByteBuffer.allocate(length).asReadOnlyBuffer();
            default -> ByteBuffer.allocate(length);
        };
    }

    /** A buffer of this shape with these bytes. */
    ByteBuffer of(byte[] bytes) {
        if (this == READ_ONLY) {
            return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
        }
        ByteBuffer buffer = room(bytes.length);
        return buffer.duplicate().put(bytes).position(buffer.position());
    }

    /** Several buffers; the first and the last must not be touched. */
    static ByteBuffer[] several(byte[] bytes) {
        int third = bytes.length / 3;
        ByteBuffer all = ByteBuffer.wrap(bytes);
        ByteBuffer direct =
                ByteBuffer.allocateDirect(third).put(all.slice(0, third)).flip();
        ByteBuffer rest = all.slice(third, bytes.length - third).asReadOnlyBuffer();
        return new ByteBuffer[] {ByteBuffer.allocate(1), direct, ByteBuffer.allocate(0), rest, ByteBuffer.allocate(1)};
    }

    /** Several buffers with so much room; the first and the last must not be touched. */
    static ByteBuffer[] several(int length) {
        int third = length / 3;
        return new ByteBuffer[] {
            ByteBuffer.allocate(1),
            ByteBuffer.allocateDirect(third),
            ByteBuffer.allocate(0),
            ByteBuffer.allocate(length - third),
            ByteBuffer.allocate(1)
        };
    }
}
