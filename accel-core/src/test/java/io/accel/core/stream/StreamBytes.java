// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;

/** The bytes of a test's stream: each is a function of its place, so that loss, doubling and disorder show at once. */
final class StreamBytes {
    /** Around what a test sends or receives, to see that nothing outside of position and limit is touched. */
    private static final int MARGIN = 3;

    private static final byte UNTOUCHED = (byte) 0xEE;

    private StreamBytes() {}

    static byte at(long place) {
        long mixed = (place + 1) * 0x9E37_79B9_7F4A_7C15L;
        return (byte) (mixed >>> 56);
    }

    /** A buffer whose remaining bytes are the stream's from a place on. */
    static ByteBuffer source(long place, int length, boolean direct) {
        ByteBuffer buffer = allocate(length, direct);
        for (int i = 0; i < length; i++) {
            buffer.put(MARGIN + i, at(place + i));
        }
        return buffer;
    }

    /** A buffer with room for some bytes. */
    static ByteBuffer sink(int length, boolean direct) {
        return allocate(length, direct);
    }

    /** How many bytes a sink has got. */
    static int taken(ByteBuffer sink) {
        return sink.position() - MARGIN;
    }

    /** Checks that a sink has got the stream's bytes from a place on, and nothing else. */
    static void check(ByteBuffer sink, long place) {
        int got = taken(sink);
        for (int i = 0; i < got; i++) {
            if (sink.get(MARGIN + i) != at(place + i)) {
                throw new AssertionError(
                        "byte " + (place + i) + " of the stream is " + sink.get(MARGIN + i) + ", not " + at(place + i));
            }
        }
        ByteBuffer whole = sink.duplicate().clear();
        for (int i = 0; i < whole.capacity(); i++) {
            if (i < MARGIN || i >= MARGIN + got) {
                assertThat(whole.get(i))
                        .as("byte %d, outside of what was read", i)
                        .isEqualTo(UNTOUCHED);
            }
        }
    }

    private static ByteBuffer allocate(int length, boolean direct) {
        int capacity = length + 2 * MARGIN;
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
        for (int i = 0; i < capacity; i++) {
            buffer.put(i, UNTOUCHED);
        }
        return buffer.limit(MARGIN + length).position(MARGIN);
    }
}
