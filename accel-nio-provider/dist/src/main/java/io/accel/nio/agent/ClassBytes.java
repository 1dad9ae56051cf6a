// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.io.ByteArrayOutputStream;

/**
 * A growing part of a class file. For one thread.
 *
 * <p>It takes the place of {@link java.io.DataOutputStream}, for which newer JDKs load a dozen classes of variable handles, while the program
 * waits for its start.
 */
final class ClassBytes extends ByteArrayOutputStream {
    private static final int SHORTEST_OF_TWO = 0x80;

    /** Appends the two lowest bytes. */
    void two(int value) {
        write(value >> 8);
        write(value);
    }

    /** Appends all four bytes. */
    void four(int value) {
        two(value >> 16);
        two(value);
    }

    /**
     * Appends a text with its length.
     *
     * @throws IllegalArgumentException if a character needs more than one byte, which none of a name in the JDK does
     */
    void text(String text) {
        two(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0 || c >= SHORTEST_OF_TWO) {
                throw new IllegalArgumentException(text + " has a character that class files have in several bytes");
            }
            write(c);
        }
    }

    /** Appends all bytes of a part. */
    void all(ByteArrayOutputStream part) {
        writeBytes(part.toByteArray());
    }
}
