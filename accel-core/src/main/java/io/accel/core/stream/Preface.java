// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

/**
 * The number that comes first whenever a stream comes to a link. The bytes after it begin a cache line, as a ring's
 * memory does. So blocks of usual sizes lie on as few lines as they can, and are copied faster.
 */
final class Preface {
    /** The bytes of the number. */
    static final int NUMBER = Long.BYTES;

    private static final int LINE = 64;

    private Preface() {}

    /** How many bytes a preface takes at a cursor, with the unused bytes behind the number. */
    static int length(long cursor) {
        int rest = LINE - (int) (cursor & (LINE - 1));
        return rest < NUMBER ? rest + LINE : rest;
    }
}
