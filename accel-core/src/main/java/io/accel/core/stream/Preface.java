package io.accel.core.stream;

/**
 * The number that comes first whenever a stream comes to a link. What follows it begins a cache line: the memory of a ring does, and
 * so blocks of usual sizes lie on as few lines as they can, and are copied faster.
 */
final class Preface {
    /** What the number takes. */
    static final int NUMBER = Long.BYTES;

    private static final int LINE = 64;

    private Preface() {}

    /** How many bytes it takes at a cursor, with what follows it unused. */
    static int length(long cursor) {
        int rest = LINE - (int) (cursor & (LINE - 1));
        return rest < NUMBER ? rest + LINE : rest;
    }
}
